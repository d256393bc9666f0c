/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that make, use and close descriptors.  The memory that system calls read and write is
 * accessed. Uses are noted before the call, which may wait.
 */
#include <errno.h>
#include <stdarg.h>

#include "run/channel.h"
#include "run/descriptor.h"
#include "run/files.h"
#include "run/history.h"
#include "run/place.h"
#include "run/real.h"
#include "run/run.h"
#include "run/shadow.h"

#define STACK stack_now(t, PLACE)

RUN_EXPORT int close(int fd)
{
	struct thr *t = run_self;
	if (!t)
		return REAL_FN(close)(fd);
	uint32_t stack = STACK;
	bool was_closed = descriptor_is_closed(fd);
	if (!was_closed)
		descriptor_close(t, fd, stack);
	int rc = REAL_FN(close)(fd), error = errno;
	if (rc < 0 && error == EBADF && was_closed)
		descriptor_close_again(t, fd, stack);
	errno = error;
	return rc;
}

/* ---- functions that make descriptors ---- */

#define MODE(flags, last)                                          \
	mode_t mode = 0;                                           \
	if ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE) { \
		va_list ap;                                        \
		va_start(ap, last);                                \
		mode = va_arg(ap, mode_t);                         \
		va_end(ap);                                        \
	}

RUN_EXPORT int open(const char *path, int flags, ...)
{
	MODE(flags, flags)
	files_before_open(run_self, path, flags);
	return descriptor_made(files_opened(run_self, path, REAL_FN(open)(path, flags, mode)));
}

RUN_EXPORT int open64(const char *path, int flags, ...)
{
	MODE(flags, flags)
	files_before_open(run_self, path, flags);
	return descriptor_made(files_opened(run_self, path, REAL_FN(open64)(path, flags, mode)));
}

RUN_EXPORT int openat(int directory, const char *path, int flags, ...)
{
	MODE(flags, flags)
	files_before_open(run_self, path, flags);
	return descriptor_made(
		files_opened(run_self, path, REAL_FN(openat)(directory, path, flags, mode)));
}

RUN_EXPORT int openat64(int directory, const char *path, int flags, ...)
{
	MODE(flags, flags)
	files_before_open(run_self, path, flags);
	return descriptor_made(
		files_opened(run_self, path, REAL_FN(openat64)(directory, path, flags, mode)));
}

RUN_EXPORT int creat64(const char *path, mode_t mode)
{
	files_before_open(run_self, path, O_CREAT);
	return descriptor_made(files_opened(run_self, path, REAL_FN(creat64)(path, mode)));
}

RUN_EXPORT int creat(const char *path, mode_t mode)
{
	files_before_open(run_self, path, O_CREAT);
	return descriptor_made(files_opened(run_self, path, REAL_FN(creat)(path, mode)));
}

RUN_EXPORT int socket(int domain, int type, int protocol)
{
	return descriptor_made(REAL_FN(socket)(domain, type, protocol));
}

/* An accepted connection is after the connect. */
static int accepted(struct thr *t, int fd, int got)
{
	int error = errno;
	if (t && got >= 0)
		descriptor_receive(t, fd);
	errno = error;
	return descriptor_made(got);
}

RUN_EXPORT int connect(int fd, const struct sockaddr *to, socklen_t len)
{
	struct thr *t = run_self;
	if (t) {
		descriptor_use(t, fd, PLACE);
		descriptor_send(t, fd);
	}
	return REAL_FN(connect)(fd, to, len);
}

RUN_EXPORT int shutdown(int fd, int how)
{
	struct thr *t = run_self;
	if (t) {
		descriptor_use(t, fd, PLACE);
		descriptor_send(t, fd);
	}
	return REAL_FN(shutdown)(fd, how);
}

RUN_EXPORT int accept(int fd, struct sockaddr *address, socklen_t *len)
{
	if (run_self)
		descriptor_use(run_self, fd, PLACE);
	return accepted(run_self, fd, REAL_FN(accept)(fd, address, len));
}

