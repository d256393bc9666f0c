/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Initialisation of static local variables.  The compiler tests the first byte of a guard
 * variable and, while it is zero, asks here; a thread that gets the answer 1 initialises the
 * variable and then releases the guard, or gives it up when an exception leaves the initialiser.
 *
 * A guard is modelled as a lock that the initialising thread holds, as pthread_once is.  That the
 * work is done stands in the first byte, where the library keeps it, so calls before, under and
 * after control agree; it is an atomic variable for the program's own test of it.
 */
#include "rt/clock.h"
#include "rt/cxx.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/failure.h"
#include "rt/hot.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/shadow.h"
#include "rt/sync.h"
#include "wire/wire.h"

static struct sync *lock_of(const uint8_t *guard)
{
	return sync_get((uintptr_t)guard, SYNC_ONCE);
}

RT_EXPORT int __cxa_guard_acquire(uint8_t *guard)
{
	if (!rt_wrapper(PC))
		return REAL_CXX(__cxa_guard_acquire)(guard);
	struct sync *s = lock_of(guard);
	if (s->owner == g.cur)
		rt_fail(FAIL_GUARD_RECURSION, s->addr, 0, PC);
	sync_wait_lock(s, NO_DEADLINE, PC);
	if (!*guard) {
		ev_sync(EV_ONCE_BEGIN, (uintptr_t)guard, SYNC_ONCE, 0, 0, PC);
		return 1;
	}
	sync_drop(lock_of(guard), PC);
	return 0;
}

RT_EXPORT void __cxa_guard_release(uint8_t *guard)
{
	if (!rt_wrapper(PC)) {
		REAL_CXX(__cxa_guard_release)(guard);
		return;
	}
	*guard = 1;
	shadow_snapshot((uintptr_t)guard, 1);
	clock_saw_write((uintptr_t)guard, 1);
	ev_access(EV_WRITE, guard, 1, MODE_RELEASE, EVF_LIBC, PC);
	ev_sync(EV_ONCE_END, (uintptr_t)guard, SYNC_ONCE, 0, 0, PC);
	struct sync *s = lock_of(guard);
	if (s->owner)
		sync_drop(s, PC); /* acquired under control */
}

RT_EXPORT void __cxa_guard_abort(uint8_t *guard)
{
	if (!rt_wrapper(PC)) {
		REAL_CXX(__cxa_guard_abort)(guard);
		return;
	}
	struct sync *s = lock_of(guard);
	if (s->owner)
		sync_drop(s, PC);
}
