/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spin locks, modelled: a thread that would spin is blocked, since spinning changes nothing that
 * another thread sees.
 */
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/explore.h"
#include "rt/failure.h"
#include "rt/hot.h"
#include "rt/libc_wrap.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/sync.h"
#include "wire/explore.h"
#include "wire/wire.h"

static struct sync *spin_of(pthread_spinlock_t *l, pc_t pc)
{
	struct sync *s = sync_get((uintptr_t)l, SYNC_SPIN);
	sync_check_life(s, pc);
	return s;
}

RT_EXPORT int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
	bool controlled = rt_wrapper(PC);
	int rc = REAL_FN(pthread_spin_init)(l, shared);
	if (controlled && !rc) {
		sync_init((uintptr_t)l, SYNC_SPIN, 0, PC);
		libc_wrote_if_changed((const void *)l, sizeof(*l), PC);
	}
	return rc;
}

RT_EXPORT int pthread_spin_destroy(pthread_spinlock_t *l)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_spin_destroy)(l);
	sync_destroy(spin_of(l, PC), PC);
	return 0;
}

RT_EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
	if (!rt_lock_wrapper(l, PC))
		return REAL_FN(pthread_spin_lock)(l);
	struct sync *s = spin_of(l, PC);
	if (s->owner == g.cur) {
		ev_sync(EV_REQUEST, s->addr, s->mode, 0, 0, PC);
		rt_fail(FAIL_RELOCK, s->addr, 0, PC);
	}
	sync_wait_lock(s, NO_DEADLINE, PC);
	return 0;
}

RT_EXPORT int pthread_spin_trylock(pthread_spinlock_t *l)
{
	if (!rt_lock_wrapper(l, PC))
		return REAL_FN(pthread_spin_trylock)(l);
	struct sync *s = spin_of(l, PC);
	if (s->owner) {
		ev_sync(EV_TRY_FAIL, s->addr, s->mode, 0, 0, PC);
		return EBUSY;
	}
	explore_succeeds(OPF_TRY);
	sync_take(s, PC);
	return 0;
}

RT_EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
	if (!rt_lock_wrapper(l, PC))
		return REAL_FN(pthread_spin_unlock)(l);
	struct sync *s = spin_of(l, PC);
	if (!s->owner) {
		rt_finding(FAIL_UNLOCK_FREE, s->addr, 0, PC);
		return 0;
	}
	if (s->owner != g.cur)
		rt_finding(FAIL_UNLOCK_OTHER, s->addr, s->owner->id, PC);
	sync_drop(s, PC);
	return 0;
}
