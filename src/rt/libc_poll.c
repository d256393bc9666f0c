/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for several descriptors, and the descriptors that are made to be waited for: epoll,
 * event counters, timers, watches of files.  Which memory they touch; the waiting itself is done
 * by the system calls below (outside.h).
 */
#include "rt/clock.h"
#include "rt/libc_fd.h"
#include "rt/libc_wrap.h"
#include "rt/signals.h"
#include "wire/depend.h"
#include "wire/wire.h"

/* Without a descriptor and with a deadline poll() is a portable form of a sleep, and treated as
 * one. */
static int sleep_ms(int ms, pc_t pc)
{
	return clock_sleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000l }, pc);
}

/* What there is of libc's type. */
#define READS_MASK READS(mask, mask ? SET_BYTES : 0)

/* ---- poll ---- */

static void poll_used(const struct pollfd *fds, nfds_t count, pc_t pc)
{
	if (count > POLLFDS || !rt_can_read(fds, count * sizeof(*fds)))
		return;
	rt_libc_read(fds, count * sizeof(*fds), pc);
	for (nfds_t i = 0; i < count; i++)
		if (fds[i].fd >= 0)
			ev_sync(EV_USE, 0, 0, (uint64_t)fds[i].fd, 0, pc);
}

#define POLLED                                              \
	WROTE(fds, result >= 0 ? count * sizeof(*fds) : 0); \
	CANCEL_IF_INTERRUPTED
WRAP(int, poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout),
     if (!count && timeout >= 0) return sleep_ms(timeout, PC);
     CANCEL_POINT; poll_used(fds, count, PC), POLLED)
WRAP(int, ppoll,
     (struct pollfd * fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask),
     (fds, count, timeout, mask), CANCEL_POINT;
     poll_used(fds, count, PC); READS_OBJECT(timeout); READS_MASK, POLLED)
WRAP(int, __poll_chk, (struct pollfd * fds, nfds_t count, int timeout, size_t room),
     (fds, count, timeout, room), CANCEL_POINT;
     poll_used(fds, count, PC), POLLED)
WRAP(int, __ppoll_chk,
     (struct pollfd * fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
      size_t room),
     (fds, count, timeout, mask, room), CANCEL_POINT;
     poll_used(fds, count, PC); READS_OBJECT(timeout); READS_MASK, POLLED)

/* ---- select ---- */

static size_t set_bytes(int limit)
{
	return limit > 0 ? ((size_t)limit + 63) / 64 * 8 : 0;
}

static void sets_read(int limit, fd_set *const sets[3], pc_t pc)
{
	for (int i = 0; i < 3; i++)
		if (sets[i])
			rt_libc_read(sets[i], set_bytes(limit), pc);
}

static void sets_wrote(int result, int limit, fd_set *const sets[3], pc_t pc)
{
	for (int i = 0; i < 3; i++)
		if (sets[i] && result >= 0)
			rt_libc_wrote(sets[i], set_bytes(limit), pc);
}

#define THREE_SETS                                   \
	fd_set *const sets[3] = { in, out, except }; \
	sets_read(limit, sets, PC)
WRAP(int, select,
     (int limit, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except,
      struct timeval *restrict timeout),
     (limit, in, out, except, timeout), CANCEL_POINT;
     THREE_SETS; READS_OBJECT(timeout), sets_wrote(result, limit, sets, PC);
     if (timeout) WROTE_CHANGES(timeout, sizeof(*timeout)); CANCEL_IF_INTERRUPTED)
WRAP(int, pselect,
     (int limit, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except,
      const struct timespec *restrict timeout, const sigset_t *restrict mask),
     (limit, in, out, except, timeout, mask), CANCEL_POINT;
     THREE_SETS; READS_OBJECT(timeout); READS_MASK, sets_wrote(result, limit, sets, PC);
     CANCEL_IF_INTERRUPTED)

/* ---- epoll ---- */

#define EVENTS_CAME                                                       \
	WROTE(events, result > 0 ? (size_t)result * sizeof(*events) : 0); \
	CANCEL_IF_INTERRUPTED
WRAP(int, epoll_create, (int size), (size), NOTHING, OPENED(result))
WRAP(int, epoll_create1, (int flags), (flags), NOTHING, OPENED(result))
WRAP(int, epoll_ctl, (int epoll, int operation, int fd, struct epoll_event *event),
     (epoll, operation, fd, event), USES(epoll);
     READS_OBJECT(event), NOTHING)
WRAP(int, epoll_wait, (int epoll, struct epoll_event *events, int count, int timeout),
     (epoll, events, count, timeout), CANCEL_POINT;
     USES(epoll), EVENTS_CAME)
WRAP(int, epoll_pwait,
     (int epoll, struct epoll_event *events, int count, int timeout, const sigset_t *mask),
     (epoll, events, count, timeout, mask), CANCEL_POINT;
     USES(epoll); READS_MASK, EVENTS_CAME)
WRAP(int, epoll_pwait2,
     (int epoll, struct epoll_event *events, int count, const struct timespec *timeout,
      const sigset_t *mask),
     (epoll, events, count, timeout, mask), CANCEL_POINT;
     USES(epoll); READS_OBJECT(timeout); READS_MASK, EVENTS_CAME)

/* ---- event counters, timers, watches ---- */

WRAP(int, eventfd, (unsigned count, int flags), (count, flags), NOTHING, OPENED(result))
WRAP(int, eventfd_read, (int fd, eventfd_t *value), (fd, value), CANCEL_POINT; USES(fd);
     ROOM_OBJECT(value), WROTE_OBJECT_IF(!result, value); CANCEL_IF_INTERRUPTED)
WRAP(int, eventfd_write, (int fd, eventfd_t value), (fd, value), CANCEL_POINT;
     USES(fd), CANCEL_IF_INTERRUPTED)
WRAP(int, timerfd_create, (clockid_t clock, int flags), (clock, flags), NOTHING, OPENED(result))
WRAP(int, timerfd_settime,
     (int fd, int flags, const struct itimerspec *value, struct itimerspec *old),
     (fd, flags, value, old), USES(fd);
     READS_OBJECT(value); ROOM_OBJECT(old), WROTE_OBJECT_IF(!result, old))
WRAP(int, timerfd_gettime, (int fd, struct itimerspec *value), (fd, value), USES(fd);
     ROOM_OBJECT(value), WROTE_OBJECT_IF(!result, value))
WRAP(int, inotify_init, (void), (), NOTHING, OPENED(result))
WRAP(int, inotify_init1, (int flags), (flags), NOTHING, OPENED(result))
WRAP(int, inotify_add_watch, (int fd, const char *path, uint32_t mask), (fd, path, mask), USES(fd);
     READS_TEXT(path), NOTHING)
WRAP(int, inotify_rm_watch, (int fd, int watch), (fd, watch), USES(fd), NOTHING)
