/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutexes, spin locks and read-write locks.
 *
 * An acquire is recorded after the real function has acquired the lock, a release before the real
 * one releases it, so that recorded sections of one lock never overlap.
 */
#include <errno.h>

#include "run/found.h"
#include "run/lock.h"
#include "run/misuse.h"
#include "run/object.h"
#include "run/order.h"
#include "run/real.h"
#include "run/run.h"
#include "run/thr.h"
#include "run/waits.h"
#include "run/wrap.h"

void wrap_before_lock(struct thr *t, void *lock, enum object_kind kind, uint32_t stack)
{
	if (!run_state.options.finds_lock_orders || !t->held_count)
		return;
	struct object *s = object_take(t, (uintptr_t)lock, kind);
	if (!s)
		return;
	uint32_t index = object_index(s);
	object_put(s);
	lock_order_acquire(t, index, stack);
}

void wrap_locked(struct thr *t, void *lock, enum object_kind kind, enum lock_mode mode,
		 uint32_t stack)
{
	struct object *s = object_take(t, (uintptr_t)lock, kind);
	if (!s)
		return;
	if (run_state.is_parallel)
		object_use(t, s, ACT_LOCK, stack);
	lock_acquire(t, s, mode, stack);
	object_put(s);
}

void wrap_unlock(struct thr *t, void *lock, enum object_kind kind, uint32_t stack)
{
	struct object *s = object_take(t, (uintptr_t)lock, kind);
	if (!s)
		return;
	if (run_state.is_parallel)
		object_use(t, s, ACT_UNLOCK, stack);
	lock_release(t, s);
}

void wrap_init(struct thr *t, void *object, enum object_kind kind)
{
	object_remove((uintptr_t)object, 1);
	struct object *s = object_take(t, (uintptr_t)object, kind);
	if (s)
		object_put(s);
}

void wrap_destroy(struct thr *t, void *object, uint32_t stack)
{
	object_destroy(t, (uintptr_t)object, 1, ACT_DESTROY, stack);
}

void wrap_send(struct thr *t, void *object, enum object_kind kind, uint32_t stack)
{
	struct object *s = object_take(t, (uintptr_t)object, kind);
	if (!s)
		return;
	if (stack)
		object_use(t, s, ACT_USE, stack);
	object_send(t, s);
	object_put(s);
}

void wrap_receive(struct thr *t, void *object, enum object_kind kind, uint32_t stack)
{
	struct object *s = object_take(t, (uintptr_t)object, kind);
	if (!s)
		return;
	object_receive(t, s);
	if (stack)
		object_use(t, s, ACT_USE, stack);
	object_put(s);
}

#define GOT(rc) ((rc) == 0 || (rc) == EOWNERDEAD)

/* What the result of a function that acquires a lock says. */
static inline __attribute__((always_inline)) void take_result(struct thr *t, void *lock,
							      enum object_kind kind,
							      enum lock_mode mode, uint32_t stack,
							      int rc)
{
	if (GOT(rc))
		wrap_locked(t, lock, kind, mode, stack);
	else if (rc == EINVAL)
		misuse_invalid(t, lock, kind, stack);
	else if (rc == EDEADLK)
		misuse_relock(t, lock, kind, stack);
}

/* A function that acquires a lock; `arguments` are the parameters' names in parentheses. */
#define LOCK_BY(name, parameters, arguments, kind, mode)             \
	RUN_EXPORT int name parameters                               \
	{                                                            \
		struct thr *t = run_self;                            \
		if (!t)                                              \
			return REAL_FN(name) arguments;              \
		uint32_t stack = STACK;                              \
		object_prefetch(t, (uintptr_t)lock);                 \
		int rc = REAL_FN(name) arguments;                    \
		take_result(t, (void *)lock, kind, mode, stack, rc); \
		return rc;                                           \
	}

/* One that waits: it is tried first, so that only a real wait is noted. */
#define WAIT_BY(name, try, type, kind, mode)                         \
	RUN_EXPORT int name(type *lock)                              \
	{                                                            \
		struct thr *t = run_self;                            \
		if (!t)                                              \
			return REAL_FN(name)(lock);                  \
		uint32_t stack = STACK;                              \
		object_prefetch(t, (uintptr_t)lock);                 \
		wrap_before_lock(t, (void *)lock, kind, stack);      \
		int rc = REAL_FN(try)(lock);                         \
		if (unlikely(!GOT(rc))) {                            \
			misuse_wait(t, (void *)lock, kind, stack);   \
			rc = REAL_FN(name)(lock);                    \
			wait_end(t);                                 \
		}                                                    \
		take_result(t, (void *)lock, kind, mode, stack, rc); \
		return rc;                                           \
	}

