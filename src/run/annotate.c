/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotations of programs: ThreadSanitizer's own interface (sanitizer/tsan_interface.h) and the older dynamic
 * annotations that many libraries know.  A custom lock that is declared is a lock like any, also for
 * predictions.
 */
#include "run/wrap.h"

#define STACK stack_now(t, PC)
#define VOID(name, parameters) RUN_EXPORT void name parameters; RUN_EXPORT void name parameters

/* Flags of __tsan_mutex_... */
#define MUTEX_READ_LOCK (1u << 3)
#define MUTEX_TRY_LOCK (1u << 4)
#define MUTEX_TRY_LOCK_FAILED (1u << 5)

VOID(__tsan_acquire, (void *object))
{
	if (run_self)
		wrap_receive(run_self, object, SYNC_OTHER, 0);
}

VOID(__tsan_release, (void *object))
{
	if (run_self)
		wrap_send(run_self, object, SYNC_OTHER, 0);
}

VOID(__tsan_mutex_create, (void *m, unsigned flags))
{
	struct thr *t = run_self;
	(void)flags;
	if (t)
		wrap_init(t, m, SYNC_RWLOCK, STACK);
}

VOID(__tsan_mutex_destroy, (void *m, unsigned flags))
{
	struct thr *t = run_self;
	(void)flags;
	if (t)
		wrap_destroy(t, m, STACK);
}

/* What a lock does inside is not looked at: between these calls accesses do not count. */
VOID(__tsan_mutex_pre_lock, (void *m, unsigned flags))
{
	struct thr *t = run_self;
	if (!t)
		return;
	if (!(flags & MUTEX_TRY_LOCK))
		wrap_will_lock(t, m, SYNC_RWLOCK, STACK);
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
		wrap_locked(t, m, SYNC_RWLOCK, flags & MUTEX_READ_LOCK ? HOLD_READ : HOLD_WRITE, STACK);
}

RUN_EXPORT int __tsan_mutex_pre_unlock(void *m, unsigned flags);
RUN_EXPORT int __tsan_mutex_pre_unlock(void *m, unsigned flags)
{
	struct thr *t = run_self;
	(void)flags;
	if (t) {
		wrap_unlock(t, m, SYNC_RWLOCK, STACK);
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
		wrap_locked(t, m, SYNC_RWLOCK, is_write ? HOLD_WRITE : HOLD_READ, STACK);
}

VOID(AnnotateRWLockReleased, (const char *file, int line, void *m, long is_write))
{
	struct thr *t = run_self;
	(void)file, (void)line, (void)is_write;
	if (t)
		wrap_unlock(t, m, SYNC_RWLOCK, STACK);
}

#define IGNORE(begin, end)                                            \
	VOID(begin, (const char *file, int line))                     \
	{                                                             \
		(void)file, (void)line;                               \
		if (run_self)                                         \
			run_self->ignored++;                          \
	}                                                             \
	VOID(end, (const char *file, int line))                       \
	{                                                             \
		(void)file, (void)line;                               \
		if (run_self)                                         \
			run_self->ignored -= run_self->ignored > 0;   \
	}
IGNORE(AnnotateIgnoreReadsBegin, AnnotateIgnoreReadsEnd)
IGNORE(AnnotateIgnoreWritesBegin, AnnotateIgnoreWritesEnd)
IGNORE(AnnotateIgnoreSyncBegin, AnnotateIgnoreSyncEnd)

/* Memory that the program uses afresh, and races that it knows. */
VOID(AnnotateNewMemory, (const char *file, int line, void *p, size_t n))
{
	(void)file, (void)line;
	if (run_self)
		shadow_clear((uintptr_t)p, n);
}

VOID(AnnotateBenignRaceSized, (const char *file, int line, void *p, size_t n, const char *why))
{
	(void)file, (void)line, (void)p, (void)n, (void)why;
}
