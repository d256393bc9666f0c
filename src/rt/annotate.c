/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations: what the program says about locks and orderings of its own making.  Three
 * dialects: our own (include/heddle/annotations.h), ThreadSanitizer's
 * (sanitizer/tsan_interface.h) and that of dynamic_annotations.h.
 *
 * An annotated lock is not modelled: the program's own code decides which thread gets it. The
 * annotations say which thread requests, holds and releases it, with the same events as modelled
 * locks, and they are checked. A release is recorded before the code of the release runs, and an
 * acquire after the code of the acquire has run. So two holders in the events were two holders in
 * the program: the lock does not work, or the annotations are wrong.
 *
 * A thread that has requested its lock and does not hold it yet waits, though it runs (it spins) or
 * is blocked on something inside the lock; thread_locks.asks says so, and deadlock cycles go
 * through it as through modelled locks (sync.c).
 */
#include "rt/clock.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/failure.h"
#include "rt/hot.h"
#include "rt/rt.h"
#include "rt/sync.h"
#include "rt/thread.h"
#include "wire/wire.h"

/* ---- locks ---- */

static struct sync *lock_at(const volatile void *lock, pc_t pc)
{
	struct sync *s = sync_get((uintptr_t)lock, SYNC_ANNOTATED);
	if (s->destroyed) {
		rt_finding(FAIL_USE_DESTROYED, s->addr, 0, pc);
		s->destroyed = false;
	}
	return s;
}

static void annotated_create(const volatile void *lock, pc_t pc)
{
	if (!rt_local_wrapper(pc))
		return;
	sync_forget((uintptr_t)lock, 1, pc); /* a finding if the one before it is held */
	sync_get((uintptr_t)lock, SYNC_ANNOTATED);
	ev_sync(EV_SYNC_INIT, (uintptr_t)lock, SYNC_ANNOTATED, 0, 0, pc);
}

static void destroy(const volatile void *lock, pc_t pc)
{
	if (!rt_local_wrapper(pc))
		return;
	struct sync *s = lock_at(lock, pc);
	if (s->owner) {
		rt_finding(FAIL_DESTROY_HELD, s->addr, s->owner->id, pc);
		return;
	}
	s->destroyed = true;
	ev_sync(EV_SYNC_DESTROY, s->addr, SYNC_ANNOTATED, 0, 0, pc);
}

static void request(const volatile void *lock, enum sync_mode mode, pc_t pc)
{
	if (!rt_local_wrapper(pc))
		return;
	struct sync *s = lock_at(lock, pc);
	ev_sync(EV_ASK, s->addr, mode, 0, 0, pc);
	if (s->owner && s->owner != g.cur)
		sync_check_cycle(s, NULL, true, pc);
	g.cur->locks.asks = s->addr;
}

/* Reported once: from here on the newer holder counts. */
static void end_hold_of_other(struct sync *s, pc_t pc)
{
	rt_finding(FAIL_TWO_HOLDERS, s->addr, s->owner->id, pc);
	sync_drop(s, pc);
}

static void acquired(const volatile void *lock, uint32_t levels, pc_t pc)
{
	if (!rt_local_wrapper(pc))
		return;
	struct sync *s = lock_at(lock, pc);
	g.cur->locks.asks = 0;
	if (s->owner != g.cur) {
		if (s->owner)
			end_hold_of_other(s, pc);
		else if (s->readers)
			rt_finding(FAIL_HOLDER_AND_READERS, s->addr, 0, pc);
		sync_take(s, pc);
		levels--;
	}
	for (; levels; levels--)
		ev_sync(EV_ACQUIRE, s->addr, SYNC_ANNOTATED, ++s->depth, 0, pc);
}

static void acquired_shared(const volatile void *lock, pc_t pc)
{
	if (!rt_local_wrapper(pc))
		return;
	struct sync *s = lock_at(lock, pc);
	g.cur->locks.asks = 0;
	if (s->owner && s->owner != g.cur)
		rt_finding(FAIL_TWO_HOLDERS, s->addr, s->owner->id, pc);
	s->readers++;
	clock_receive(s->addr);
	ev_sync(EV_ACQUIRE, s->addr, SYNC_ANNOTATED_SHARED, 1, 0, pc);
}

