/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of the program: create, join, detach, end, names.  How a thread is left before its start routine returns is
 * in cancel.c, what it owns in thread_local.c.
 */
#include "rt/real.h"
#include "rt/rt.h"

void thread_finish(void *result)
{
	struct thread *self = g.cur;
	self->cancel |= CANCEL_LEAVING;
	thread_run_exit_calls();
	thread_run_key_destructors();
	rt_enter(g.hook_pc);
	rt_point();
	sync_end_thread(g.hook_pc);
	if (rt_threads_live_count == 1)
		exit(0);	/* the last thread: the process ends as if main had returned 0 */
	self->result = result;
	self->end_clock = self->clock;
	ev_sync(EV_END, 0, 0, 0, 0, g.hook_pc);
	self->state = THREAD_ENDED;
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		struct thread *t = rt_threads_live[i];
		if (t->state == THREAD_BLOCKED && t->wait_thread == self)
			sched_wake(t, WAIT_WOKEN);
	}
	if (self->detached)
		fiber_release(self);
	sched_exit_thread();
}

void thread_attend(void)
{
	struct thread *self = g.cur;
	self->needs_attention = false;
	if (self->cancel & CANCEL_ASYNC)
		thread_act_on_cancel(g.hook_pc);
}

void thread_body(void *thread) __attribute__((noreturn));

void thread_body(void *thread)
{
	struct thread *self = thread;
	ev_sync(EV_BEGIN, 0, 0, self->creator->id, 0, (pc_t)self->start + 1);
	if (self->needs_attention)
		thread_attend();
	if (self->is_c11)
		thread_finish((void *)(intptr_t)((thrd_start_t)(void *)self->start)(self->argument));
	thread_finish(self->start(self->argument));
}

RT_EXPORT int pthread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *argument)
{
	if (g.session && g.session->state == STATE_STARTING && !g.internal)
		rt_fatal("a thread is created before main, which heddle cannot control");
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_create)(handle, attr, start, argument);
	struct thread *t = fiber_new(start, argument);
	if (!t)
		return EAGAIN;
	t->creator = g.cur;
	t->clock = g.cur->clock;
	int detach = PTHREAD_CREATE_JOINABLE;
	if (attr)
		real_pthread_attr_getdetachstate(attr, &detach);
	t->detached = detach == PTHREAD_CREATE_DETACHED;
	ev_sync(EV_FORK, 0, 0, t->id, (uint64_t)start, PC);
	*handle = t->handle;
	rt_libc_wrote(handle, sizeof(*handle), PC);
	sched_add(t);
	return 0;
}

RT_EXPORT int pthread_join(pthread_t handle, void **result)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_join)(handle, result);
	struct thread *t = fiber_by_handle(handle);
	if (!t || t->joined)
		return ESRCH;
	if (t->detached)
		return EINVAL;
	if (t == g.cur)
		return EDEADLK;
	t->joined = true;
	if (t->state != THREAD_ENDED)
		ev_sync(EV_JOIN_WAIT, 0, 0, t->id, 0, PC);
	while (t->state != THREAD_ENDED)
		sched_wait(NULL, t, NO_DEADLINE, true);
	clock_join(g.cur, t->end_clock);
	ev_sync(EV_JOIN, 0, 0, t->id, 0, PC);
	if (result) {
		*result = t->result;
		rt_libc_wrote(result, sizeof(*result), PC);
	}
	fiber_release(t);
	return 0;
}

RT_EXPORT int pthread_detach(pthread_t handle)
{
	if (!rt_wrapper(PC))
		return REAL_FN(pthread_detach)(handle);
	struct thread *t = fiber_by_handle(handle);
	if (!t || t->joined)
		return ESRCH;
	if (t->detached)
		return EINVAL;
	t->detached = true;
	ev_sync(EV_DETACH, 0, 0, t->id, 0, PC);
	if (t->state == THREAD_ENDED)
		fiber_release(t);
	return 0;
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
	size_t n = rt_strlen(t->name) + 1;
	if (size < n)
		return ERANGE;
	rt_memcpy(name, t->name, n);
	rt_libc_wrote(name, n, PC);
	return 0;
}
