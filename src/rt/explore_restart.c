/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From one execution to the next (enum explore_restart).
 *
 *   exec    the process runs one execution and ends; the tool starts another
 *   fork    the process stays where it is before the program's main, and each execution is run by a child of it
 *
 * The tool sets `go` to the number of the execution that it wants, and sleeps until `done` shows the same number; both
 * are futexes in shared memory.  A child that is killed is told by its parent.
 */
#include "rt/explore.h"

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>

#include "rt/real.h"
#include "rt/sys.h"

static void await_go(struct wire_explore *x)
{
	uint32_t done = x->done;
	g.session->sleep_allowed++;
	while (__atomic_load_n(&x->go, __ATOMIC_ACQUIRE) == done)
		sys4(SYS_futex, &x->go, FUTEX_WAIT, done, 0);
	g.session->sleep_allowed--;
}

static void tell_done(struct wire_explore *x)
{
	__atomic_store_n(&x->done, x->go, __ATOMIC_RELEASE);
	sys3(SYS_futex, &x->done, FUTEX_WAKE, INT_MAX);
}

/* Returns in a new child for each execution. */
static void serve_by_fork(struct wire_explore *x)
{
	for (;;) {
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
		if (x->done == number)		/* and perhaps the next one is wanted already */
			continue;
		x->end = EXPLORE_GONE;
		x->exit_status = (uint32_t)status;
		tell_done(x);
	}
}

void explore_not_in_place(long call)
{
	struct wire_explore *x = explore_shared();
	if (!x->not_in_place)
		x->not_in_place = (uint32_t)call + 1;
}

void explore_serve(void)
{
	struct wire_explore *x = explore_shared();
	x->restart_used = x->restart == RESTART_FORK ? RESTART_FORK : RESTART_EXEC;
	x->process = (uint32_t)sys3(SYS_getpid, 0, 0, 0);
	if (x->restart_used == RESTART_FORK)
		serve_by_fork(x);
	else
		await_go(x);
}

void explore_leave(void)
{
	tell_done(explore_shared());
	rt_end_process(0);
}