static void failed(const volatile void *lock, enum sync_mode mode, pc_t pc)
{
	if (!rt_local_wrapper(pc))
		return;
	g.cur->locks.asks = 0;
	ev_sync(EV_TRY_FAIL, lock_at(lock, pc)->addr, mode, 0, 0, pc);
}

/* Gives the number of levels that were given back. */
static uint32_t release(const volatile void *lock, bool all, pc_t pc)
{
	if (!rt_local_wrapper(pc))
		return 1;
	struct sync *s = lock_at(lock, pc);
	if (!s->owner) {
		rt_finding(FAIL_UNLOCK_FREE, s->addr, 0, pc);
		return 1;
	}
	if (s->owner != g.cur) {
		rt_finding(FAIL_UNLOCK_OTHER, s->addr, s->owner->id, pc);
		sync_drop(s, pc);
		return 1;
	}
	uint32_t levels = all ? s->depth : 1;
	for (uint32_t left = levels; left; left--) {
		if (s->depth > 1)
			ev_sync(EV_RELEASE, s->addr, SYNC_ANNOTATED, --s->depth, 0, pc);
		else
			sync_drop(s, pc);
	}
	return levels;
}

static void release_shared(const volatile void *lock, pc_t pc)
{
	if (!rt_local_wrapper(pc))
		return;
	struct sync *s = lock_at(lock, pc);
	if (!s->readers) {
		rt_finding(FAIL_UNLOCK_FREE, s->addr, 0, pc);
		return;
	}
	s->readers--;
	clock_publish(s->addr);
	ev_sync(EV_RELEASE, s->addr, SYNC_ANNOTATED_SHARED, 0, 0, pc);
}

/* ---- everything else is only recorded ---- */

static void annotation(enum annotation kind, const volatile void *object, uint64_t size, pc_t pc)
{
	if (!rt_local_wrapper(pc))
		return;
	if (kind == ANNOTATION_HAPPENS_BEFORE)
		clock_publish((uintptr_t)object);
	else if (kind == ANNOTATION_HAPPENS_AFTER)
		clock_receive((uintptr_t)object);
	ev_sync(EV_ANNOTATION, (uintptr_t)object, kind, size, 0, pc);
}

/* Our own dialect. */
#define HEDDLE(name, ...)                                 \
	RT_EXPORT void name(const volatile void *object); \
	RT_EXPORT void name(const volatile void *object)  \
	{                                                 \
		__VA_ARGS__;                              \
	}
HEDDLE(heddle_lock_create, annotated_create(object, PC))
HEDDLE(heddle_lock_destroy, destroy(object, PC))
HEDDLE(heddle_lock_request, request(object, SYNC_ANNOTATED, PC))
HEDDLE(heddle_lock_request_shared, request(object, SYNC_ANNOTATED_SHARED, PC))
HEDDLE(heddle_lock_acquired, acquired(object, 1, PC))
HEDDLE(heddle_lock_acquired_shared, acquired_shared(object, PC))
HEDDLE(heddle_lock_failed, failed(object, SYNC_ANNOTATED, PC))
HEDDLE(heddle_lock_release, release(object, false, PC))
HEDDLE(heddle_lock_release_shared, release_shared(object, PC))
HEDDLE(heddle_happens_before, annotation(ANNOTATION_HAPPENS_BEFORE, object, 0, PC))
HEDDLE(heddle_happens_after, annotation(ANNOTATION_HAPPENS_AFTER, object, 0, PC))

/* ThreadSanitizer's. */
enum tsan_flag {
	TSAN_READ_LOCK = 1 << 3,
	TSAN_TRY_LOCK = 1 << 4,
	TSAN_TRY_LOCK_FAILED = 1 << 5,
	TSAN_RECURSIVE_LOCK = 1 << 6,
	TSAN_RECURSIVE_UNLOCK = 1 << 7,
};

static enum sync_mode mode_of(unsigned flags)
{
	return flags & TSAN_READ_LOCK ? SYNC_ANNOTATED_SHARED : SYNC_ANNOTATED;
}

#define TSAN(name, ...)                                  \
	RT_EXPORT void name(void *lock, unsigned flags); \
	RT_EXPORT void name(void *lock, unsigned flags)  \
	{                                                \
		(void)flags;                             \
		__VA_ARGS__;                             \
	}
