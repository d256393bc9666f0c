/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of the program: create, join, detach, end, names.  How a thread is left before its
 * start routine returns is in cancel.c, what it owns in thread_local.c.
 */
#include <sys/prctl.h>

#include "rt/buffer.h"
#include "rt/cancel.h"
#include "rt/clock.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/explore.h"
#include "wire/fault.h"
#include "rt/fiber.h"
#include "rt/hot.h"
#include "rt/left_frame.h"
#include "rt/mem.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/signal_outside.h"
#include "rt/signals.h"
#include "rt/sync.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "rt/thread_attr.h"
#include "rt/thread_local.h"
#include "rt/timer.h"
#include "wire/explore.h"
#include "wire/path.h"
#include "wire/wire.h"

/* No other thread has run since it was determined that the process continues: now the thread has
 * ended for the others. */
static void end_thread(void *thread)
{
	struct thread *self = thread;
	if (g.exploring)
		left_frame_leave(self->stack.high, self->stack.high, g.hook_pc);
	ev_sync(EV_END, 0, 0, path_folded(g.path), 0, g.hook_pc);
	self->state = THREAD_ENDED;
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		if (t->state == THREAD_BLOCKED && t->wait.thread == self)
			sched_wake(t, WAIT_WOKEN);
	}
	if (self->detached)
		fiber_release(self);
	sched_exit_thread();
}

uint32_t thread_count_live(void)
{
	return rt_threads_live_count - timer_has_thread() - outside_signal_has_thread();
}

void thread_finish(void *result)
{
	struct thread *self = g.cur;
	self->cancel.bits |= CANCEL_LEAVING;
	thread_run_exit_calls();
	thread_run_key_destructors();
	rt_enter(g.hook_pc);
	rt_point();
	if (!FAULT(THREAD_END_KEEPS_BUFFER))
		buffer_empty();
	sync_end_thread(g.hook_pc);
	/* Which thread is the last one depends on the order of their ends, once main is among
	 * those that have ended or are about to. */
	static RT_STATE bool main_has_ended;
	main_has_ended |= !self->id;
	bool is_last = thread_count_live() == 1;
	explore_hidden(0, HIDDEN_ENDS, is_last ? ENDS_LAST : main_has_ended, g.hook_pc);
	if (is_last)
		exit(0); /* the last thread: the process ends as if main had returned 0 */
	self->result = result;
	self->time.end = self->time.now;
	if (self->stack.is_own)
		fiber_leave_stack(end_thread);
	end_thread(self);
	__builtin_unreachable();
}

void thread_attend(void)
{
	struct thread *self = g.cur;
	self->needs_attention = false;
	clock_receive((uintptr_t)&self->signals.queue);
	signal_deliver();
	if (self->cancel.bits & CANCEL_ASYNC)
		thread_act_on_cancel(g.hook_pc);
}

void thread_body(void *thread) __attribute__((noreturn));

void thread_body(void *thread)
{
	struct thread *self = thread;
	ev_sync(EV_BEGIN, 0, 0, self->creator->id, 0, (pc_t)self->start + 1);
	sched_attend();
	if (self->is_c11)
		thread_finish(
			(void *)(intptr_t)((thrd_start_t)(void *)self->start)(self->argument));
	thread_finish(self->start(self->argument));
}

/* ---- create ---- */

/* NULL: there is no room for another one. */
static struct thread *new_thread(const pthread_attr_t *attr, void *(*start)(void *), void *argument)
{
	struct stack_request stack;
	thread_stack_wanted(attr, &stack);
	struct thread *t = fiber_new(start, argument, &stack);
	if (!t)
		return NULL;
	t->creator = g.cur;
	t->time.now = g.cur->time.now;
	t->signals.mask = g.cur->signals.mask;
	rt_memcpy(t->name, g.cur->name, sizeof(t->name));
	return t;
}

struct thread *thread_make(void *(*start)(void *), void *argument, pc_t pc)
{
	struct thread *t = new_thread(NULL, start, argument);
	if (!t)
		rt_fatal("too many threads for one more that timers or signals need");
	t->detached = true;
	ev_sync(EV_FORK, 0, 0, t->id, (uint64_t)start, pc);
	sched_add(t);
	return t;
}

