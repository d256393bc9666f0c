/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pthread mutexes (every type) and condition variables, modelled.  The objects' own memory is initialised by libc's
 * functions, so that it looks as the program expects, and is not used otherwise.
 *
 * Misuse that POSIX leaves undefined is a finding; the run goes on as glibc would, unless it would hang.
 */
#include "rt/real.h"
#include "rt/rt.h"

static enum mutex_type type_of_kind(int kind)
{
	switch (kind & 3) {
	case PTHREAD_MUTEX_RECURSIVE_NP: return MUTEX_RECURSIVE;
	case PTHREAD_MUTEX_ERRORCHECK_NP: return MUTEX_ERRORCHECK;
	case PTHREAD_MUTEX_ADAPTIVE_NP: return MUTEX_ADAPTIVE;
	}
	return MUTEX_NORMAL;
}

static struct sync *mutex_of(pthread_mutex_t *m)
{
	struct sync *s = sync_get((uintptr_t)m, SYNC_MUTEX);
	if (!s->type)
		s->type = (uint8_t)type_of_kind(m->__data.__kind);
	return s;
}

/* Use of a destroyed object: told once; then it is as if it were new. */
static void check_life(struct sync *s, pc_t pc)
{
	if (!s->destroyed)
		return;
	rt_finding(FAIL_USE_DESTROYED, s->addr, 0, pc);
	s->destroyed = false;
}

static void again(struct sync *s, pc_t pc)
{
	s->depth++;
	ev_sync(EV_ACQUIRE, s->addr, s->mode, s->depth, 0, pc);
}

static int lock(pthread_mutex_t *m, pc_t pc)
{
	struct sync *s = mutex_of(m);
	check_life(s, pc);
	if (s->owner == g.cur) {
		if (s->type == MUTEX_RECURSIVE) {
			again(s, pc);
			return 0;
		}
		if (s->type == MUTEX_ERRORCHECK)
			return EDEADLK;
		ev_sync(EV_REQUEST, s->addr, s->mode, 0, 0, pc);
		rt_fail(FAIL_RELOCK, s->addr, 0, pc);
	}
	sync_wait_lock(s, NO_DEADLINE, pc);
	return 0;
}

static int unlock(pthread_mutex_t *m, pc_t pc)
{
	struct sync *s = mutex_of(m);
	check_life(s, pc);
	if (s->owner != g.cur) {
		if (s->type == MUTEX_ERRORCHECK || s->type == MUTEX_RECURSIVE)
			return EPERM;
		if (!s->owner) {
			rt_finding(FAIL_UNLOCK_FREE, s->addr, 0, pc);
			return 0;
		}
		rt_finding(FAIL_UNLOCK_OTHER, s->addr, s->owner->id, pc);
		sync_drop(s, pc);
		return 0;
	}
	if (s->depth > 1) {
		s->depth--;
		ev_sync(EV_RELEASE, s->addr, s->mode, s->depth, 0, pc);
		return 0;
	}
	sync_drop(s, pc);
	return 0;
}

RT_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	int rc = REAL_FN(pthread_mutex_init)(m, attr);
	if (!rt_wrapper(PC) || rc)
		return rc;
	struct sync *s = sync_get((uintptr_t)m, SYNC_MUTEX);
	if (s->owner)
		sync_forget((uintptr_t)m, 1, PC);	/* a finding, and a new object */
	s = sync_get((uintptr_t)m, SYNC_MUTEX);
	s->destroyed = false;
	s->type = (uint8_t)type_of_kind(m->__data.__kind);
	ev_sync(EV_SYNC_INIT, s->addr, SYNC_MUTEX, s->type, 0, PC);
	return 0;
}

RT_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_mutex_destroy)(m);
	struct sync *s = mutex_of(m);
	check_life(s, PC);
	if (s->owner) {
		rt_finding(FAIL_DESTROY_HELD, s->addr, s->owner->id, PC);
		return EBUSY;
	}
	if (s->waiting) {
		rt_finding(FAIL_DESTROY_WAITED, s->addr, 0, PC);
		return EBUSY;
	}
	s->destroyed = true;
	ev_sync(EV_SYNC_DESTROY, s->addr, SYNC_MUTEX, 0, 0, PC);
	return 0;
}

