/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pthread mutexes, modelled: every type, robust ones, timed forms.  Priority protocols and
 * sharing between processes are accepted: with one thread running at a time neither changes what
 * can happen.
 */
#include "rt/explore.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/libc_wrap.h"
#include "rt/locks.h"
#include "rt/sync.h"
#include "wire/explore.h"
#include "wire/wire.h"

/* Bits of the kind in the object, as glibc has them. */
enum { KIND_ROBUST = 16, KIND_INHERIT = 32, KIND_PROTECT = 64, KIND_DESTROYED = -1 };

static enum mutex_type type_of_kind(int kind)
{
	switch (kind & 3) {
	case PTHREAD_MUTEX_RECURSIVE_NP:
		return MUTEX_RECURSIVE;
	case PTHREAD_MUTEX_ERRORCHECK_NP:
		return MUTEX_ERRORCHECK;
	case PTHREAD_MUTEX_ADAPTIVE_NP:
		return MUTEX_ADAPTIVE;
	}
	return MUTEX_NORMAL;
}

static void find_kind(struct sync *s, const pthread_mutex_t *m)
{
	int kind = m->__data.__kind;
	s->type = (uint8_t)type_of_kind(kind);
	s->robust = kind & KIND_ROBUST ? ROBUST_GOOD : ROBUST_NOT;
	/*
	 * A mutex of the kernel (inherited priority) or in its list (robust) knows its owner
	 * whatever its type.
	 */
	s->checks_owner = s->type == MUTEX_ERRORCHECK || s->type == MUTEX_RECURSIVE ||
			  kind & (KIND_ROBUST | KIND_INHERIT);
}

void mutex_made(pthread_mutex_t *m, pc_t pc)
{
	struct sync *s = sync_init((uintptr_t)m, SYNC_MUTEX, type_of_kind(m->__data.__kind), pc);
	find_kind(s, m);
	libc_wrote_if_changed(m, sizeof(*m), pc);
}

struct sync *mutex_of(pthread_mutex_t *m, pc_t pc)
{
	struct sync *s = sync_get((uintptr_t)m, SYNC_MUTEX);
	if (!s->type) {
		find_kind(s, m);
	} else if (s->destroyed && m->__data.__kind != KIND_DESTROYED) {
		/* A static initialiser was assigned to it. */
		mutex_made(m, pc);
		s = sync_get((uintptr_t)m, SYNC_MUTEX);
	}
	sync_check_life(s, pc);
	return s;
}

/* Just acquired: what a robust mutex returns to its new owner. */
static int news_of(struct sync *s)
{
	if (s->robust != ROBUST_ORPHAN)
		return 0;
	s->robust = ROBUST_REPORTED;
	return EOWNERDEAD;
}

static int fail_lost(struct sync *s, pc_t pc)
{
	ev_sync(EV_TRY_FAIL, s->addr, s->mode, 0, 0, pc);
	return ENOTRECOVERABLE;
}

/* Until the lock is taken or the deadline has passed. */
static int wait_for(pthread_mutex_t *m, struct sync *s, const struct until *until, pc_t pc)
{
	uint64_t deadline;
	bool is_valid = wait_deadline(until, &deadline, pc);
	if (s->owner && !is_valid)
		return EINVAL;
	if (!sync_wait_lock(s, deadline, pc))
		return ETIMEDOUT;
	s = mutex_of(m, pc);
	if (s->robust == ROBUST_LOST) {
		/* It was unlocked for good while this thread waited. */
		sync_drop(s, pc);
		return ENOTRECOVERABLE;
	}
	return news_of(s);
}

int mutex_lock(pthread_mutex_t *m, struct until until, pc_t pc)
{
	struct sync *s = mutex_of(m, pc);
	if (s->owner == g.cur) {
		if (s->type == MUTEX_RECURSIVE) {
			sync_take_again(s, pc);
			return 0;
		}
		if (s->type == MUTEX_ERRORCHECK) {
			if (FAULT(ERRORCHECK_MUTEX_RELOCKS))
				return 0;
			return EDEADLK;
		}
		if (!until.when) {
			ev_sync(EV_REQUEST, s->addr, s->mode, 0, 0, pc);
			rt_fail(FAIL_RELOCK, s->addr, 0, pc);
		}
	}
	return s->robust == ROBUST_LOST ? fail_lost(s, pc) : wait_for(m, s, &until, pc);
}

