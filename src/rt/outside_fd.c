/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program's descriptors are: which lead to standard output or error, which have their
 * other end in this process.  The table follows the results of calls, so it is the same in a
 * replay, where descriptors are only numbers.
 *
 * Whether another process can make a descriptor ready decides between two kinds of standstill:
 * waiting for input, and a deadlock.  In doubt it is outside.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "rt/mem.h"
#include "rt/outside.h"
#include "rt/rt.h"
#include "rt/sys.h"

#define DESCRIPTORS 4096
#define WATCHES 4096

enum descriptor_kind { FD_OUTSIDE, FD_INSIDE, FD_SOCKET, FD_EPOLL, FD_TIMER };

struct program_fd {
	uint8_t kind;
	uint8_t outlet;
	bool is_random;
	int timer;
	/* Where what is written to it goes, and where what is read from it comes from: numbers
	 * that both ends have; 0: not known. */
	uint32_t puts_to, takes_from;
};

struct watch {
	int epoll, fd; /* epoll -1: unused */
};

static RT_KEPT struct program_fd table[DESCRIPTORS];
static RT_KEPT struct watch watches[WATCHES];
static RT_STATE uint32_t watch_count;
static RT_STATE bool is_shared; /* another process may have our ends too */
static RT_STATE bool has_children;
static RT_STATE pid_t told_pid;
static RT_STATE uint32_t channels; /* so many have been made */

static struct program_fd *at(int fd)
{
	return fd >= 0 && fd < DESCRIPTORS ? &table[fd] : NULL;
}

void descriptors_init(void)
{
	table[1].outlet = 1;
	table[2].outlet = 2;
}

int descriptor_outlet(int fd)
{
	const struct program_fd *d = at(fd);
	return d ? d->outlet : 0;
}

uint32_t outside_channel(int fd, bool is_to_put)
{
	const struct program_fd *d = at(fd);
	return !d ? 0 : is_to_put ? d->puts_to : d->takes_from;
}

int descriptor_timer(int fd)
{
	const struct program_fd *d = at(fd);
	return d && d->kind == FD_TIMER ? d->timer : -1;
}

int descriptor_of_timer(int timer)
{
	for (int fd = 0; fd < DESCRIPTORS; fd++)
		if (table[fd].kind == FD_TIMER && table[fd].timer == timer)
			return fd;
	return -1;
}

bool descriptor_is_random(int fd)
{
	const struct program_fd *d = at(fd);
	return d && d->is_random;
}

bool descriptor_is_epoll(int fd)
{
	const struct program_fd *d = at(fd);
	return d && d->kind == FD_EPOLL;
}

pid_t descriptors_seen_pid(void)
{
	return told_pid;
}

bool descriptors_have_children(void)
{
	return has_children;
}

/* ---- following calls ---- */

static void forget_watches(int fd)
{
	for (uint32_t i = 0; i < watch_count; i++)
		if (watches[i].epoll == fd || watches[i].fd == fd)
			watches[i].epoll = -1;
}

static void set_kind(int fd, enum descriptor_kind kind)
{
	struct program_fd *d = at(fd);
	if (!d)
		return;
	if (d->kind == FD_EPOLL || watch_count)
		forget_watches(fd);
	*d = (struct program_fd){ .kind = (uint8_t)kind };
}

static void copy(int from, int to)
{
	const struct program_fd *d = at(from);
	if (from == to)
		return;
	set_kind(to, FD_OUTSIDE);
	if (d && at(to))
		*at(to) = *d;
}

static void set_channels(int fd, uint32_t puts_to, uint32_t takes_from)
{
	struct program_fd *d = at(fd);
	if (!d)
		return;
	d->puts_to = puts_to;
	d->takes_from = takes_from;
}

static void set_pair(const int *pair, enum descriptor_kind kind)
{
	set_kind(pair[0], kind);
	set_kind(pair[1], kind);
	set_channels(pair[0], channels + 1, channels + 2);
	set_channels(pair[1], channels + 2, channels + 1);
	channels += 2;
}

/* Names under which a program may open what it has as standard output. */
static int outlet_of_path(const char *path)
{
	static const char *const names[] = { "/dev/stdout",    "/dev/fd/1",   "/proc/self/fd/1",
					     "/dev/tty",       "/dev/stderr", "/dev/fd/2",
					     "/proc/self/fd/2" };
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (rt_streq(path, names[i]))
			return i < 4 ? table[1].outlet : table[2].outlet;
	return 0;
}

static bool is_random_device(const char *path)
{
	return rt_streq(path, "/dev/urandom") || rt_streq(path, "/dev/random");
}

static void opened(int fd, const char *path)
{
	int outlet = outlet_of_path(path);
	set_kind(fd, FD_OUTSIDE);
	if (!at(fd))
		return;
	at(fd)->outlet = (uint8_t)outlet;
	at(fd)->is_random = is_random_device(path);
}

static void watch(int epoll, int operation, int fd)
{
	uint32_t free_at = watch_count;
	for (uint32_t i = 0; i < watch_count; i++) {
		if (watches[i].epoll == epoll && watches[i].fd == fd && operation == EPOLL_CTL_DEL)
			watches[i].epoll = -1;
		if (watches[i].epoll < 0)
			free_at = i;
	}
	if (operation != EPOLL_CTL_ADD || free_at == WATCHES)
		return;
	watches[free_at] = (struct watch){ epoll, fd };
	watch_count += free_at == watch_count;
}