RUN_EXPORT int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	if (run_self)
		descriptor_use(run_self, fd, PLACE);
	return accepted(run_self, fd, REAL_FN(accept4)(fd, address, len, flags));
}

RUN_EXPORT int socketpair(int domain, int type, int protocol, int fds[2])
{
	int rc = REAL_FN(socketpair)(domain, type, protocol, fds);
	if (!rc)
		descriptor_made(fds[0]), descriptor_made(fds[1]);
	return rc;
}

RUN_EXPORT int pipe(int fds[2])
{
	int rc = REAL_FN(pipe)(fds);
	if (!rc)
		descriptor_made_pipe(fds);
	return rc;
}

RUN_EXPORT int pipe2(int fds[2], int flags)
{
	int rc = REAL_FN(pipe2)(fds, flags);
	if (!rc)
		descriptor_made_pipe(fds);
	return rc;
}

RUN_EXPORT int dup(int fd)
{
	if (run_self)
		descriptor_use(run_self, fd, PLACE);
	return descriptor_made(REAL_FN(dup)(fd));
}

RUN_EXPORT int dup2(int fd, int to)
{
	if (run_self)
		descriptor_use(run_self, fd, PLACE);
	int rc = REAL_FN(dup2)(fd, to);
	return fd == to ? rc : descriptor_made(rc);
}

RUN_EXPORT int dup3(int fd, int to, int flags)
{
	if (run_self)
		descriptor_use(run_self, fd, PLACE);
	return descriptor_made(REAL_FN(dup3)(fd, to, flags));
}

RUN_EXPORT int eventfd(unsigned value, int flags)
{
	return descriptor_made(REAL_FN(eventfd)(value, flags));
}

RUN_EXPORT int eventfd_write(int fd, eventfd_t value)
{
	if (run_self)
		descriptor_write(run_self, fd, NULL, 0, PLACE);
	return REAL_FN(eventfd_write)(fd, value);
}

RUN_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
	struct thr *t = run_self;
	if (t)
		descriptor_use(t, fd, PLACE);
	int rc = REAL_FN(eventfd_read)(fd, value), error = errno;
	if (t)
		descriptor_read(t, fd, value, rc ? -1 : (ssize_t)sizeof(*value), PLACE);
	errno = error;
	return rc;
}

RUN_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	int got = REAL_FN(signalfd)(fd, set, flags);
	return fd == got ? got : descriptor_made(got);
}

RUN_EXPORT int timerfd_create(clockid_t clock, int flags)
{
	return descriptor_made(REAL_FN(timerfd_create)(clock, flags));
}

RUN_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *new,
			       struct itimerspec *old)
{
	if (run_self)
		descriptor_write(run_self, fd, NULL, 0, PLACE);
	return REAL_FN(timerfd_settime)(fd, flags, new, old);
}

RUN_EXPORT int memfd_create(const char *name, unsigned flags)
{
	return descriptor_made(REAL_FN(memfd_create)(name, flags));
}

RUN_EXPORT int epoll_create(int size)
{
	return descriptor_made(REAL_FN(epoll_create)(size));
}

RUN_EXPORT int epoll_create1(int flags)
{
	return descriptor_made(REAL_FN(epoll_create1)(flags));
}

/* ---- functions that use them ---- */

#define WRITES_BY(name, parameters, arguments)                           \
	RUN_EXPORT ssize_t name parameters                               \
	{                                                                \
		if (run_self)                                            \
			descriptor_write(run_self, fd, bytes, n, PLACE); \
		return REAL_FN(name) arguments;                          \
	}

/* A function that reads; `report` says what of `got` bytes. */
#define READ_CALL(name, parameters, arguments, report) \
	RUN_EXPORT ssize_t name parameters             \
	{                                              \
		struct thr *t = run_self;              \
		if (t)                                 \
			descriptor_use(t, fd, PLACE);  \
		ssize_t got = REAL_FN(name) arguments; \
		int error = errno;                     \
		if (t)                                 \
			report;                        \
		errno = error;                         \
		return got;                            \
	}