HEDDLE(__tsan_acquire, annotation(ANNOTATION_HAPPENS_AFTER, object, 0, PC))
HEDDLE(__tsan_release, annotation(ANNOTATION_HAPPENS_BEFORE, object, 0, PC))
TSAN(__tsan_mutex_create, annotated_create(lock, PC))
TSAN(__tsan_mutex_destroy, destroy(lock, PC))
TSAN(__tsan_mutex_pre_signal, annotation(ANNOTATION_SIGNAL_BEGIN, lock, 0, PC))
TSAN(__tsan_mutex_post_signal, annotation(ANNOTATION_SIGNAL_END, lock, 0, PC))
TSAN(__tsan_mutex_pre_divert, annotation(ANNOTATION_DIVERT_BEGIN, lock, 0, PC))
TSAN(__tsan_mutex_post_divert, annotation(ANNOTATION_DIVERT_END, lock, 0, PC))
TSAN(__tsan_mutex_post_unlock, (void)lock) /* the lock has been given back already */

RT_EXPORT void __tsan_mutex_pre_lock(void *lock, unsigned flags);
RT_EXPORT void __tsan_mutex_post_lock(void *lock, unsigned flags, int recursion);
RT_EXPORT int __tsan_mutex_pre_unlock(void *lock, unsigned flags);

RT_EXPORT void __tsan_mutex_pre_lock(void *lock, unsigned flags)
{
	if (!(flags & TSAN_TRY_LOCK))
		request(lock, mode_of(flags), PC);
}

RT_EXPORT void __tsan_mutex_post_lock(void *lock, unsigned flags, int recursion)
{
	if (flags & TSAN_TRY_LOCK_FAILED)
		failed(lock, mode_of(flags), PC);
	else if (flags & TSAN_READ_LOCK)
		acquired_shared(lock, PC);
	else
		acquired(lock,
			 flags & TSAN_RECURSIVE_LOCK && recursion > 0 ? (uint32_t)recursion : 1,
			 PC);
}

RT_EXPORT int __tsan_mutex_pre_unlock(void *lock, unsigned flags)
{
	if (flags & TSAN_READ_LOCK) {
		release_shared(lock, PC);
		return 0;
	}
	return (int)release(lock, flags & TSAN_RECURSIVE_UNLOCK, PC);
}

/* That of dynamic_annotations.h, whose functions get file and line of the annotation first; the
 * runtime uses the caller's address. */
#define PARAMETERS(...) (const char *file, int line __VA_OPT__(, ) __VA_ARGS__)
#define DYNAMIC(name, parameters, ...)            \
	RT_EXPORT void Annotate##name parameters; \
	RT_EXPORT void Annotate##name parameters  \
	{                                         \
		(void)file;                       \
		(void)line;                       \
		__VA_ARGS__;                      \
	}
#define OBJECT PARAMETERS(const volatile void *object)
#define RANGE PARAMETERS(const volatile void *object, long size)
DYNAMIC(RWLockCreate, OBJECT, annotated_create(object, PC))
DYNAMIC(RWLockCreateStatic, OBJECT, annotated_create(object, PC))
DYNAMIC(RWLockDestroy, OBJECT, destroy(object, PC))
DYNAMIC(RWLockAcquired, PARAMETERS(const volatile void *object, long is_writer),
	if (is_writer) acquired(object, 1, PC);
	else acquired_shared(object, PC))
DYNAMIC(RWLockReleased, PARAMETERS(const volatile void *object, long is_writer),
	if (is_writer) release(object, false, PC);
	else release_shared(object, PC))
DYNAMIC(HappensBefore, OBJECT, annotation(ANNOTATION_HAPPENS_BEFORE, object, 0, PC))
DYNAMIC(HappensAfter, OBJECT, annotation(ANNOTATION_HAPPENS_AFTER, object, 0, PC))
DYNAMIC(CondVarSignal, OBJECT, annotation(ANNOTATION_HAPPENS_BEFORE, object, 0, PC))
DYNAMIC(CondVarSignalAll, OBJECT, annotation(ANNOTATION_HAPPENS_BEFORE, object, 0, PC))
DYNAMIC(CondVarWait, PARAMETERS(const volatile void *object, const volatile void *lock), (void)lock;
	annotation(ANNOTATION_HAPPENS_AFTER, object, 0, PC))
