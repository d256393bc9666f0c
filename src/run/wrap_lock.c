/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutexes, spin locks and read-write locks.
 *
 * The analysis follows the real object: what is acquired is noted after the real function got it,
 * what is released before the real one lets it go, so that sections of one lock never overlap in
 * our books.
 */
#include <errno.h>

#include "run/real.h"
#include "run/wrap.h"

void wrap_will_lock(struct thr *t, void *lock, enum sync_kind kind, uint32_t stack)
{
	if (!g.options.finds_lock_orders || !t->held_count)
		return;
	struct sync *s = sync_get(t, (uintptr_t)lock, kind);
	if (!s)
		return;
	uint32_t index = sync_index(s);
	sync_put(s);
	lock_order_acquire(t, index, stack);
}

void wrap_locked(struct thr *t, void *lock, enum sync_kind kind, enum lock_mode mode,
		 uint32_t stack)
{
	struct sync *s = sync_get(t, (uintptr_t)lock, kind);
	if (!s)
		return;
	if (g.is_parallel)
		sync_use(t, s, ACT_LOCK, stack);
	lock_acquire(t, s, mode, stack);
	sync_put(s);
}

void wrap_unlock(struct thr *t, void *lock, enum sync_kind kind, uint32_t stack)
{
	struct sync *s = sync_get(t, (uintptr_t)lock, kind);
	if (!s)
		return;
	if (g.is_parallel)
		sync_use(t, s, ACT_UNLOCK, stack);
	lock_release(t, s);
}

void wrap_init(struct thr *t, void *object, enum sync_kind kind, uint32_t stack)
{
	sync_forget((uintptr_t)object, 1);
	struct sync *s = sync_get(t, (uintptr_t)object, kind);
	if (!s)
		return;
	s->made_stack = stack;
	sync_put(s);
	(void)t;
}

void wrap_destroy(struct thr *t, void *object, uint32_t stack)
{
	sync_end(t, (uintptr_t)object, 1, ACT_DESTROY, stack);
}

void wrap_send(struct thr *t, void *object, enum sync_kind kind, uint32_t stack)
{
	struct sync *s = sync_get(t, (uintptr_t)object, kind);
	if (!s)
		return;
	if (stack)
		sync_use(t, s, ACT_USE, stack);
	sync_send(t, s);
	sync_put(s);
}

void wrap_receive(struct thr *t, void *object, enum sync_kind kind, uint32_t stack)
{
	struct sync *s = sync_get(t, (uintptr_t)object, kind);
	if (!s)
		return;
	sync_receive(t, s);
	if (stack)
		sync_use(t, s, ACT_USE, stack);
	sync_put(s);
}

#define GOT(rc) ((rc) == 0 || (rc) == EOWNERDEAD)

/* A function that gets a lock; `arguments` are the parameters' names in parentheses. */
#define LOCK_BY(name, parameters, arguments, kind, mode, is_waiting)     \
	RUN_EXPORT int name parameters                                   \
	{                                                                \
		struct thr *t = run_self;                                \
		if (!t)                                                  \
			return REAL_FN(name) arguments;                  \
		uint32_t stack = STACK;                                  \
		sync_fetch(t, (uintptr_t)lock);                          \
		if (is_waiting)                                          \
			wrap_will_lock(t, (void *)lock, kind, stack);    \
		int rc = REAL_FN(name) arguments;                        \
		if (GOT(rc))                                             \
			wrap_locked(t, (void *)lock, kind, mode, stack); \
		return rc;                                               \
	}

#define UNLOCK_BY(name, type, kind)                                \
	RUN_EXPORT int name(type *lock)                            \
	{                                                          \
		struct thr *t = run_self;                          \
		if (t)                                             \
			wrap_unlock(t, (void *)lock, kind, STACK); \
		return REAL_FN(name)(lock);                        \
	}

INIT_BY(pthread_mutex_init, (pthread_mutex_t * lock, const pthread_mutexattr_t *a), (lock, a), lock,
	SYNC_MUTEX)
DESTROY_BY(pthread_mutex_destroy, pthread_mutex_t)
LOCK_BY(pthread_mutex_lock, (pthread_mutex_t * lock), (lock), SYNC_MUTEX, HOLD_WRITE, true)
LOCK_BY(pthread_mutex_trylock, (pthread_mutex_t * lock), (lock), SYNC_MUTEX, HOLD_WRITE, false)
LOCK_BY(pthread_mutex_timedlock, (pthread_mutex_t * lock, const struct timespec *end), (lock, end),
	SYNC_MUTEX, HOLD_WRITE, false)
LOCK_BY(pthread_mutex_clocklock,
	(pthread_mutex_t * lock, clockid_t clock, const struct timespec *end), (lock, clock, end),
	SYNC_MUTEX, HOLD_WRITE, false)
UNLOCK_BY(pthread_mutex_unlock, pthread_mutex_t, SYNC_MUTEX)

INIT_BY(pthread_spin_init, (pthread_spinlock_t * lock, int shared), (lock, shared), lock, SYNC_SPIN)
DESTROY_BY(pthread_spin_destroy, pthread_spinlock_t)
LOCK_BY(pthread_spin_lock, (pthread_spinlock_t * lock), (lock), SYNC_SPIN, HOLD_WRITE, true)
LOCK_BY(pthread_spin_trylock, (pthread_spinlock_t * lock), (lock), SYNC_SPIN, HOLD_WRITE, false)
UNLOCK_BY(pthread_spin_unlock, pthread_spinlock_t, SYNC_SPIN)

INIT_BY(pthread_rwlock_init, (pthread_rwlock_t * lock, const pthread_rwlockattr_t *a), (lock, a),
	lock, SYNC_RWLOCK)
DESTROY_BY(pthread_rwlock_destroy, pthread_rwlock_t)
LOCK_BY(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock), SYNC_RWLOCK, HOLD_READ, true)
LOCK_BY(pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock), SYNC_RWLOCK, HOLD_READ, false)
LOCK_BY(pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const struct timespec *end),
	(lock, end), SYNC_RWLOCK, HOLD_READ, false)
LOCK_BY(pthread_rwlock_clockrdlock,
	(pthread_rwlock_t * lock, clockid_t clock, const struct timespec *end), (lock, clock, end),
	SYNC_RWLOCK, HOLD_READ, false)
LOCK_BY(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock), SYNC_RWLOCK, HOLD_WRITE, true)
LOCK_BY(pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock), SYNC_RWLOCK, HOLD_WRITE, false)
LOCK_BY(pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const struct timespec *end),
	(lock, end), SYNC_RWLOCK, HOLD_WRITE, false)
LOCK_BY(pthread_rwlock_clockwrlock,
	(pthread_rwlock_t * lock, clockid_t clock, const struct timespec *end), (lock, clock, end),
	SYNC_RWLOCK, HOLD_WRITE, false)
UNLOCK_BY(pthread_rwlock_unlock, pthread_rwlock_t, SYNC_RWLOCK)