int mutex_trylock(pthread_mutex_t *m, pc_t pc)
{
	struct sync *s = mutex_of(m, pc);
	if (s->owner == g.cur && s->type == MUTEX_RECURSIVE) {
		sync_take_again(s, pc);
		return 0;
	}
	bool is_held = s->owner;
	if (FAULT(TRYLOCK_TAKES_HELD_MUTEX))
		is_held = false;
	if (is_held) {
		/* Those that know their owner ask for it first. */
		bool knows = m->__data.__kind & (KIND_ROBUST | KIND_INHERIT | KIND_PROTECT);
		ev_sync(EV_TRY_FAIL, s->addr, s->mode, 0, 0, pc);
		return knows && s->owner == g.cur && s->type == MUTEX_ERRORCHECK ? EDEADLK : EBUSY;
	}
	if (s->robust == ROBUST_LOST)
		return fail_lost(s, pc);
	explore_succeeds(OPF_TRY);
	sync_take(s, pc);
	return news_of(s);
}

int mutex_unlock(pthread_mutex_t *m, pc_t pc)
{
	struct sync *s = mutex_of(m, pc);
	if (s->owner != g.cur) {
		bool is_refused = s->checks_owner;
		if (FAULT(UNLOCK_IGNORES_OWNER))
			is_refused = false;
		if (is_refused)
			return EPERM;
		if (!s->owner) {
			rt_finding(FAIL_UNLOCK_FREE, s->addr, 0, pc);
			return 0;
		}
		rt_finding(FAIL_UNLOCK_OTHER, s->addr, s->owner->id, pc);
		sync_drop(s, pc);
		return 0;
	}
	if (s->robust == ROBUST_REPORTED && s->depth == 1)
		s->robust = ROBUST_LOST;
	sync_drop_once(s, pc);
	return 0;
}

int mutex_destroy(pthread_mutex_t *m, pc_t pc)
{
	if (!sync_destroy(mutex_of(m, pc), pc))
		return EBUSY;
	/*
	 * libc's mark distinguishes a use of the destroyed object from one that was initialised
	 * anew by assignment.
	 */
	REAL_FN(pthread_mutex_destroy)(m);
	libc_wrote_if_changed(m, sizeof(*m), pc);
	return 0;
}

RT_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	bool controlled = rt_wrapper(PC);
	int rc = REAL_FN(pthread_mutex_init)(m, attr);
	if (controlled && !rc)
		mutex_made(m, PC);
	return rc;
}

RT_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
	return rt_wrapper(PC) ? mutex_destroy(m, PC) : REAL_FN(pthread_mutex_destroy)(m);
}

RT_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	return rt_lock_wrapper(m, PC) ? mutex_lock(m, FOR_EVER, PC)
				      : REAL_FN(pthread_mutex_lock)(m);
}

RT_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	return rt_lock_wrapper(m, PC) ? mutex_trylock(m, PC) : REAL_FN(pthread_mutex_trylock)(m);
}

RT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *when)
{
	if (!rt_lock_wrapper(m, PC))
		return REAL_FN(pthread_mutex_timedlock)(m, when);
	return mutex_lock(m, (struct until){ when, CLOCK_REALTIME }, PC);
}

RT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
				      const struct timespec *when)
{
	if (!rt_lock_wrapper(m, PC))
		return REAL_FN(pthread_mutex_clocklock)(m, clock, when);
	return is_wait_clock(clock) ? mutex_lock(m, (struct until){ when, clock }, PC) : EINVAL;
}

RT_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	return rt_lock_wrapper(m, PC) ? mutex_unlock(m, PC) : REAL_FN(pthread_mutex_unlock)(m);
}

RT_EXPORT int pthread_mutex_consistent(pthread_mutex_t *m)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_mutex_consistent)(m);
	struct sync *s = mutex_of(m, PC);
	if (s->robust != ROBUST_REPORTED)
		return EINVAL;
	s->robust = ROBUST_GOOD;
	ev_sync(EV_CONSISTENT, s->addr, s->mode, 0, 0, PC);
	return 0;
}

/* ---- priority ceilings: a number in the object, which is free in libc's eyes ---- */

RT_EXPORT int pthread_mutex_getprioceiling(const pthread_mutex_t *m, int *ceiling)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_mutex_getprioceiling)(m, ceiling);
	int rc = REAL_FN(pthread_mutex_getprioceiling)(m, ceiling);
	if (!rc)
		rt_libc_wrote(ceiling, sizeof(*ceiling), PC);
	return rc;
}

RT_EXPORT int pthread_mutex_setprioceiling(pthread_mutex_t *m, int ceiling, int *old)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_mutex_setprioceiling)(m, ceiling, old);
	int before, rc = REAL_FN(pthread_mutex_getprioceiling)(m, &before);
	/* It is changed under the lock. */
	if (!rc)
		rc = mutex_lock(m, FOR_EVER, PC);
	if (rc)
		return rc;
	rc = REAL_FN(pthread_mutex_setprioceiling)(m, ceiling, old);
	if (!rc && old)
		rt_libc_wrote(old, sizeof(*old), PC);
	libc_wrote_if_changed(m, sizeof(*m), PC);
	mutex_unlock(m, PC);
	return rc;
}