DYNAMIC(PCQPut, OBJECT, annotation(ANNOTATION_HAPPENS_BEFORE, object, 0, PC))
DYNAMIC(PCQGet, OBJECT, annotation(ANNOTATION_HAPPENS_AFTER, object, 0, PC))
DYNAMIC(BarrierWaitBefore, OBJECT, annotation(ANNOTATION_HAPPENS_BEFORE, object, 0, PC))
DYNAMIC(BarrierWaitAfter, OBJECT, annotation(ANNOTATION_HAPPENS_AFTER, object, 0, PC))
DYNAMIC(PublishMemoryRange, RANGE,
	annotation(ANNOTATION_HAPPENS_BEFORE, object, (uint64_t)size, PC))
DYNAMIC(UnpublishMemoryRange, RANGE,
	annotation(ANNOTATION_HAPPENS_AFTER, object, (uint64_t)size, PC))
DYNAMIC(NewMemory, RANGE, annotation(ANNOTATION_NEW_MEMORY, object, (uint64_t)size, PC))
DYNAMIC(BenignRace, PARAMETERS(const volatile void *object, const char *why), (void)why;
	annotation(ANNOTATION_BENIGN_RACE, object, 1, PC))
DYNAMIC(BenignRaceSized, PARAMETERS(const volatile void *object, long size, const char *why),
	(void)why;
	annotation(ANNOTATION_BENIGN_RACE, object, (uint64_t)size, PC))
DYNAMIC(ExpectRace, PARAMETERS(const volatile void *object, const char *why), (void)why;
	annotation(ANNOTATION_EXPECTED_RACE, object, 1, PC))
DYNAMIC(IgnoreReadsBegin, PARAMETERS(), annotation(ANNOTATION_IGNORE_READS_BEGIN, NULL, 0, PC))
DYNAMIC(IgnoreReadsEnd, PARAMETERS(), annotation(ANNOTATION_IGNORE_READS_END, NULL, 0, PC))
DYNAMIC(IgnoreWritesBegin, PARAMETERS(), annotation(ANNOTATION_IGNORE_WRITES_BEGIN, NULL, 0, PC))
DYNAMIC(IgnoreWritesEnd, PARAMETERS(), annotation(ANNOTATION_IGNORE_WRITES_END, NULL, 0, PC))
DYNAMIC(IgnoreSyncBegin, PARAMETERS(), annotation(ANNOTATION_IGNORE_SYNC_BEGIN, NULL, 0, PC))
DYNAMIC(IgnoreSyncEnd, PARAMETERS(), annotation(ANNOTATION_IGNORE_SYNC_END, NULL, 0, PC))
DYNAMIC(EnableRaceDetection, PARAMETERS(int on),
	annotation(on ? ANNOTATION_DETECTION_ON : ANNOTATION_DETECTION_OFF, NULL, 0, PC))
DYNAMIC(ThreadName, PARAMETERS(const char *name),
	if (rt_local_wrapper(PC)) ev_text(EV_THREAD_NAME, 0, g.cur->id, 0, name, PC))

/* Beginnings and ends of objects whose uses are recorded, and hints to detectors of another
 * kind: no events. */
DYNAMIC(PCQCreate, OBJECT, (void)object)
DYNAMIC(PCQDestroy, OBJECT, (void)object)
DYNAMIC(BarrierInit, PARAMETERS(const volatile void *object, long count, long again), (void)object,
	(void)count, (void)again)
DYNAMIC(BarrierDestroy, OBJECT, (void)object)
DYNAMIC(MutexIsUsedAsCondVar, OBJECT, (void)object)
DYNAMIC(MutexIsNotPHB, OBJECT, (void)object)
DYNAMIC(TraceMemory, OBJECT, (void)object)
DYNAMIC(NoOp, OBJECT, (void)object)
DYNAMIC(FlushState, PARAMETERS(), )
DYNAMIC(FlushExpectedRaces, PARAMETERS(), )
DYNAMIC(MemoryIsInitialized, RANGE, (void)object, (void)size)
DYNAMIC(MemoryIsUninitialized, RANGE, (void)object, (void)size)

RT_EXPORT int RunningOnValgrind(void);

RT_EXPORT int RunningOnValgrind(void)
{
	return 0;
}
