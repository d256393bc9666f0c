/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of threads.  The attribute objects are libc's; what they say about the stack and
 * about detaching is honoured, scheduling and affinity are accepted and have no effect, since one
 * thread runs at a time. What a program is told about a thread (pthread_getattr_np) is how it
 * really runs, not what libc knows about its donor.
 */
#include "rt/fiber.h"
#include "rt/libc_wrap.h"
#include "rt/sched.h"
#include "rt/shadow.h"
#include "rt/thread.h"
#include "rt/thread_attr.h"

void thread_stack_wanted(const pthread_attr_t *attr, struct stack_request *out)
{
	*out = (struct stack_request){ .size = THREAD_STACK, .guard = 4096 };
	if (!attr)
		return;
	pthread_attr_t plain;
	size_t usual, size, given;
	void *address;
	g.internal++;
	real_pthread_attr_init(&plain);
	real_pthread_attr_getstacksize(&plain, &usual);
	real_pthread_attr_destroy(&plain);
	real_pthread_attr_getstacksize(attr, &size);
	real_pthread_attr_getguardsize(attr, &out->guard);
	real_pthread_attr_getstack(attr, &address, &given);
	g.internal--;
	/* libc's default size follows a limit of the process; ours is always the same. */
	if (size != usual)
		out->size = size;
	/* libc keeps the upper end; without an address of the program's it is 0. */
	if ((uintptr_t)address + given) {
		out->address = (uintptr_t)address;
		out->size = given;
	}
}

RT_EXPORT int pthread_getattr_np(pthread_t handle, pthread_attr_t *to)
{
	if (!libc_enter(PC))
		return REAL_FN(pthread_getattr_np)(handle, to);
	const struct thread *t = fiber_by_handle(handle);
	if (!t)
		return ESRCH;
	int rc = REAL_FN(pthread_attr_init)(to);
	if (rc)
		return rc;
	real_pthread_attr_setstack(to, (void *)t->stack.low, t->stack.high - t->stack.low);
	real_pthread_attr_setguardsize(to, t->stack.is_own ? 0 : t->stack.guard_size);
	real_pthread_attr_setdetachstate(to, t->detached ? PTHREAD_CREATE_DETACHED
							 : PTHREAD_CREATE_JOINABLE);
	shadow_snapshot((uintptr_t)to, sizeof(*to));
	return 0;
}

/* Virtual time is the only time there is; the number says whose it is, as the kernel would number
 * it. */
RT_EXPORT int pthread_getcpuclockid(pthread_t handle, clockid_t *to)
{
	if (!libc_enter(PC))
		return REAL_FN(pthread_getcpuclockid)(handle, to);
	const struct thread *t = fiber_by_handle(handle);
	if (!t || t->state == THREAD_ENDED)
		return ESRCH;
	*to = (clockid_t)(~(t->id + 1) << 3 | 6);
	rt_libc_wrote(to, sizeof(*to), PC);
	return 0;
}

/* ---- what attribute objects tell ---- */

#define ATTRIBUTE(name, type)                                                                \
	WRAP(int, name, (const pthread_attr_t *from, type *to), (from, to), ROOM_OBJECT(to), \
	     WROTE_OBJECT_IF(!result, to))
ATTRIBUTE(pthread_attr_getdetachstate, int)
ATTRIBUTE(pthread_attr_getguardsize, size_t)
ATTRIBUTE(pthread_attr_getinheritsched, int)
ATTRIBUTE(pthread_attr_getschedparam, struct sched_param)
ATTRIBUTE(pthread_attr_getschedpolicy, int)
ATTRIBUTE(pthread_attr_getscope, int)
ATTRIBUTE(pthread_attr_getsigmask_np, sigset_t)
ATTRIBUTE(pthread_attr_getstacksize, size_t)
WRAP(int, pthread_attr_getstackaddr, (const pthread_attr_t *from, void **to), (from, to),
     ROOM_OBJECT(to), WROTE_OBJECT_IF(!result, to))
WRAP(int, pthread_attr_getstack, (const pthread_attr_t *from, void **address, size_t *size),
     (from, address, size), NOTHING,
     (WROTE_OBJECT_IF(!result, address), WROTE_OBJECT_IF(!result, size)))
WRAP(int, pthread_attr_getaffinity_np, (const pthread_attr_t *from, size_t room, cpu_set_t *to),
     (from, room, to), ROOM(to, room), WROTE(to, result ? 0 : room))

/* Of the donor: accepted, and without effect on who runs. */
WRAP(int, pthread_getschedparam, (pthread_t handle, int *policy, struct sched_param *to),
     (handle, policy, to), NOTHING,
     (WROTE_OBJECT_IF(!result, policy), WROTE_OBJECT_IF(!result, to)))