#define READS_BY(name, parameters, arguments)  \
	READ_CALL(name, parameters, arguments, \
		  descriptor_read(t, fd, bytes, got < (ssize_t)n ? got : (ssize_t)n, PLACE))

WRITES_BY(write, (int fd, const void *bytes, size_t n), (fd, bytes, n))
WRITES_BY(pwrite, (int fd, const void *bytes, size_t n, off_t at), (fd, bytes, n, at))
WRITES_BY(send, (int fd, const void *bytes, size_t n, int flags), (fd, bytes, n, flags))
WRITES_BY(sendto,
	  (int fd, const void *bytes, size_t n, int flags, const struct sockaddr *to,
	   socklen_t len),
	  (fd, bytes, n, flags, to, len))
WRITES_BY(pwrite64, (int fd, const void *bytes, size_t n, off64_t at), (fd, bytes, n, at))
READS_BY(pread64, (int fd, void *bytes, size_t n, off64_t at), (fd, bytes, n, at))
READS_BY(__read_chk, (int fd, void *bytes, size_t n, size_t room), (fd, bytes, n, room))
READS_BY(__pread_chk, (int fd, void *bytes, size_t n, off_t at, size_t room),
	 (fd, bytes, n, at, room))
READS_BY(__pread64_chk, (int fd, void *bytes, size_t n, off64_t at, size_t room),
	 (fd, bytes, n, at, room))
READS_BY(__recv_chk, (int fd, void *bytes, size_t n, size_t room, int flags),
	 (fd, bytes, n, room, flags))
READS_BY(__recvfrom_chk,
	 (int fd, void *restrict bytes, size_t n, size_t room, int flags,
	  struct sockaddr *restrict from, socklen_t *restrict len),
	 (fd, bytes, n, room, flags, from, len))
READS_BY(read, (int fd, void *bytes, size_t n), (fd, bytes, n))
READS_BY(pread, (int fd, void *bytes, size_t n, off_t at), (fd, bytes, n, at))
READS_BY(recv, (int fd, void *bytes, size_t n, int flags), (fd, bytes, n, flags))
READS_BY(recvfrom,
	 (int fd, void *bytes, size_t n, int flags, struct sockaddr *from, socklen_t *len),
	 (fd, bytes, n, flags, from, len))

/* ---- several parts ---- */

static void write_parts(struct thr *t, int fd, const struct iovec *parts, size_t count,
			uintptr_t pc)
{
	for (size_t i = 0; i < count; i++)
		if (parts[i].iov_len)
			access_range(t, (uintptr_t)parts[i].iov_base, parts[i].iov_len, 0, pc);
	descriptor_write(t, fd, NULL, 0, pc);
}

static void read_parts(struct thr *t, int fd, const struct iovec *parts, size_t count, ssize_t got,
		       uintptr_t pc)
{
	descriptor_read(t, fd, NULL, got < 0 ? -1 : 0, pc);
	for (size_t i = 0; i < count && got > 0; i++) {
		ssize_t here = got < (ssize_t)parts[i].iov_len ? got : (ssize_t)parts[i].iov_len;
		if (here)
			access_range(t, (uintptr_t)parts[i].iov_base, (size_t)here, CELL_WRITE, pc);
		got -= here;
	}
}

#define WRITES_PARTS_BY(name, parameters, arguments, parts, count)              \
	RUN_EXPORT ssize_t name parameters                                      \
	{                                                                       \
		if (run_self)                                                   \
			write_parts(run_self, fd, parts, (size_t)count, PLACE); \
		return REAL_FN(name) arguments;                                 \
	}

#define READS_PARTS_BY(name, parameters, arguments, parts, count) \
	READ_CALL(name, parameters, arguments, read_parts(t, fd, parts, (size_t)count, got, PLACE))

WRITES_PARTS_BY(writev, (int fd, const struct iovec *parts, int n), (fd, parts, n), parts, n)
WRITES_PARTS_BY(pwritev, (int fd, const struct iovec *parts, int n, off_t at), (fd, parts, n, at),
		parts, n)
