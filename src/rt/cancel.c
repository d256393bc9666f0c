/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cancellation, and the way out of a thread that pthread_exit and pthread_cancel share.
 *
 * A cancellation is a request that the target carries out itself: deferred at its next
 * cancellation point (the wrappers say where, see rt.h), asynchronous as soon as it goes on.  A
 * thread that waits at such a point is woken.
 *
 * Leaving a thread means unwinding its frames, so that destructors of C++ and cleanup attributes
 * of C run, and calling the handlers that pthread_cleanup_push registered in C (jump buffers kept
 * in a list), both from the innermost frame outwards.  The unwinder asks stop_at() before each
 * frame: if the innermost handler lies in that frame, control jumps to it; the handler comes back
 * by __pthread_unwind_next, and unwinding begins again from there.  A program that was linked
 * without an unwinder has no frames that want to be unwound, and only its handlers are called.
 *
 * To an explorer a request is an operation on an object of its target, HIDDEN_CANCEL of the
 * thread, which it changes; a look for a request, at a cancellation point of a thread that has
 * not disabled cancellation, reads it.  What a thread does there depends on nothing else, so
 * requests between the same two looks are alike, and so are those behind the last look, before
 * and after the end of the thread.  A thread that has to wait at a cancellation point has looked
 * before, so that it waits is a move of its own; it looks again when it goes on, for whatever
 * reason, and then a request comes first.
 *
 * A wait for a condition variable is the exception.  A thread that was signalled returns, lest the
 * signal is lost, and a request takes its target out of the queue at once.  So a request is an
 * operation on the condition variable, too, for which the target has waited since its last look,
 * whether it still waits or not.
 *
 * Most threads are not cancelled, and have many cancellation points.  The search begins again when
 * a thread is cancelled for the first time (wire_divided.cancels); the looks of that thread are
 * operations from then on.
 */
#include <unwind.h>

#include "rt/await.h"
#include "rt/cancel.h"
#include "rt/clock.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/explore.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/fiber.h"
#include "rt/hook_stack.h"
#include "rt/hot.h"
#include "rt/once.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/start.h"
#include "rt/thread.h"
#include "wire/explore.h"
#include "wire/wire.h"

/* Absent unless the program or one of its libraries brings it along. */
extern __typeof__(_Unwind_ForcedUnwind) _Unwind_ForcedUnwind __attribute__((weak));
extern __typeof__(_Unwind_GetCFA) _Unwind_GetCFA __attribute__((weak));

/* Our use of a handler's private words. */
enum { PAD_OUTER, PAD_STACK_POINTER, PAD_CANCEL };

/* ---- leaving ---- */

static uintptr_t stack_pointer_of(const __pthread_unwind_buf_t *handler)
{
	return (uintptr_t)handler->__pad[PAD_STACK_POINTER];
}

/* To the innermost handler, or, without one, to the end of the thread. */
static void go_on(void) __attribute__((noreturn));

static void go_on(void)
{
	struct thread *self = g.cur;
	__pthread_unwind_buf_t *handler = self->cancel.cleanup;
	once_abandon(handler ? stack_pointer_of(handler) : UINTPTR_MAX);
	if (!handler)
		thread_finish(self->result);
	self->cancel.cleanup = handler->__pad[PAD_OUTER];
	/* The buffer begins like a jmp_buf and holds all that a jump without signal mask needs. */
	struct __jmp_buf_tag *to = (void *)handler;
	__asm__("" : "+r"(to));
	real_longjmp(to, 1);
	__builtin_unreachable();
}

static _Unwind_Reason_Code stop_at(int version, _Unwind_Action actions,
				   _Unwind_Exception_Class class,
				   struct _Unwind_Exception *exception,
				   struct _Unwind_Context *context, void *unused)
{
	(void)version, (void)class, (void)exception, (void)unused;
	const __pthread_unwind_buf_t *handler = g.cur->cancel.cleanup;
	/* Frames of the runtime on the hook stack, which lies anywhere if the thread's own stack
	 * is the program's. */
	if (is_on_hook_stack(&g.cur->hook, _Unwind_GetCFA(context)) &&
	    !(actions & _UA_END_OF_STACK) &&
	    !(handler && is_on_hook_stack(&g.cur->hook, stack_pointer_of(handler))))
		return _URC_NO_REASON;
	/* The stack pointer in the frame that is to be unwound next; the handler's is from the
	 * call that registered it. */
	if (actions & _UA_END_OF_STACK ||
	    (handler && _Unwind_GetCFA(context) >= stack_pointer_of(handler)))
		go_on();
	return _URC_NO_REASON;
}