#define UNLOCK_BY(name, type, kind)                                  \
	RUN_EXPORT int name(type *lock)                              \
	{                                                            \
		struct thr *t = run_self;                            \
		if (t) {                                             \
			uint32_t stack = STACK;                      \
			misuse_unlock(t, (void *)lock, kind, stack); \
			wrap_unlock(t, (void *)lock, kind, stack);   \
		}                                                    \
		return REAL_FN(name)(lock);                          \
	}

#define DESTROY_LOCK_BY(name, type, kind)                             \
	RUN_EXPORT int name(type *lock)                               \
	{                                                             \
		struct thr *t = run_self;                             \
		if (t) {                                              \
			uint32_t stack = STACK;                       \
			misuse_destroy(t, (void *)lock, kind, stack); \
			wrap_destroy(t, (void *)lock, stack);         \
		}                                                     \
		return REAL_FN(name)(lock);                           \
	}

INIT_BY(pthread_mutex_init, (pthread_mutex_t * lock, const pthread_mutexattr_t *a), (lock, a), lock,
	OBJECT_MUTEX)
DESTROY_LOCK_BY(pthread_mutex_destroy, pthread_mutex_t, OBJECT_MUTEX)
WAIT_BY(pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_t, OBJECT_MUTEX, HOLD_WRITE)
LOCK_BY(pthread_mutex_trylock, (pthread_mutex_t * lock), (lock), OBJECT_MUTEX, HOLD_WRITE)
LOCK_BY(pthread_mutex_timedlock, (pthread_mutex_t * lock, const struct timespec *end), (lock, end),
	OBJECT_MUTEX, HOLD_WRITE)
LOCK_BY(pthread_mutex_clocklock,
	(pthread_mutex_t * lock, clockid_t clock, const struct timespec *end), (lock, clock, end),
	OBJECT_MUTEX, HOLD_WRITE)
UNLOCK_BY(pthread_mutex_unlock, pthread_mutex_t, OBJECT_MUTEX)

INIT_BY(pthread_spin_init, (pthread_spinlock_t * lock, int shared), (lock, shared), lock,
	OBJECT_SPIN)
DESTROY_LOCK_BY(pthread_spin_destroy, pthread_spinlock_t, OBJECT_SPIN)
WAIT_BY(pthread_spin_lock, pthread_spin_trylock, pthread_spinlock_t, OBJECT_SPIN, HOLD_WRITE)
LOCK_BY(pthread_spin_trylock, (pthread_spinlock_t * lock), (lock), OBJECT_SPIN, HOLD_WRITE)
UNLOCK_BY(pthread_spin_unlock, pthread_spinlock_t, OBJECT_SPIN)

INIT_BY(pthread_rwlock_init, (pthread_rwlock_t * lock, const pthread_rwlockattr_t *a), (lock, a),
	lock, OBJECT_RWLOCK)
DESTROY_LOCK_BY(pthread_rwlock_destroy, pthread_rwlock_t, OBJECT_RWLOCK)
WAIT_BY(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t, OBJECT_RWLOCK, HOLD_READ)
LOCK_BY(pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock), OBJECT_RWLOCK, HOLD_READ)
LOCK_BY(pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const struct timespec *end),
	(lock, end), OBJECT_RWLOCK, HOLD_READ)
LOCK_BY(pthread_rwlock_clockrdlock,
	(pthread_rwlock_t * lock, clockid_t clock, const struct timespec *end), (lock, clock, end),
	OBJECT_RWLOCK, HOLD_READ)
WAIT_BY(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_t, OBJECT_RWLOCK,
	HOLD_WRITE)
LOCK_BY(pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock), OBJECT_RWLOCK, HOLD_WRITE)
LOCK_BY(pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const struct timespec *end),
	(lock, end), OBJECT_RWLOCK, HOLD_WRITE)
LOCK_BY(pthread_rwlock_clockwrlock,
	(pthread_rwlock_t * lock, clockid_t clock, const struct timespec *end), (lock, clock, end),
	OBJECT_RWLOCK, HOLD_WRITE)
UNLOCK_BY(pthread_rwlock_unlock, pthread_rwlock_t, OBJECT_RWLOCK)