static int create_thread(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *),
			 void *argument, bool is_c11, pc_t pc)
{
	if (g.exploring)
		left_frame_gave((uintptr_t)argument);
	explore_before_thread();
	struct thread *t = new_thread(attr, start, argument);
	if (!t)
		return EAGAIN;
	t->is_c11 = is_c11;
	int detach = PTHREAD_CREATE_JOINABLE;
	if (attr)
		real_pthread_attr_getdetachstate(attr, &detach);
	t->detached = detach == PTHREAD_CREATE_DETACHED;
	ev_sync(EV_FORK, 0, 0, t->id, (uint64_t)start, pc);
	*handle = t->handle;
	rt_libc_wrote(handle, sizeof(*handle), pc);
	sched_add(t);
	return 0;
}

static void refuse_before_main(void)
{
	if (g.session && g.session->state == STATE_STARTING && !g.internal)
		rt_fatal("a thread is created before main, which heddle cannot control");
}

RT_EXPORT int pthread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *),
			     void *argument)
{
	refuse_before_main();
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_create)(handle, attr, start, argument);
	return create_thread(handle, attr, start, argument, false, PC);
}

RT_EXPORT int thrd_create(thrd_t *handle, thrd_start_t start, void *argument)
{
	refuse_before_main();
	if (!rt_wrapper(PC))
		return REAL_FN(thrd_create)(handle, start, argument);
	return create_thread(handle, NULL, (void *(*)(void *))(void *)start, argument, true, PC)
		       ? thrd_nomem
		       : thrd_success;
}

/* ---- join and detach ---- */

/* The thread that may be joined now, or the reason why not. */
static int to_join(pthread_t handle, struct thread **out)
{
	struct thread *t = *out = fiber_by_handle(handle);
	if (!t)
		return ESRCH;
	if (t->detached || t->joiner)
		return EINVAL;
	/* longer cycles are left to be found: libc sees only some of them */
	if (t == g.cur)
		return EDEADLK;
	return 0;
}

static void finish_join(struct thread *t, pc_t pc)
{
	clock_join(&g.cur->time, t->time.end);
	ev_sync(EV_JOIN, 0, 0, t->id, 0, pc);
	fiber_release(t);
}

/* ETIMEDOUT: the deadline passed first. */
static int wait_for_end(struct thread *t, uint64_t deadline, pc_t pc)
{
	if (t->state != THREAD_ENDED)
		ev_sync(EV_JOIN_WAIT, 0, 0, t->id, 0, pc);
	t->joiner = g.cur;
	while (t->state != THREAD_ENDED) {
		if (FAULT(JOIN_DOES_NOT_WAIT))
			break;
		if (deadline == NO_DEADLINE)
			sync_check_cycle(NULL, t, false, pc);
		enum wait_end end = sched_wait(NULL, t, deadline, true);
		if (end != WAIT_CANCELLED &&
		    (t->state == THREAD_ENDED || end == WAIT_WOKEN || end == WAIT_INTERRUPTED))
			continue;
		/* After a cancellation or a timeout another thread may join it. */
		t->joiner = NULL;
		thread_act_on_cancel(pc);
		return ETIMEDOUT;
	}
	explore_succeeds_before(deadline);
	finish_join(t, pc);
	return 0;
}

static void report_result(const struct thread *t, void **result, pc_t pc)
{
	if (!result)
		return;
	*result = t->result;
	rt_libc_wrote(result, sizeof(*result), pc);
}

int thread_join(pthread_t handle, void **result, pc_t pc)
{
	struct thread *t;
	thread_act_on_cancel(pc);
	int rc = to_join(handle, &t);
	if (!rc)
		rc = wait_for_end(t, NO_DEADLINE, pc);
	if (!rc)
		report_result(t, result, pc);
	return rc;
}

RT_EXPORT int pthread_join(pthread_t handle, void **result)
{
	return rt_wrapper(PC) ? thread_join(handle, result, PC)
			      : REAL_FN(pthread_join)(handle, result);
}

