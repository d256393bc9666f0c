/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that wait for several descriptors: poll, select, epoll_wait and their relatives.
 *
 * The call is made without a timeout.  If no descriptor is ready, the thread waits in the model
 * (outside_wait.c), with the timeout as its deadline in virtual time, and the call is made again.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "wire/fault.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/outside.h"
#include "rt/probe.h"
#include "rt/sched.h"
#include "rt/sys.h"
#include "rt/thread.h"

#define SECOND 1000000000ull

struct polled {
	struct pollfd *fds;
	uint32_t count;
	uint64_t timeout;		   /* nanoseconds; NO_DEADLINE: none */
	uint64_t sets[3][FD_SETSIZE / 64]; /* of select, as the program gave them */
};

/* 0, or -EFAULT */
static long timeout_of(long at, uint64_t *timeout)
{
	struct timespec t;
	*timeout = NO_DEADLINE;
	if (!at)
		return 0;
	if (!rt_load(&t, (const void *)at, sizeof(t)))
		return -EFAULT;
	*timeout = (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
	return 0;
}

static uint64_t milliseconds(long ms)
{
	return ms < 0 ? NO_DEADLINE : (uint64_t)ms * 1000000;
}

/* The descriptors of a select as a list for poll; 0 or -errno. */
static long take_sets(const struct call *c, struct polled *p)
{
	static const short events[3] = { POLLIN, POLLOUT, POLLPRI };
	size_t words = ((size_t)c->arg[0] + 63) / 64;
	for (int k = 0; k < 3; k++)
		if (c->arg[k + 1] && !rt_load(p->sets[k], (const void *)c->arg[k + 1], words * 8))
			return -EFAULT;
	for (int fd = 0; fd < c->arg[0]; fd++) {
		short wanted = 0;
		for (int k = 0; k < 3; k++)
			if (c->arg[k + 1] && p->sets[k][fd / 64] >> fd % 64 & 1)
				wanted |= events[k];
		if (wanted)
			p->fds[p->count++] = (struct pollfd){ .fd = fd, .events = wanted };
	}
	return 0;
}

/* One look, without waiting. */
static long poll_now(const struct call *c, const struct polled *p)
{
	struct call now = *c;
	struct timespec none = { 0, 0 };
	switch (c->nr) {
	case SYS_poll:
		now.arg[2] = 0;
		break;
	case SYS_ppoll:
		now.arg[2] = (long)&none;
		now.arg[3] = 0;
		break;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		now.nr = SYS_epoll_wait;
		now.arg[3] = 0;
		break;
	case SYS_epoll_pwait2:
		now.arg[3] = (long)&none;
		now.arg[4] = 0;
		break;
	default:
		for (int k = 0; k < 3; k++)
			if (c->arg[k + 1])
				rt_memcpy((void *)c->arg[k + 1], p->sets[k],
					  ((size_t)c->arg[0] + 63) / 64 * 8);
		now.nr = SYS_select;
		now.arg[4] = (long)&none;
		break;
	}
	return call_perform(&now);
}

/* What the call waits for, and how long; 0 or -errno. */
static long take_descriptors(const struct call *c, struct polled *p)
{
	switch (c->nr) {
	case SYS_poll:
	case SYS_ppoll:
		if ((unsigned long)c->arg[1] > POLLFDS)
			return -EINVAL;
		p->count = (uint32_t)c->arg[1];
		if (!rt_load(p->fds, (const void *)c->arg[0], p->count * sizeof(*p->fds)))
			return -EFAULT;
		p->timeout = milliseconds((int)c->arg[2]);
		return c->nr == SYS_ppoll ? timeout_of(c->arg[2], &p->timeout) : 0;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		p->fds[0] = (struct pollfd){ .fd = (int)c->arg[0], .events = POLLIN };
		p->count = 1;
		p->timeout = milliseconds((int)c->arg[3]);
		return c->nr == SYS_epoll_pwait2 ? timeout_of(c->arg[3], &p->timeout) : 0;
	}
	if (c->arg[0] < 0 || c->arg[0] > FD_SETSIZE)
		return -EINVAL;
	long failed = take_sets(c, p);
	if (failed || c->nr == SYS_pselect6)
		return failed ? failed : timeout_of(c->arg[4], &p->timeout);
	struct timeval t;
	p->timeout = NO_DEADLINE;
	if (!c->arg[4])
		return 0;
	if (!rt_load(&t, (const void *)c->arg[4], sizeof(t)))
		return -EFAULT;
	p->timeout = (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_usec * 1000;
	return 0;
}

long outside_perform_polls(struct call *c)
{
	if (!g.cur->io.room)
		g.cur->io.room = rt_map(POLLFDS * sizeof(struct pollfd));
	struct polled p = { .fds = g.cur->io.room };
	long failed = take_descriptors(c, &p);
	if (failed)
		return failed;
	uint64_t deadline = p.timeout == NO_DEADLINE ? NO_DEADLINE : g.cur->time.now + p.timeout;
	bool is_late = !p.timeout;
	for (;;) {
		long r = poll_now(c, &p);
		if (r || is_late)
			return r;
		long end = outside_wait_for(c, p.fds, p.count, deadline);
		if (end < 0)
			return end;
		is_late = end;
	}
}
