/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One-time initialisation.  The control is a lock that the first caller holds while it runs the
 * routine; callers that come meanwhile wait for it, callers that come later only look.  Whether
 * it is done stands where libc keeps it, so that calls before and after control agree with those
 * under it.
 *
 * A routine that does not come back (an exception, pthread_exit, cancellation) has not been run:
 * the next caller runs it again.  It is called by once_run (once.S), whose frame tells the
 * unwinder to call once_unwind; where there is no unwinder, the code that leaves calls
 * once_abandon.
 */
#include <unwind.h>

#include "rt/buffer.h"
#include "rt/clock.h"
#include "wire/fault.h"
#include "rt/libc_wrap.h"
#include "rt/once.h"
#include "rt/sched.h"
#include "rt/shadow.h"
#include "rt/sync.h"
#include "rt/thread.h"
#include "wire/wire.h"

#define DONE 2 /* glibc's mark in the control itself */

/* A routine that runs; lies in a frame of its thread. */
struct once_frame {
	int *control;
	pc_t pc;
	struct once_frame *outer;
};

/* Calls the routine. */
void once_run(void (*routine)(void));
_Unwind_Reason_Code once_unwind(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
				struct _Unwind_Exception *exception,
				struct _Unwind_Context *context);

static void end_call(struct once_frame *call)
{
	g.cur->once = call->outer;
	sync_drop(sync_get((uintptr_t)call->control, SYNC_ONCE), call->pc);
}

void once_abandon(uintptr_t sp)
{
	while (g.cur->once && (uintptr_t)g.cur->once < sp)
		end_call(g.cur->once);
}

_Unwind_Reason_Code once_unwind(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
				struct _Unwind_Exception *exception,
				struct _Unwind_Context *context)
{
	(void)version, (void)class, (void)exception, (void)context;
	/* The frame of once_run is left, and with it the innermost call. */
	if (actions & _UA_CLEANUP_PHASE && g.active && g.cur->once) {
		rt_enter(g.cur->once->pc);
		end_call(g.cur->once);
	}
	return _URC_CONTINUE_UNWIND;
}

/*
 * Whether the running thread has the control, or it is done.  While exploring, a thread that
 * waited for the end of the routine is like one that called after it: no other thread can observe
 * the earlier request.
 */
static bool take_control(const int *control, uintptr_t addr, pc_t pc)
{
	struct sync *s = sync_wait_free(sync_get(addr, SYNC_ONCE), NO_DEADLINE, pc);
	bool is_done = *control & DONE;
	if (FAULT(ONCE_WAITER_TAKES_CONTROL))
		is_done = false;
	if (g.exploring && is_done)
		return false;
	sync_take(s, pc);
	return true;
}

static void once(int *control, void (*routine)(void), pc_t pc)
{
	uintptr_t addr = (uintptr_t)control;
	if (FAULT(ONCE_DOES_NOT_WAIT) && !(*control & DONE) && sync_get(addr, SYNC_ONCE)->owner)
		return;
	if (!(*control & DONE) && take_control(control, addr, pc)) {
		struct once_frame call = { .control = control, .pc = pc };
		call.outer = g.cur->once;
		g.cur->once = &call;
		if (!(*control & DONE)) {
			ev_sync(EV_ONCE_BEGIN, addr, SYNC_ONCE, 0, 0, pc);
			once_run(routine);
			rt_enter(pc);
			rt_point();
			/* what the routine did is visible to all that find it done */
			buffer_empty();
			*control = DONE;
			shadow_snapshot(addr, sizeof(*control));
			ev_sync(EV_ONCE_END, addr, SYNC_ONCE, 0, 0, pc);
		}
		end_call(&call);
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