RT_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_mutex_lock)(m);
	return lock(m, PC);
}

RT_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_mutex_trylock)(m);
	struct sync *s = mutex_of(m);
	check_life(s, PC);
	if (s->owner == g.cur && s->type == MUTEX_RECURSIVE) {
		again(s, PC);
		return 0;
	}
	if (s->owner) {
		ev_sync(EV_TRY_FAIL, s->addr, s->mode, 0, 0, PC);
		return EBUSY;
	}
	sync_take(s, PC);
	return 0;
}

RT_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_mutex_unlock)(m);
	return unlock(m, PC);
}

/* ---- condition variables ---- */

static struct sync *cond_of(pthread_cond_t *c, pc_t pc)
{
	struct sync *s = sync_get((uintptr_t)c, SYNC_COND);
	if (!s->waiters)
		s->waiters_tail = &s->waiters;
	check_life(s, pc);
	return s;
}

RT_EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
	int rc = REAL_FN(pthread_cond_init)(c, attr);
	if (!rt_wrapper(PC) || rc)
		return rc;
	struct sync *s = sync_get((uintptr_t)c, SYNC_COND);
	s->destroyed = false;
	ev_sync(EV_SYNC_INIT, s->addr, SYNC_COND, 0, 0, PC);
	return 0;
}

RT_EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_cond_destroy)(c);
	struct sync *s = cond_of(c, PC);
	if (s->waiters) {
		rt_finding(FAIL_DESTROY_WAITED, s->addr, 0, PC);
		return EBUSY;
	}
	s->destroyed = true;
	ev_sync(EV_SYNC_DESTROY, s->addr, SYNC_COND, 0, 0, PC);
	return 0;
}

RT_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_cond_wait)(c, m);
	struct thread *self = g.cur;
	struct sync *lock_of = mutex_of(m), *s = cond_of(c, PC);
	if (lock_of->owner != self) {
		rt_finding(FAIL_WAIT_UNLOCKED, lock_of->addr, 0, PC);
		return EPERM;
	}
	uint32_t depth = lock_of->depth;
	self->next_waiter = NULL;
	*s->waiters_tail = self;
	s->waiters_tail = &self->next_waiter;
	ev_sync(EV_WAIT, s->addr, SYNC_COND, lock_of->addr, 0, PC);
	sync_drop(lock_of, PC);
	sched_wait(s, NULL, NO_DEADLINE, true);
	clock_receive((uintptr_t)c);
	ev_sync(EV_WAKE, (uintptr_t)c, SYNC_COND, (uintptr_t)m, 0, PC);
	lock_of = mutex_of(m);
	sync_wait_lock(lock_of, NO_DEADLINE, PC);
	mutex_of(m)->depth = depth;
	return 0;
}

/* Let the waiter at a position of the queue go on. */
static struct thread *release_waiter(struct sync *s, uint32_t position)
{
	struct thread *t = s->waiters;
	while (position--)
		t = t->next_waiter;
	sched_wake(t, WAIT_WOKEN);
	return t;
}

RT_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_cond_signal)(c);
	struct sync *s = cond_of(c, PC);
	uint32_t n = 0;
	for (struct thread *t = s->waiters; t; t = t->next_waiter)
		n++;
	clock_publish(s->addr);
	uint64_t woken = 0;
	if (n) {
		uint32_t which = sched_choose(n, PC);
		woken = release_waiter(s, which)->id + 1ull;
	}
	ev_sync(EV_SIGNAL, s->addr, SYNC_COND, woken, 0, PC);
	return 0;
}

RT_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_cond_broadcast)(c);
	struct sync *s = cond_of(c, PC);
	clock_publish(s->addr);
	uint64_t n = 0;
	while (s->waiters) {
		release_waiter(s, 0);
		n++;
	}
	ev_sync(EV_BROADCAST, s->addr, SYNC_COND, n, 0, PC);
	return 0;
}
