/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How hooks and wrappers begin (access.c).
 *
 * Each settles pending writes, then counts the hook, at which the scheduler may let other threads
 * run (rt_point).  After that the running thread keeps the processor until its next hook, unless
 * it waits.
 */
#ifndef HEDDLE_RT_ENTER_H
#define HEDDLE_RT_ENTER_H

#include "rt/buffer.h"
#include "rt/cancel.h"
#include "rt/hot.h"
#include "rt/outside.h"
#include "rt/rt.h"
#include "rt/thread.h"

void rt_settle(void); /* noted writes whose store has happened become events */

static inline void rt_enter(pc_t pc)
{
	g.hook_pc = pc;
	if (g.unsettled)
		rt_settle();
}

void rt_point(void); /* count a hook; perhaps another thread runs first */

/* Before rt_point(): what the step behind it uses. */
static inline void rt_next_is(const volatile void *p, size_t n, bool changes)
{
	if (likely(!g.draws_again))
		return;
	g.cur->step.next_addr = (uintptr_t)p;
	g.cur->step.next_size = n;
	g.cur->step.next_changes = changes;
}

/*
 * For wrappers: false means "call the real function and nothing else".  True: the hook was
 * entered, a scheduling point was passed.  rt_wrapper() is for functions that synchronise
 * threads: earlier stores of the thread are visible to all.
 */
static inline bool rt_local_wrapper(pc_t pc)
{
	if (likely(!g.active) || g.internal)
		return false;
	outside_selector = outside_closed; /* left open by the runtime's own use of libc */
	rt_enter(pc);
	rt_point();
	return true;
}

static inline bool rt_wrapper(pc_t pc)
{
	if (!rt_local_wrapper(pc))
		return false;
	buffer_empty();
	return true;
}

/* The same for calls that use nothing but their lock or semaphore. */
static inline bool rt_lock_wrapper(const volatile void *lock, pc_t pc)
{
	if (likely(!g.active) || g.internal)
		return false;
	rt_next_is(lock, 1, true);
	return rt_wrapper(pc);
}

/* Cancellation points (cancel.h). */
static inline bool thread_finds_cancel(pc_t pc)
{
	return unlikely(g.watches || g.cur->cancel.bits & CANCEL_ASKED) && cancel_look(pc);
}
static inline void thread_act_on_cancel(pc_t pc)
{
	if (thread_finds_cancel(pc))
		thread_leave_cancelled(pc);
}

/* Memory touched by a libc function on behalf of its caller: reads before the call, writes after
 * it. */
void rt_libc_read(const void *p, size_t n, pc_t pc);
void rt_libc_wrote(const void *p, size_t n, pc_t pc);

#endif