WRITES_PARTS_BY(sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags), m->msg_iov,
		m->msg_iovlen)
READS_PARTS_BY(readv, (int fd, const struct iovec *parts, int n), (fd, parts, n), parts, n)
READS_PARTS_BY(preadv, (int fd, const struct iovec *parts, int n, off_t at), (fd, parts, n, at),
	       parts, n)
READS_PARTS_BY(recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags), m->msg_iov,
	       m->msg_iovlen)

WRITES_PARTS_BY(pwritev64, (int fd, const struct iovec *parts, int n, off64_t at),
		(fd, parts, n, at), parts, n)
WRITES_PARTS_BY(pwritev2, (int fd, const struct iovec *parts, int n, off_t at, int flags),
		(fd, parts, n, at, flags), parts, n)
WRITES_PARTS_BY(pwritev64v2, (int fd, const struct iovec *parts, int n, off64_t at, int flags),
		(fd, parts, n, at, flags), parts, n)
WRITES_PARTS_BY(vmsplice, (int fd, const struct iovec *parts, size_t n, unsigned flags),
		(fd, parts, n, flags), parts, n)
READS_PARTS_BY(preadv64, (int fd, const struct iovec *parts, int n, off64_t at), (fd, parts, n, at),
	       parts, n)
READS_PARTS_BY(preadv2, (int fd, const struct iovec *parts, int n, off_t at, int flags),
	       (fd, parts, n, at, flags), parts, n)
READS_PARTS_BY(preadv64v2, (int fd, const struct iovec *parts, int n, off64_t at, int flags),
	       (fd, parts, n, at, flags), parts, n)

RUN_EXPORT int sendmmsg(int fd, struct mmsghdr *list, unsigned n, int flags)
{
	for (unsigned i = 0; run_self && i < n; i++)
		write_parts(run_self, fd, list[i].msg_hdr.msg_iov, list[i].msg_hdr.msg_iovlen,
			    PLACE);
	return REAL_FN(sendmmsg)(fd, list, n, flags);
}

RUN_EXPORT int recvmmsg(int fd, struct mmsghdr *list, unsigned n, int flags, struct timespec *end)
{
	struct thr *t = run_self;
	if (t)
		descriptor_use(t, fd, PLACE);
	int got = REAL_FN(recvmmsg)(fd, list, n, flags, end), error = errno;
	for (int i = 0; t && i < got; i++)
		read_parts(t, fd, list[i].msg_hdr.msg_iov, list[i].msg_hdr.msg_iovlen,
			   (ssize_t)list[i].msg_len, PLACE);
	errno = error;
	return got;
}

/* From one descriptor to another, within the kernel. */
static void will_move(struct thr *t, int from, int to, uintptr_t pc)
{
	if (!t)
		return;
	descriptor_use(t, from, pc);
	descriptor_moves(from, to);
	descriptor_write(t, to, NULL, 0, pc);
}

#define MOVES_BY(name, parameters, arguments)               \
	RUN_EXPORT ssize_t name parameters                  \
	{                                                   \
		will_move(run_self, from, to, PLACE);       \
		ssize_t got = REAL_FN(name) arguments;      \
		int error = errno;                          \
		if (run_self && got >= 0)                   \
			descriptor_receive(run_self, from); \
		errno = error;                              \
		return got;                                 \
	}

MOVES_BY(sendfile, (int to, int from, off_t *at, size_t n), (to, from, at, n))
MOVES_BY(sendfile64, (int to, int from, off64_t *at, size_t n), (to, from, at, n))
MOVES_BY(splice, (int from, off64_t *from_at, int to, off64_t *to_at, size_t n, unsigned flags),
	 (from, from_at, to, to_at, n, flags))
MOVES_BY(tee, (int from, int to, size_t n, unsigned flags), (from, to, n, flags))
MOVES_BY(copy_file_range,
	 (int from, off64_t *from_at, int to, off64_t *to_at, size_t n, unsigned flags),
	 (from, from_at, to, to_at, n, flags))