static void closed_range(unsigned first, unsigned last, unsigned flags)
{
	for (unsigned fd = first; !(flags & 4 /* only on exec */) && fd <= last && fd < DESCRIPTORS;
	     fd++)
		set_kind((int)fd, FD_OUTSIDE);
}

void descriptors_follow(const struct call *c)
{
	int result = (int)c->result;
	if (c->nr == SYS_close) /* gone even if the close failed */
		set_kind((int)c->arg[0], FD_OUTSIDE);
	if (c->result < 0)
		return;
	switch (c->nr) {
	case SYS_open:
	case SYS_creat:
		opened(result, (const char *)c->arg[0]);
		break;
	case SYS_openat:
	case SYS_openat2:
		opened(result, (const char *)c->arg[1]);
		break;
	case SYS_dup:
	case SYS_dup2:
	case SYS_dup3:
		copy((int)c->arg[0], result);
		break;
	case SYS_fcntl:
		if (c->arg[1] == F_DUPFD || c->arg[1] == F_DUPFD_CLOEXEC)
			copy((int)c->arg[0], result);
		break;
	case SYS_pipe:
	case SYS_pipe2:
		set_pair((const int *)c->arg[0], FD_INSIDE);
		break;
	case SYS_socketpair:
		set_pair((const int *)c->arg[3], FD_INSIDE);
		break;
	case SYS_eventfd:
	case SYS_eventfd2:
		set_kind(result, FD_INSIDE);
		channels++;
		set_channels(result, channels, channels);
		break;
	case SYS_socket:
	case SYS_accept:
	case SYS_accept4:
		set_kind(result, FD_SOCKET);
		break;
	case SYS_epoll_create:
	case SYS_epoll_create1:
		set_kind(result, FD_EPOLL);
		break;
	case SYS_timerfd_create:
		set_kind(result, FD_TIMER);
		if (at(result))
			at(result)->timer = c->timer;
		break;
	case SYS_inotify_init:
	case SYS_inotify_init1:
	case SYS_memfd_create:
		set_kind(result, FD_OUTSIDE);
		break;
	case SYS_epoll_ctl:
		watch((int)c->arg[0], (int)c->arg[1], (int)c->arg[2]);
		break;
	case SYS_close_range:
		closed_range((unsigned)c->arg[0], (unsigned)c->arg[1], (unsigned)c->arg[2]);
		break;
	case SYS_clone:
	case SYS_fork:
	case SYS_vfork: /* libc_spawn.c */
		is_shared = has_children = true;
		break;
	case SYS_sendmsg:
		if (((const struct msghdr *)c->arg[1])->msg_controllen)
			is_shared = true; /* perhaps with descriptors in it */
		break;
	case SYS_getpid:
		told_pid = (pid_t)result;
		break;
	}
}

/* ---- whose other end is where ---- */

struct address {
	uint32_t size;
	char bytes[128];
};

static bool socket_address(long call, int fd, struct address *a)
{
	rt_memset(a, 0, sizeof(*a));
	a->size = sizeof(a->bytes);
	return !sys3(call, fd, a->bytes, &a->size);
}

static bool same_address(const struct address *a, const struct address *b)
{
	return a->size == b->size && a->size <= sizeof(a->bytes) &&
	       !rt_memcmp(a->bytes, b->bytes, a->size);
}

/* Is the peer of a connected socket a socket of this process? */
static bool peer_is_ours(int fd)
{
	struct address own, peer, other;
	if (!socket_address(SYS_getsockname, fd, &own) ||
	    !socket_address(SYS_getpeername, fd, &peer))
		return false;
	if (*(const uint16_t *)own.bytes == AF_UNIX) {
		struct {
			int pid, uid, gid;
		} who;
		uint32_t size = sizeof(who);
		return !sys6(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&who, (long)&size,
			     0) &&
		       who.pid == sys3(SYS_getpid, 0, 0, 0);
	}
	for (int i = 0; i < DESCRIPTORS; i++)
		if (i != fd && table[i].kind == FD_SOCKET &&
		    socket_address(SYS_getsockname, i, &other) && same_address(&other, &peer) &&
		    socket_address(SYS_getpeername, i, &other) && same_address(&other, &own))
			return true;
	return false;
}

bool descriptor_is_prompt(int fd)
{
	const struct program_fd *d = at(fd);
	return d && d->kind == FD_INSIDE;
}

bool descriptor_is_outside(int fd)
{
	const struct program_fd *d = at(fd);
	if (!d || is_shared)
		return true;
	switch (d->kind) {
	case FD_INSIDE:
	case FD_TIMER:
		return false;
	case FD_SOCKET:
		return !peer_is_ours(fd);
	case FD_EPOLL:
		for (uint32_t i = 0; i < watch_count; i++)
			if (watches[i].epoll == fd && watches[i].fd != fd &&
			    descriptor_is_outside(watches[i].fd))
				return true;
		return false;
	}
	return true;
}
