/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From one execution to the next (enum explore_restart).
 *
 *   exec      the process runs one execution and ends; the tool starts another
 *   fork      the process stays where it is before the program's main, and each execution is run
 *             by a child of it
 *   in place  the process puts everything back as it was before main (explore_snapshot.c) and
 *   begins again
 *
 * The tool sets `go` to the number of the execution that it wants, and waits until `done` shows
 * the same number; both are futexes in shared memory.  A child that is killed is told by its
 * parent.
 *
 * In place, the real threads behind the program's threads are kept.  libc's lists of them are
 * part of what is put back, so they must be there before the snapshot: as many as the last
 * process needed.  An execution that needs more of them, or did something that cannot be undone
 * or trusted (memory misuse), is the last one of its process.
 */
#include "rt/donor.h"
#include "rt/explore.h"
#include "rt/explore_snapshot.h"
#include "rt/failure.h"
#include "rt/fiber.h"
#include "rt/heap.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/signals.h"
#include "rt/start.h"
#include "rt/sync.h"
#include "rt/sys.h"
#include "wire/explore.h"

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>

#define CONTROL_STACK 0x10000
#define THREADS_EXPECTED 4

static RT_KEPT uintptr_t control_top;
static RT_KEPT struct {
	uint32_t mxcsr;
	uint16_t x87;
} float_control;

static bool is_wanted(const struct wire_explore *x, uint32_t done)
{
	return __atomic_load_n(&x->go, __ATOMIC_SEQ_CST) != done;
}

static void await_go(struct wire_explore *x)
{
	uint32_t done = x->done;
	if (is_wanted(x, done))
		return;
	g.session->sleep_allowed++;
	__atomic_store_n(&x->program_sleeps, 1, __ATOMIC_SEQ_CST);
	while (!is_wanted(x, done))
		sys4(SYS_futex, &x->go, FUTEX_WAIT, done, 0);
	x->program_sleeps = 0;
	g.session->sleep_allowed--;
}

static void tell_done(struct wire_explore *x)
{
	__atomic_store_n(&x->done, x->go, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&x->tool_sleeps, __ATOMIC_SEQ_CST))
		sys3(SYS_futex, &x->done, FUTEX_WAKE, INT_MAX);
}

/* ---- fork ---- */

void explore_fork(void)
{
	struct wire_explore *x = explore_shared();
	x->process = (uint32_t)sys3(SYS_getpid, 0, 0, 0);
	x->restart_used = x->restart;
	while (x->restart == RESTART_FORK) {
		await_go(x);
		uint32_t number = x->go;
		long self = sys3(SYS_getpid, 0, 0, 0);
		g.internal++;
		pid_t child = REAL_FN(fork)();
		g.internal--;
		if (!child) {
			sys3(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0);
			if (sys3(SYS_getppid, 0, 0, 0) != self)
				rt_end_process(3);
			x->process = (uint32_t)sys3(SYS_getpid, 0, 0, 0);
			return;
		}
		if (child < 0)
			rt_fatal("there are no resources for another process");
		int status = 0;
		g.session->sleep_allowed++;
		while (sys4(SYS_wait4, child, &status, 0, 0) != child)
			continue;
		g.session->sleep_allowed--;
		if (x->done == number) /* and perhaps the next one is wanted already */
			continue;
		x->end = EXPLORE_GONE;
		x->exit_status = (uint32_t)status;
		tell_done(x);
	}
}

/* ---- in place ---- */

void explore_not_in_place(long call)
{
	struct wire_explore *x = explore_shared();
	if (!x->not_in_place)
		x->not_in_place = (uint32_t)call + 1;
}

static RT_STATE bool saw_outside_write;

void explore_saw_outside_write(void)
{
	saw_outside_write = true;
}

/*
 * A fault of the processor comes after an access that nobody saw coming, so memory may be
 * damaged.  What a hook refuses, as an access to freed memory, has not happened: the execution
 * ends before it, and what is reported has been repeated by fork.
 */
static bool may_have_damaged(uint32_t failure)
{
	return failure == FAIL_SIGNAL || failure == FAIL_STACK_OVERFLOW;
}

/* Can another execution begin here?  If not by anything that the program does each time, the tool
 * tries a new process. */
static bool can_go_on(struct wire_explore *x)
{
	if (donor_runs_thread)
		x->keeps_other = KEEPS_BACKEND;
	else if (!heap_can_rewind())
		x->keeps_other = KEEPS_HEAP;
	else if (saw_outside_write && !snapshot_is_whole())
		x->keeps_other = KEEPS_OUTSIDE_WRITES;
	if (x->not_in_place || x->keeps_other)
		return false;
	if (x->end == EXPLORE_UNSUPPORTED ||
	    (x->end == EXPLORE_FAILURE && may_have_damaged(x->failure)))
		return false;
	if (fiber_can_rewind())
		return true;
	if (fiber_slots_used() > x->threads)
		x->threads = fiber_slots_used();
	else
		x->keeps_other = KEEPS_STACKS;
	return false;
}

static void begin_again(void *unused) __attribute__((noreturn));

static void begin_again(void *unused)
{
	(void)unused;
	struct wire_explore *x = explore_shared();
	heap_rewind(fiber_slots_used());
	sync_rewind();
	fiber_rewind();
	snapshot_restore();
	signal_rewind();
	g.session->sleep_allowed = 0;
	__asm__ volatile("ldmxcsr %0; fldcw %1"
			 :
			 : "m"(float_control.mxcsr), "m"(float_control.x87));
	await_go(x);
	rt_run_program();
}

static void prepare_in_place(struct wire_explore *x)
{
	control_top = (uintptr_t)rt_map_kept(CONTROL_STACK) + CONTROL_STACK;
	__asm__("stmxcsr %0; fnstcw %1" : "=m"(float_control.mxcsr), "=m"(float_control.x87));
	if (!x->threads)
		x->threads = THREADS_EXPECTED;
	fiber_pool(x->threads);
	heap_mark();
	rt_mark();
	if (!snapshot_take())
		x->keeps_other = KEEPS_SIZE;
}

void explore_serve(void)
{
	struct wire_explore *x = explore_shared();
	if (x->restart == RESTART_INPLACE)
		prepare_in_place(x);
	if (x->restart != RESTART_FORK)
		await_go(x);
}

void explore_leave(void)
{
	struct wire_explore *x = explore_shared();
	bool goes_on = x->restart == RESTART_INPLACE && can_go_on(x);
	x->process_ends = !goes_on;
	tell_done(x);
	if (!goes_on)
		rt_end_process(0);
	fiber_go_to(begin_again, control_top);
}
