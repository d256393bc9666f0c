/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations of programs: ThreadSanitizer's own interface (sanitizer/tsan_interface.h) and the
 * older dynamic annotations that many libraries use, and heddle's own (heddle/annotations.h).  An
 * annotated lock is treated like any other lock, also for predictions.
 */
#include "run/guard.h"
#include "run/lock.h"
#include "run/misuse.h"
#include "run/object.h"
#include "run/report.h"
#include "run/run.h"
#include "run/shadow.h"
#include "run/thr.h"
#include "run/thread.h"
#include "run/wrap.h"

#define VOID(name, parameters)           \
	RUN_EXPORT void name parameters; \
	RUN_EXPORT void name parameters

/* Flags of __tsan_mutex_... */
#define MUTEX_READ_LOCK (1u << 3)
#define MUTEX_TRY_LOCK (1u << 4)
#define MUTEX_TRY_LOCK_FAILED (1u << 5)

/* Also after what an atomic at that address handed over: its load may have been relaxed. */
static void happens_after(struct thr *t, void *object)
{
	wrap_receive(t, object, OBJECT_OTHER, 0);
	struct object *s = object_find_any_atomic(t, (uintptr_t)object);
	if (!s)
		return;
	object_receive(t, s);
	object_put(s);
}

VOID(__tsan_acquire, (void *object))
{
	if (run_self)
		happens_after(run_self, object);
}

VOID(__tsan_release, (void *object))
{
	if (run_self)
		wrap_send(run_self, object, OBJECT_OTHER, 0);
}

VOID(__tsan_mutex_create, (void *m, unsigned flags))
{
	struct thr *t = run_self;
	(void)flags;
	if (t)
		wrap_init(t, m, OBJECT_RWLOCK);
}

static void acquired(struct thr *t, void *m, enum lock_mode mode, uint32_t stack)
{
	if (!misuse_annotated_lock(t, m, mode, stack))
		wrap_locked(t, m, OBJECT_RWLOCK, mode, stack);
}

static void will_release(struct thr *t, void *m, enum lock_mode mode, uint32_t stack)
{
	if (!misuse_annotated_unlock(t, m, mode, stack))
		wrap_unlock(t, m, OBJECT_RWLOCK, stack);
}

static void will_destroy(struct thr *t, void *m, uint32_t stack)
{
	misuse_annotated_destroy(t, m, stack);
	wrap_destroy(t, m, stack);
}

VOID(__tsan_mutex_destroy, (void *m, unsigned flags))
{
	struct thr *t = run_self;
	(void)flags;
	if (t)
		will_destroy(t, m, STACK);
}

/* Accesses inside the lock's own implementation, between these calls, are not recorded. */
VOID(__tsan_mutex_pre_lock, (void *m, unsigned flags))
{
	struct thr *t = run_self;
	if (!t)
		return;
	if (!(flags & MUTEX_TRY_LOCK))
		wrap_before_lock(t, m, OBJECT_RWLOCK, STACK);
	t->ignored++;
}

VOID(__tsan_mutex_post_lock, (void *m, unsigned flags, int recursion))
{
	struct thr *t = run_self;
	(void)recursion;
	if (!t)
		return;
	t->ignored -= t->ignored > 0;
	if (!(flags & MUTEX_TRY_LOCK_FAILED))
		acquired(t, m, flags & MUTEX_READ_LOCK ? HOLD_READ : HOLD_WRITE, STACK);
}

RUN_EXPORT int __tsan_mutex_pre_unlock(void *m, unsigned flags);
RUN_EXPORT int __tsan_mutex_pre_unlock(void *m, unsigned flags)
{
	struct thr *t = run_self;
	if (t) {
		will_release(t, m, flags & MUTEX_READ_LOCK ? HOLD_READ : HOLD_WRITE, STACK);
		t->ignored++;
	}
	return 0;
}

VOID(__tsan_mutex_post_unlock, (void *m, unsigned flags))
{
	struct thr *t = run_self;
	(void)m, (void)flags;
	if (t)
		t->ignored -= t->ignored > 0;
}

VOID(__tsan_mutex_pre_signal, (void *m, unsigned flags))
{
	(void)m, (void)flags;
	if (run_self)
		run_self->ignored++;
}

VOID(__tsan_mutex_post_signal, (void *m, unsigned flags))
{
	(void)m, (void)flags;
	if (run_self)
		run_self->ignored -= run_self->ignored > 0;
}

VOID(__tsan_mutex_pre_divert, (void *m, unsigned flags))
{
	(void)m, (void)flags;
	if (run_self)
		run_self->ignored -= run_self->ignored > 0;
}

