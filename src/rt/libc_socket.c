/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sockets: which memory their functions touch.  Addresses come with a length that the call
 * changes, messages are lists of pieces; waiting and what arrives are the business of the system
 * calls below (outside.h).
 */
#include "rt/libc_fd.h"
#include "rt/libc_wrap.h"
#include "wire/depend.h"

/* ---- addresses ---- */

/* Before a call that fills an address: how much room there is, at most. */
static socklen_t address_room(const void *address, const socklen_t *size, pc_t pc)
{
	if (!address || !size || !rt_can_read(size, sizeof(*size)))
		return 0;
	rt_libc_read(size, sizeof(*size), pc);
	libc_will_write(address, *size, pc);
	return *size;
}

static void wrote_address(const void *address, const socklen_t *size, socklen_t room, pc_t pc)
{
	if (!address || !size)
		return;
	rt_libc_wrote(size, sizeof(*size), pc);
	rt_libc_wrote(address, *size < room ? *size : room, pc);
}

#define ADDRESS_ROOM(address, size) socklen_t room_ = address_room(address, size, PC)
#define WROTE_ADDRESS_IF(condition, address, size)               \
	do {                                                     \
		if (condition)                                   \
			wrote_address(address, size, room_, PC); \
	} while (0)
/* The headers declare addresses as unions that C++ does not have. */
#define ADDRESS(a) ((struct sockaddr *)(a).__sockaddr__)

WRAP(int, socket, (int domain, int type, int protocol), (domain, type, protocol), NOTHING,
     OPENED(result))
WRAP(int, socketpair, (int domain, int type, int protocol, int ends[2]),
     (domain, type, protocol, ends), ROOM(ends, 2 * sizeof(*ends)), MADE_TWO(ends))
WRAP(int, bind, (int fd, __CONST_SOCKADDR_ARG address, socklen_t size), (fd, address, size),
     USES(fd);
     READS(ADDRESS(address), size), NOTHING)
WRAP(int, listen, (int fd, int queue), (fd, queue), USES(fd), NOTHING)
WRAP(int, shutdown, (int fd, int how), (fd, how), USES(fd), NOTHING)
WRAP(int, connect, (int fd, __CONST_SOCKADDR_ARG address, socklen_t size), (fd, address, size),
     CANCEL_POINT;
     USES(fd); READS(ADDRESS(address), size), CANCEL_IF_INTERRUPTED)
WRAP(int, accept, (int fd, __SOCKADDR_ARG address, socklen_t *size), (fd, address, size),
     CANCEL_POINT;
     USES(fd); ADDRESS_ROOM(ADDRESS(address), size), OPENED(result);
     WROTE_ADDRESS_IF(result >= 0, ADDRESS(address), size); CANCEL_IF_INTERRUPTED)
WRAP(int, accept4, (int fd, __SOCKADDR_ARG address, socklen_t *size, int flags),
     (fd, address, size, flags), CANCEL_POINT;
     USES(fd); ADDRESS_ROOM(ADDRESS(address), size), OPENED(result);
     WROTE_ADDRESS_IF(result >= 0, ADDRESS(address), size); CANCEL_IF_INTERRUPTED)
WRAP(int, getsockname, (int fd, __SOCKADDR_ARG address, socklen_t *size), (fd, address, size),
     USES(fd);
     ADDRESS_ROOM(ADDRESS(address), size), WROTE_ADDRESS_IF(!result, ADDRESS(address), size))
WRAP(int, getpeername, (int fd, __SOCKADDR_ARG address, socklen_t *size), (fd, address, size),
     USES(fd);
     ADDRESS_ROOM(ADDRESS(address), size), WROTE_ADDRESS_IF(!result, ADDRESS(address), size))
WRAP(int, getsockopt, (int fd, int level, int option, void *value, socklen_t *size),
     (fd, level, option, value, size), USES(fd);
     ADDRESS_ROOM(value, size), WROTE_ADDRESS_IF(!result, value, size))
WRAP(int, setsockopt, (int fd, int level, int option, const void *value, socklen_t size),
     (fd, level, option, value, size), USES(fd);
     READS(value, value ? size : 0), NOTHING)

/* ---- bytes ---- */

/* With MSG_TRUNC the result may tell more than there was room for. */
#define CAME(to, n) \
	rt_libc_wrote(to, result <= 0 ? 0 : (size_t)result < (n) ? (size_t)result : (n), PC)

WRAP(ssize_t, recv, (int fd, void *to, size_t n, int flags), (fd, to, n, flags), CANCEL_POINT;
     USES(fd); ROOM(to, n), CAME(to, n); CANCEL_IF_INTERRUPTED)
WRAP(ssize_t, recvfrom,
     (int fd, void *restrict to, size_t n, int flags, __SOCKADDR_ARG address,
      socklen_t *restrict size),
     (fd, to, n, flags, address, size), CANCEL_POINT;
     USES(fd); ROOM(to, n); ADDRESS_ROOM(ADDRESS(address), size), CAME(to, n);
     WROTE_ADDRESS_IF(result >= 0, ADDRESS(address), size); CANCEL_IF_INTERRUPTED)
