/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for descriptors: the thread receives from the channels of the descriptors that are
 * ready.  For epoll the descriptors of an event are not known; the thread receives from every
 * channel that was ever registered.
 */
#include <errno.h>
#include <poll.h>
#include <sys/select.h>

#include "run/channel.h"
#include "run/descriptor.h"
#include "run/real.h"
#include "run/run.h"

static uint32_t registered[(CHANNELS + 31) / 32];

static int polled(struct thr *t, const struct pollfd *list, nfds_t n, int rc)
{
	int error = errno;
	for (nfds_t i = 0; t && run_state.is_parallel && rc > 0 && i < n; i++)
		if (list[i].revents)
			descriptor_receive(t, list[i].fd);
	errno = error;
	return rc;
}

RUN_EXPORT int poll(struct pollfd *list, nfds_t n, int end)
{
	return polled(run_self, list, n, REAL_FN(poll)(list, n, end));
}

RUN_EXPORT int ppoll(struct pollfd *list, nfds_t n, const struct timespec *end,
		     const sigset_t *mask)
{
	return polled(run_self, list, n, REAL_FN(ppoll)(list, n, end, mask));
}

RUN_EXPORT int __poll_chk(struct pollfd *list, nfds_t n, int end, size_t size)
{
	return polled(run_self, list, n, REAL_FN(__poll_chk)(list, n, end, size));
}

RUN_EXPORT int __ppoll_chk(struct pollfd *list, nfds_t n, const struct timespec *end,
			   const sigset_t *mask, size_t size)
{
	return polled(run_self, list, n, REAL_FN(__ppoll_chk)(list, n, end, mask, size));
}

static int selected(struct thr *t, int n, const fd_set *const sets[3], int rc)
{
	int error = errno;
	for (int fd = 0; t && run_state.is_parallel && rc > 0 && fd < n && fd < FD_SETSIZE; fd++)
		for (unsigned i = 0; i < 3; i++)
			if (sets[i] && FD_ISSET(fd, sets[i]))
				descriptor_receive(t, fd);
	errno = error;
	return rc;
}

RUN_EXPORT int select(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
		      struct timeval *restrict end)
{
	const fd_set *const sets[3] = { in, out, other };
	int rc = REAL_FN(select)(n, in, out, other, end);
	return selected(run_self, n, sets, rc);
}

RUN_EXPORT int pselect(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
		       const struct timespec *restrict end, const sigset_t *restrict mask)
{
	const fd_set *const sets[3] = { in, out, other };
	int rc = REAL_FN(pselect)(n, in, out, other, end, mask);
	return selected(run_self, n, sets, rc);
}

RUN_EXPORT int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
	struct thr *t = run_self;
	if (t) {
		uint32_t channel = channel_of_descriptor(fd);
		__atomic_or_fetch(&registered[channel / 32], 1u << channel % 32, __ATOMIC_SEQ_CST);
		if (descriptor_leads_outside(fd))
			__atomic_or_fetch(&registered[CHANNEL_OUTSIDE / 32],
					  1u << CHANNEL_OUTSIDE % 32, __ATOMIC_SEQ_CST);
		channel_send(t, CHANNEL_EPOLL);
	}
	return REAL_FN(epoll_ctl)(epoll, operation, fd, event);
}

static int happened(struct thr *t, int rc)
{
	int error = errno;
	if (!t || !run_state.is_parallel || rc <= 0)
		return rc;
	channel_receive(t, CHANNEL_EPOLL);
	for (uint32_t i = 0; i < sizeof(registered) / sizeof(*registered); i++) {
		uint32_t bits = __atomic_load_n(&registered[i], __ATOMIC_SEQ_CST);
		for (; bits; bits &= bits - 1)
			channel_receive(t, 32 * i + (uint32_t)__builtin_ctz(bits));
	}
	errno = error;
	return rc;
}

#define EPOLL_BY(name, parameters, arguments)                       \
	RUN_EXPORT int name parameters                              \
	{                                                           \
		return happened(run_self, REAL_FN(name) arguments); \
	}

EPOLL_BY(epoll_wait, (int epoll, struct epoll_event *list, int n, int end), (epoll, list, n, end))
EPOLL_BY(epoll_pwait, (int epoll, struct epoll_event *list, int n, int end, const sigset_t *mask),
	 (epoll, list, n, end, mask))
EPOLL_BY(epoll_pwait2,
	 (int epoll, struct epoll_event *list, int n, const struct timespec *end,
	  const sigset_t *mask),
	 (epoll, list, n, end, mask))