VOID(__tsan_mutex_post_divert, (void *m, unsigned flags))
{
	(void)m, (void)flags;
	if (run_self)
		run_self->ignored++;
}

VOID(__tsan_check_no_mutexes_held, (void))
{
	struct thr *t = run_self;
	if (t)
		misuse_holds_none(t, STACK);
}

/* ---- accesses to objects of a library, which it declares itself ---- */

static uint32_t external_count;

RUN_EXPORT void *__tsan_external_register_tag(const char *name);
RUN_EXPORT void *__tsan_external_register_tag(const char *name)
{
	(void)name;
	return (void *)(uintptr_t)__atomic_add_fetch(&external_count, 1, __ATOMIC_RELAXED);
}

VOID(__tsan_external_register_header, (void *tag, const char *header))
{
	(void)tag, (void)header;
}

VOID(__tsan_external_assign_tag, (void *object, void *tag))
{
	(void)object, (void)tag;
}

/* The library's call is where the object is used. */
VOID(__tsan_external_read, (void *object, void *caller, void *tag))
{
	(void)tag;
	if (run_self)
		access_range(run_self, (uintptr_t)object, 1, 0, (uintptr_t)caller);
}

VOID(__tsan_external_write, (void *object, void *caller, void *tag))
{
	(void)tag;
	if (run_self)
		access_range(run_self, (uintptr_t)object, 1, CELL_WRITE, (uintptr_t)caller);
}

/* ---- dynamic annotations; file and line are those of the call ---- */

VOID(AnnotateHappensBefore, (const char *file, int line, void *object))
{
	(void)file, (void)line;
	__tsan_release(object);
}

VOID(AnnotateHappensAfter, (const char *file, int line, void *object))
{
	(void)file, (void)line;
	__tsan_acquire(object);
}

VOID(AnnotateRWLockCreate, (const char *file, int line, void *m))
{
	(void)file, (void)line;
	__tsan_mutex_create(m, 0);
}

VOID(AnnotateRWLockDestroy, (const char *file, int line, void *m))
{
	(void)file, (void)line;
	__tsan_mutex_destroy(m, 0);
}

VOID(AnnotateRWLockAcquired, (const char *file, int line, void *m, long is_write))
{
	struct thr *t = run_self;
	(void)file, (void)line;
	if (t)
		acquired(t, m, is_write ? HOLD_WRITE : HOLD_READ, STACK);
}

VOID(AnnotateRWLockReleased, (const char *file, int line, void *m, long is_write))
{
	struct thr *t = run_self;
	(void)file, (void)line;
	if (t)
		will_release(t, m, is_write ? HOLD_WRITE : HOLD_READ, STACK);
}

#define IGNORE(begin, end)                                          \
	VOID(begin, (const char *file, int line))                   \
	{                                                           \
		(void)file, (void)line;                             \
		if (run_self)                                       \
			run_self->ignored++;                        \
	}                                                           \
	VOID(end, (const char *file, int line))                     \
	{                                                           \
		(void)file, (void)line;                             \
		if (run_self)                                       \
			run_self->ignored -= run_self->ignored > 0; \
	}
IGNORE(AnnotateIgnoreReadsBegin, AnnotateIgnoreReadsEnd)
IGNORE(AnnotateIgnoreWritesBegin, AnnotateIgnoreWritesEnd)
IGNORE(AnnotateIgnoreSyncBegin, AnnotateIgnoreSyncEnd)

/* Memory that the program reuses. */
VOID(AnnotateNewMemory, (const char *file, int line, void *p, size_t n))
{
	(void)file, (void)line;
	if (run_self)
		shadow_clear((uintptr_t)p, n);
}

/* ---- races that the program knows ---- */

#define BENIGN_MAX 1024

static struct {
	uint32_t lock, count;
	struct {
		uintptr_t address;
		size_t size;
	} at[BENIGN_MAX];
} benign;

static void add_benign(const volatile void *p, size_t n)
{
	if (!run_self)
		return;
	run_lock(&benign.lock);
	if (benign.count < BENIGN_MAX) {
		benign.at[benign.count].address = (uintptr_t)p;
		benign.at[benign.count].size = n;
		__atomic_store_n(&benign.count, benign.count + 1, __ATOMIC_RELEASE);
	}
	run_unlock(&benign.lock);
}

bool is_benign(uintptr_t address, size_t size)
{
	uint32_t n = __atomic_load_n(&benign.count, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < n; i++)
		if (address < benign.at[i].address + benign.at[i].size &&
		    benign.at[i].address < address + size)
			return true;
	return false;
}