/* A catch block ended without passing on what is no exception. */
static void was_caught(_Unwind_Reason_Code reason, struct _Unwind_Exception *exception)
{
	(void)reason, (void)exception;
	rt_finding(FAIL_EXIT_CAUGHT, 0, 0, g.hook_pc);
	rt_give_up_control();
	real_abort();
}

void thread_leave(void *result)
{
	struct thread *self = g.cur;
	self->result = result;
	self->cancel.bits |= CANCEL_LEAVING;
	if (self->wait.queue)
		sched_leave_queue(self->wait.queue, self);
	/* It may leave through a call into libc (the comparison of a sort), which then never ends.
	 */
	g.no_preempt = 0;
	g.session->sleep_allowed = 0;
	if (_Unwind_ForcedUnwind) {
		struct _Unwind_Exception *exception =
			(void *)(((uintptr_t)self->cancel.unwind_room + 15) & ~15ull);
		*exception = (struct _Unwind_Exception){ .exception_cleanup = was_caught };
		_Unwind_ForcedUnwind(exception, stop_at, NULL);
	}
	go_on();
}

void thread_leave_cancelled(pc_t pc)
{
	ev_sync(EV_CANCELLED, 0, 0, 0, 0, pc);
	thread_leave(PTHREAD_CANCELED);
}

RT_EXPORT void pthread_exit(void *result)
{
	if (!rt_wrapper(PC))
		REAL_FN(pthread_exit)(result);
	thread_leave(result);
}

RT_EXPORT void thrd_exit(int result)
{
	if (!rt_wrapper(PC))
		REAL_FN(thrd_exit)(result);
	thread_leave((void *)(intptr_t)result);
}

/* ---- handlers ---- */

static void add_handler(__pthread_unwind_buf_t *handler, uintptr_t sp)
{
	handler->__pad[PAD_OUTER] = g.cur->cancel.cleanup;
	handler->__pad[PAD_STACK_POINTER] = (void *)sp;
	g.cur->cancel.cleanup = handler;
}

/* The caller's stack pointer once the call has returned: above the saved frame pointer and the
 * return address. */
#define CALLERS_SP ((uintptr_t)__builtin_frame_address(0) + 16)

RT_EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t *handler)
{
	if (!g.active)
		REAL_FN(__pthread_register_cancel)(handler);
	else
		add_handler(handler, CALLERS_SP);
}

RT_EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t *handler)
{
	if (!g.active)
		REAL_FN(__pthread_unregister_cancel)(handler);
	else
		g.cur->cancel.cleanup = handler->__pad[PAD_OUTER];
}

RT_EXPORT void __pthread_unwind_next(__pthread_unwind_buf_t *handler)
{
	if (!g.active)
		REAL_FN(__pthread_unwind_next)(handler);
	rt_enter(PC);
	thread_leave(g.cur->result);
}

/* The forms that also make cancellation deferred while the handler is registered. */
RT_EXPORT void __pthread_register_cancel_defer(__pthread_unwind_buf_t *handler)
{
	if (!g.active) {
		REAL_FN(__pthread_register_cancel_defer)(handler);
		return;
	}
	add_handler(handler, CALLERS_SP);
	handler->__pad[PAD_CANCEL] = (void *)(uintptr_t)(g.cur->cancel.bits & CANCEL_ASYNC);
	g.cur->cancel.bits &= ~(uint32_t)CANCEL_ASYNC;
}

RT_EXPORT void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *handler)
{
	if (!g.active) {
		REAL_FN(__pthread_unregister_cancel_restore)(handler);
		return;
	}
	rt_enter(PC);
	g.cur->cancel.cleanup = handler->__pad[PAD_OUTER];
	g.cur->cancel.bits |= (uint32_t)(uintptr_t)handler->__pad[PAD_CANCEL];
	if (g.cur->cancel.bits & CANCEL_ASYNC)
		thread_act_on_cancel(PC);
}

/* ---- requests ---- */

bool cancel_is_looked_for(const struct thread *t)
{
	return !(t->cancel.bits & (CANCEL_OFF | CANCEL_LEAVING | CANCEL_FOUND)) &&
	       wire_looks_for_cancel(&g.session->divided, t->id);
}