RT_EXPORT int pthread_tryjoin_np(pthread_t handle, void **result)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_tryjoin_np)(handle, result);
	struct thread *t = fiber_by_handle(handle);
	if (t && t->state != THREAD_ENDED) {
		explore_failed_join(t, PC);
		return EBUSY;
	}
	int rc = to_join(handle, &t);
	if (rc)
		return rc;
	explore_succeeds(OPF_TRY);
	finish_join(t, PC);
	report_result(t, result, PC);
	return 0;
}

static int timed_join(pthread_t handle, void **result, clockid_t clock, const struct timespec *when,
		      pc_t pc)
{
	struct thread *t;
	thread_act_on_cancel(pc);
	int rc = to_join(handle, &t);
	if (rc)
		return rc;
	uint64_t deadline = NO_DEADLINE;
	if (when) {
		rt_libc_read(when, sizeof(*when), pc);
		if (!clock_deadline(clock, when, &deadline) && t->state != THREAD_ENDED)
			return EINVAL;
	}
	rc = wait_for_end(t, deadline, pc);
	if (!rc)
		report_result(t, result, pc);
	return rc;
}

RT_EXPORT int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *when)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_timedjoin_np)(handle, result, when);
	return timed_join(handle, result, CLOCK_REALTIME, when, PC);
}

RT_EXPORT int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock,
				   const struct timespec *when)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_clockjoin_np)(handle, result, clock, when);
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	return timed_join(handle, result, clock, when, PC);
}

RT_EXPORT int thrd_join(thrd_t handle, int *result)
{
	if (!rt_wrapper(PC))
		return REAL_FN(thrd_join)(handle, result);
	struct thread *t;
	thread_act_on_cancel(PC);
	if (to_join(handle, &t) || wait_for_end(t, NO_DEADLINE, PC))
		return thrd_error;
	if (result) {
		*result = (int)(intptr_t)t->result;
		rt_libc_wrote(result, sizeof(*result), PC);
	}
	return thrd_success;
}

int thread_detach(pthread_t handle, pc_t pc)
{
	struct thread *t = fiber_by_handle(handle);
	if (!t)
		return ESRCH;
	if (t->detached)
		return EINVAL;
	if (t->joiner)
		return 0; /* the thread that joins it releases it */
	t->detached = true;
	ev_sync(EV_DETACH, 0, 0, t->id, 0, pc);
	if (t->state == THREAD_ENDED)
		fiber_release(t);
	return 0;
}

RT_EXPORT int pthread_detach(pthread_t handle)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_detach)(handle);
	return thread_detach(handle, PC);
}

RT_EXPORT int thrd_detach(thrd_t handle)
{
	if (!rt_wrapper(PC))
		return REAL_FN(thrd_detach)(handle);
	return thread_detach(handle, PC) ? thrd_error : thrd_success;
}

/* ---- names ---- */

RT_EXPORT int pthread_setname_np(pthread_t handle, const char *name)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_setname_np)(handle, name);
	struct thread *t = fiber_by_handle(handle);
	size_t n = rt_strlen(name);
	if (!t)
		return ESRCH;
	if (n >= sizeof(t->name))
		return ERANGE;
	rt_libc_read(name, n + 1, PC);
	rt_memcpy(t->name, name, n + 1);
	ev_text(EV_THREAD_NAME, 0, t->id, 0, name, PC);
	return 0;
}

RT_EXPORT int pthread_getname_np(pthread_t handle, char *name, size_t size)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_getname_np)(handle, name, size);
	struct thread *t = fiber_by_handle(handle);
	if (!t)
		return ESRCH;
	/* A thread has the name of its creator until it gets one, the first that of the program. */
	if (!t->name[0])
		sys3(SYS_prctl, PR_GET_NAME, t->name, 0);
	size_t n = rt_strlen(t->name) + 1;
	if (size < n)
		return ERANGE;
	rt_memcpy(name, t->name, n);
	rt_libc_wrote(name, n, PC);
	return 0;
}