/* ---- the rest of the dynamic annotations ---- */

#define DYNAMIC(name, parameters, ...)                 \
	VOID(Annotate##name, parameters)               \
	{                                              \
		(void)file, (void)line, ##__VA_ARGS__; \
	}
#define PARAMETERS(...) (const char *file, int line, ##__VA_ARGS__)
#define OBJECT PARAMETERS(void *object)
#define RANGE PARAMETERS(void *object, long size)
DYNAMIC(BenignRace, PARAMETERS(const volatile void *p, const char *why), (void)why,
	add_benign(p, 1))
DYNAMIC(BenignRaceSized, PARAMETERS(const volatile void *p, long size, const char *why), (void)why,
	add_benign(p, (size_t)size))
DYNAMIC(ExpectRace, PARAMETERS(const volatile void *p, const char *why), (void)why,
	add_benign(p, 1))
DYNAMIC(RWLockCreateStatic, OBJECT, __tsan_mutex_create(object, 0))
DYNAMIC(CondVarSignal, OBJECT, __tsan_release(object))
DYNAMIC(CondVarSignalAll, OBJECT, __tsan_release(object))
DYNAMIC(CondVarWait, PARAMETERS(void *object, const volatile void *lock), (void)lock,
	__tsan_acquire(object))
DYNAMIC(PCQPut, OBJECT, __tsan_release(object))
DYNAMIC(PCQGet, OBJECT, __tsan_acquire(object))
DYNAMIC(BarrierWaitBefore, OBJECT, __tsan_release(object))
DYNAMIC(BarrierWaitAfter, OBJECT, __tsan_acquire(object))
DYNAMIC(PublishMemoryRange, RANGE, (void)size, __tsan_release(object))
DYNAMIC(UnpublishMemoryRange, RANGE, (void)size, __tsan_acquire(object))

VOID(AnnotateEnableRaceDetection, (const char *file, int line, int on))
{
	struct thr *t = run_self;
	(void)file, (void)line;
	if (t && !on)
		t->ignored++;
	else if (t)
		t->ignored -= t->ignored > 0;
}

VOID(AnnotateThreadName, (const char *file, int line, const char *name))
{
	(void)file, (void)line;
	if (run_self)
		thread_name(run_self, name);
}

/* Creation and destruction of annotated objects, and hints to other detectors: nothing to do. */
DYNAMIC(PCQCreate, OBJECT, (void)object)
DYNAMIC(PCQDestroy, OBJECT, (void)object)
DYNAMIC(BarrierInit, PARAMETERS(void *object, long count, long again), (void)object, (void)count,
	(void)again)
DYNAMIC(BarrierDestroy, OBJECT, (void)object)
DYNAMIC(MutexIsUsedAsCondVar, OBJECT, (void)object)
DYNAMIC(MutexIsNotPHB, OBJECT, (void)object)
DYNAMIC(TraceMemory, OBJECT, (void)object)
DYNAMIC(NoOp, OBJECT, (void)object)
DYNAMIC(FlushState, PARAMETERS())
DYNAMIC(FlushExpectedRaces, PARAMETERS())
DYNAMIC(MemoryIsInitialized, RANGE, (void)object, (void)size)
DYNAMIC(MemoryIsUninitialized, RANGE, (void)object, (void)size)

RUN_EXPORT int RunningOnValgrind(void);
RUN_EXPORT int RunningOnValgrind(void)
{
	return 0;
}

/* ---- heddle's own ---- */

#define LOCKING(name, action)             \
	VOID(heddle_##name, (void *lock)) \
	{                                 \
		struct thr *t = run_self; \
		if (t)                    \
			action;           \
	}
LOCKING(lock_create, wrap_init(t, lock, OBJECT_RWLOCK))
LOCKING(lock_destroy, will_destroy(t, lock, STACK))
LOCKING(lock_request, wrap_before_lock(t, lock, OBJECT_RWLOCK, STACK))
LOCKING(lock_request_shared, wrap_before_lock(t, lock, OBJECT_RWLOCK, STACK))
LOCKING(lock_acquired, acquired(t, lock, HOLD_WRITE, STACK))
LOCKING(lock_acquired_shared, acquired(t, lock, HOLD_READ, STACK))
LOCKING(lock_failed, (void)lock)
LOCKING(lock_release, will_release(t, lock, HOLD_WRITE, STACK))
LOCKING(lock_release_shared, will_release(t, lock, HOLD_READ, STACK))
LOCKING(happens_before, wrap_send(t, lock, OBJECT_OTHER, 0))
LOCKING(happens_after, happens_after(t, lock))
