/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One-time initialisation.  The control is a lock that the first caller holds while it runs the routine;
 * callers that come meanwhile wait for it, callers that come later only look.  Whether it is done stands
 * where libc keeps it, so that calls before and after control agree with those under it.
 */
#include "rt/libc_wrap.h"

#define DONE 2		/* glibc's mark in the control itself */

static void once(int *control, void (*routine)(void), pc_t pc)
{
	uintptr_t addr = (uintptr_t)control;
	if (!(*control & DONE)) {
		sync_wait_lock(sync_get(addr, SYNC_ONCE), NO_DEADLINE, pc);
		if (!(*control & DONE)) {
			ev_sync(EV_ONCE_BEGIN, addr, SYNC_ONCE, 0, 0, pc);
			routine();
			rt_enter(pc);
			*control = DONE;
			shadow_snapshot(addr, sizeof(*control));
			ev_sync(EV_ONCE_END, addr, SYNC_ONCE, 0, 0, pc);
		}
		sync_drop(sync_get(addr, SYNC_ONCE), pc);
		return;
	}
	clock_receive(addr);
	ev_sync(EV_HIDDEN, addr, SYNC_ONCE, 0, 0, pc);
}

RT_EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void))
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_once)(control, routine);
	once(control, routine, PC);
	return 0;
}

RT_EXPORT void call_once(once_flag *flag, void (*routine)(void))
{
	if (!rt_wrapper(PC))
		REAL_FN(call_once)(flag, routine);
	else
		once((int *)flag, routine, PC);
}
