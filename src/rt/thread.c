/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of the program: create, join, detach, exit, names, thread-specific data, cleanup handlers.
 *
 * pthread_exit leaves through the handlers that pthread_cleanup_push registered (C without exceptions: jump buffers
 * kept in a list), then through the destructors of thread-specific data, then the fiber is never resumed.
 */
#include "rt/real.h"
#include "rt/rt.h"

#define KEYS 1024

static RT_STATE void (*key_destructors[KEYS])(void *);
static RT_STATE bool key_used[KEYS];

static void run_destructors(void)
{
	for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
		bool any = false;
		for (unsigned k = 0; k < KEYS; k++) {
			if (!key_used[k] || !key_destructors[k])
				continue;
			void *value = real_pthread_getspecific(k);
			if (!value)
				continue;
			any = true;
			real_pthread_setspecific(k, NULL);
			key_destructors[k](value);
		}
		if (!any)
			return;
	}
}

static void finish(void *result) __attribute__((noreturn));

static void finish(void *result)
{
	struct thread *self = g.cur;
	run_destructors();
	rt_enter(g.hook_pc);
	rt_point();
	for (struct sync *s = self->held; s; s = s->next_held)
		rt_finding(FAIL_EXIT_HOLDING, s->addr, 0, g.hook_pc);
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

void thread_body(void *thread) __attribute__((noreturn));

void thread_body(void *thread)
{
	struct thread *self = thread;
	ev_sync(EV_BEGIN, 0, 0, self->creator->id, 0, (pc_t)self->start + 1);
	finish(self->start(self->argument));
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

/* ---- leaving ---- */


static void leave(void *result) __attribute__((noreturn));

/* Through the innermost cleanup handler, which comes back by __pthread_unwind_next, or out of the thread. */
static void leave(void *result)
{
	struct thread *self = g.cur;
	__pthread_unwind_buf_t *handler = self->cleanup;
	self->result = result;
	if (!handler)
		finish(result);
	self->cleanup = handler->__pad[0];
	/* The buffer begins like a jmp_buf and holds all that a jump without signal mask needs. */
	struct __jmp_buf_tag *to = (void *)handler;
	__asm__("" : "+r"(to));
	real_longjmp(to, 1);
	__builtin_unreachable();
}

RT_EXPORT void pthread_exit(void *result)
{
	if (!rt_wrapper(PC))
		REAL_FN(pthread_exit)(result);
	leave(result);
}

RT_EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t *handler)
{
	if (!g.active) {
		REAL_FN(__pthread_register_cancel)(handler);
		return;
	}
	handler->__pad[0] = g.cur->cleanup;
	g.cur->cleanup = handler;
}

RT_EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t *handler)
{
	if (!g.active) {
		REAL_FN(__pthread_unregister_cancel)(handler);
		return;
	}
	g.cur->cleanup = handler->__pad[0];
}

RT_EXPORT void __pthread_unwind_next(__pthread_unwind_buf_t *handler)
{
	if (!g.active)
		REAL_FN(__pthread_unwind_next)(handler);
	leave(g.cur->result);
}

/* ---- thread-specific data and names ---- */

RT_EXPORT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	bool controlled = rt_wrapper(PC);
	/* Under control libc must not call it a second time, when the donor ends. */
	int rc = REAL_FN(pthread_key_create)(key, g.session ? NULL : destructor);
	if (!rc && g.session && *key < KEYS) {
		key_destructors[*key] = destructor;
		key_used[*key] = true;
	}
	if (!rc && controlled)
		rt_libc_wrote(key, sizeof(*key), PC);
	return rc;
}

RT_EXPORT int pthread_key_delete(pthread_key_t key)
{
	rt_wrapper(PC);
	if (key < KEYS)
		key_used[key] = false;
	return REAL_FN(pthread_key_delete)(key);
}

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