bool cancel_look(pc_t pc)
{
	struct thread *self = g.cur;
	bool is_due = cancel_is_due(&self->cancel);
	if (g.watches && !is_due && !(self->cancel.bits & CANCEL_OFF))
		await_looked_for_cancel(pc);
	if (!cancel_is_looked_for(self))
		return is_due;
	self->cancel.cond = 0;
	self->cancel.bits |= is_due ? CANCEL_FOUND : 0;
	if (g.watches && is_due)
		await_effect();
	if (g.exploring)
		explore_op(EV_HIDDEN, PENDING_OF(self->id), is_due ? PENDING_TAKEN : PENDING_NONE,
			   0, HIDDEN_CANCEL, 0, pc);
	return is_due;
}

/* The same operations before and after the end of the target. */
static void report_request(const struct thread *t, pc_t pc)
{
	if (g.exploring)
		explore_op(EV_CANCEL, t->id, t->id, 0, 0, t->detached ? OPF_DETACHED : 0, pc);
	explore_hidden(PENDING_OF(t->id), HIDDEN_CANCEL, t == g.cur ? PENDING_MASK : PENDING_WAKES,
		       pc);
	if (FAULT(CANCELLED_WAITER_STAYS_QUEUED))
		return;
	if (t->cancel.cond && !(t->cancel.bits & CANCEL_REQUESTED))
		explore_hidden(t->cancel.cond, SYNC_COND, 1, pc);
}

RT_EXPORT int pthread_cancel(pthread_t handle)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_cancel)(handle);
	struct thread *t = fiber_by_handle(handle);
	if (!t) {
		if (g.exploring) /* which thread that was is not known */
			explore_op(EV_CANCEL, UINT64_MAX, 0, 0, 0, 0, PC);
		return ESRCH;
	}
	bool is_over = t->state == THREAD_ENDED || t->cancel.bits & CANCEL_LEAVING;
	report_request(t, PC);
	if (!is_over && !g.exploring)
		ev_sync(EV_CANCEL, 0, 0, t->id, 0, PC);
	if (!is_over)
		clock_publish((uintptr_t)&t->cancel.bits);
	t->cancel.bits |= CANCEL_REQUESTED;
	if (!cancel_is_due(&t->cancel))
		return 0;
	if (t->cancel.bits & CANCEL_ASYNC && t == g.cur)
		thread_leave_cancelled(PC);
	t->needs_attention |= t->cancel.bits & CANCEL_ASYNC;
	if (t->wait.is_cancellable || t->cancel.bits & CANCEL_ASYNC)
		sched_wake(t, WAIT_CANCELLED);
	return 0;
}

RT_EXPORT void pthread_testcancel(void)
{
	if (!rt_wrapper(PC))
		REAL_FN(pthread_testcancel)();
	else
		thread_act_on_cancel(PC);
}

/* Set or clear a bit; what it was goes to *before. */
static int set_cancel_bit(uint32_t bit, bool set, int *before, int if_clear, int if_set, pc_t pc)
{
	struct thread *self = g.cur;
	int was = self->cancel.bits & bit ? if_set : if_clear;
	self->cancel.bits = set ? self->cancel.bits | bit : self->cancel.bits & ~bit;
	if (before) {
		*before = was;
		rt_libc_wrote(before, sizeof(*before), pc);
	}
	if (g.exploring && self->cancel.bits & CANCEL_ASYNC) {
		self->step.flags |= OPF_ASYNCHRONOUS;
		explore_list_step();
	}
	if (self->cancel.bits & CANCEL_ASYNC)
		thread_act_on_cancel(pc);
	return 0;
}

RT_EXPORT int pthread_setcancelstate(int state, int *before)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_setcancelstate)(state, before);
	if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
		return EINVAL;
	return set_cancel_bit(CANCEL_OFF, state == PTHREAD_CANCEL_DISABLE, before,
			      PTHREAD_CANCEL_ENABLE, PTHREAD_CANCEL_DISABLE, PC);
}

RT_EXPORT int pthread_setcanceltype(int type, int *before)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_setcanceltype)(type, before);
	if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
		return EINVAL;
	return set_cancel_bit(CANCEL_ASYNC, type == PTHREAD_CANCEL_ASYNCHRONOUS, before,
			      PTHREAD_CANCEL_DEFERRED, PTHREAD_CANCEL_ASYNCHRONOUS, PC);
}
