/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for pipes within the process; see libc_pipe.h.  The wait is a sleep of growing length in virtual
 * time, with a look at the pipe after each.  Since nobody outside has the other end, a wait while no other
 * thread can run, or one that has lasted longer than any sleep of a program, is a deadlock.
 */
#include "rt/libc_pipe.h"

#include <fcntl.h>
#include <poll.h>

#include "rt/sys.h"

#define DESCRIPTORS 4096
#define FIRST_PAUSE 1000ull			/* nanoseconds */
#define LONGEST_PAUSE (1000000000ull * 86400 * 365)

static RT_STATE bool is_own[DESCRIPTORS];

void pipe_made(int fd)
{
	if (fd >= 0 && fd < DESCRIPTORS)
		is_own[fd] = true;
}

void pipe_closed(int fd)
{
	if (fd >= 0 && fd < DESCRIPTORS)
		is_own[fd] = false;
}

void pipe_same(int fd, int as)
{
	pipe_closed(as);
	if (fd >= 0 && fd < DESCRIPTORS && is_own[fd])
		pipe_made(as);
}

static bool is_ready(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };
	return sys3(SYS_poll, &p, 1, 0) != 0;
}

static bool others_can_run(void)
{
	for (uint32_t i = 0; i < rt_threads_live_count; i++) {
		const struct thread *t = rt_threads_live[i];
		if (t != g.cur && (t->state == THREAD_READY || t->wait_is_timed))
			return true;
	}
	return false;
}

void pipe_wait(int fd, short events, pc_t pc)
{
	if (fd < 0 || fd >= DESCRIPTORS || !is_own[fd] || sys3(SYS_fcntl, fd, F_GETFL, 0) & O_NONBLOCK)
		return;
	for (uint64_t pause = FIRST_PAUSE; !is_ready(fd, events); pause *= 2) {
		if (!others_can_run() || pause > LONGEST_PAUSE)
			rt_fail(FAIL_DEADLOCK, 0, 0, pc);
		g.event_flags |= HOT_CLOCK;
		sched_wait(NULL, NULL, g.cur->clock + pause, true);
	}
}