WRAP(ssize_t, __recv_chk, (int fd, void *to, size_t n, size_t room, int flags),
     (fd, to, n, room, flags), CANCEL_POINT;
     USES(fd); ROOM(to, n), CAME(to, n); CANCEL_IF_INTERRUPTED)
WRAP(ssize_t, __recvfrom_chk,
     (int fd, void *to, size_t n, size_t room, int flags, struct sockaddr *address,
      socklen_t *size),
     (fd, to, n, room, flags, address, size), CANCEL_POINT;
     USES(fd); ROOM(to, n); ADDRESS_ROOM(address, size), CAME(to, n);
     WROTE_ADDRESS_IF(result >= 0, address, size); CANCEL_IF_INTERRUPTED)
WRAP(ssize_t, send, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags),
     CANCEL_POINT;
     USES(fd); READS(from, n), CANCEL_IF_INTERRUPTED)
WRAP(ssize_t, sendto,
     (int fd, const void *from, size_t n, int flags, __CONST_SOCKADDR_ARG address, socklen_t size),
     (fd, from, n, flags, address, size), CANCEL_POINT;
     USES(fd); READS(from, n);
     READS(ADDRESS(address), ADDRESS(address) ? size : 0), CANCEL_IF_INTERRUPTED)

/* ---- messages ---- */

static void read_message(const struct msghdr *m, pc_t pc)
{
	if (!rt_can_read(m, sizeof(*m)))
		return;
	rt_libc_read(m, sizeof(*m), pc);
	if (m->msg_name)
		rt_libc_read(m->msg_name, m->msg_namelen, pc);
	libc_read_vector(m->msg_iov, m->msg_iovlen, pc);
	if (m->msg_control)
		rt_libc_read(m->msg_control, m->msg_controllen, pc);
}

/* Before a message is received: how much room its name has. */
static socklen_t message_room(const struct msghdr *m, pc_t pc)
{
	if (!rt_can_read(m, sizeof(*m)))
		return 0;
	rt_libc_read(m, sizeof(*m), pc);
	libc_vector_room(m->msg_iov, m->msg_iovlen, pc);
	if (m->msg_name)
		libc_will_write(m->msg_name, m->msg_namelen, pc);
	if (m->msg_control)
		libc_will_write(m->msg_control, m->msg_controllen, pc);
	return m->msg_namelen;
}

static void wrote_message(const struct msghdr *m, socklen_t name_room, ssize_t n, pc_t pc)
{
	if (n < 0)
		return;
	rt_libc_wrote(m, sizeof(*m), pc);
	libc_wrote_vector(m->msg_iov, m->msg_iovlen, n, pc);
	if (m->msg_name)
		rt_libc_wrote(m->msg_name, m->msg_namelen < name_room ? m->msg_namelen : name_room,
			      pc);
	if (m->msg_control)
		rt_libc_wrote(m->msg_control, m->msg_controllen, pc);
}

WRAP(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags),
     CANCEL_POINT;
     USES(fd); read_message(message, PC), CANCEL_IF_INTERRUPTED)
WRAP(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags),
     CANCEL_POINT;
     USES(fd);
     socklen_t name_room = message_room(message, PC), wrote_message(message, name_room, result, PC);
     CANCEL_IF_INTERRUPTED)

/*
 * Several at once, one after the other as the kernel does it: the first failure ends it, and
 * shows only if nothing was done before.  The time limit of recvmmsg is looked at between
 * messages only, so that it ends no wait; none passes here.
 */
RT_EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	if (!libc_enter(PC))
		return REAL_FN(sendmmsg)(fd, messages, count, flags);
	CANCEL_POINT;
	USES(fd);
	unsigned done = 0;
	for (; done < count; done++) {
		struct mmsghdr *m = &messages[done];
		read_message(&m->msg_hdr, PC);
		ssize_t n = LIBC_CALL(REAL_FN(sendmsg)(fd, &m->msg_hdr, flags));
		if (n < 0)
			break;
		m->msg_len = (unsigned)n;
		WROTE(&m->msg_len, sizeof(m->msg_len));
	}
	return done || !count ? (int)done : -1;
}

RT_EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
		       struct timespec *limit)
{
	if (!libc_enter(PC))
		return REAL_FN(recvmmsg)(fd, messages, count, flags, limit);
	CANCEL_POINT;
	USES(fd);
	READS_OBJECT(limit);
	unsigned done = 0;
	for (; done < count; done++) {
		struct mmsghdr *m = &messages[done];
		bool may_wait = !done || !(flags & MSG_WAITFORONE);
		socklen_t name_room = message_room(&m->msg_hdr, PC);
		ssize_t n = LIBC_CALL(REAL_FN(recvmsg)(fd, &m->msg_hdr,
						       (flags & ~MSG_WAITFORONE) |
							       (may_wait ? 0 : MSG_DONTWAIT)));
		if (n < 0)
			break;
		wrote_message(&m->msg_hdr, name_room, n, PC);
		m->msg_len = (unsigned)n;
		WROTE(&m->msg_len, sizeof(m->msg_len));
	}
	return done || !count ? (int)done : -1;
}

WRAP(int, sockatmark, (int fd), (fd), USES(fd), NOTHING)
