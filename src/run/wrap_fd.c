/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File descriptors.  A descriptor is an object of its own from the call that made it to its close; close does
 * not commute with uses by other threads, and the memory that system calls read and write is accessed.  A
 * descriptor that was not seen to be opened (inherited, or made by a function that is not here) is followed
 * from its first use on.
 *
 * Uses are noted before the call, which may wait; the close is judged before it is done, so that nobody can
 * have been given the number again.
 */
#include <errno.h>
#include <stdarg.h>

#include "run/real.h"
#include "run/start.h"

#define DESCRIPTORS 65536
#define STACK stack_now(t, PC)

struct descriptor {
	struct use close;	/* epoch 0: open */
	uint16_t close_slot;
};

static struct descriptor *descriptors;

/* Descriptors stand in the table of objects under addresses that no memory has. */
static uintptr_t address_of(int fd)
{
	return 64 * (uintptr_t)(unsigned)fd + 0x10000000000ull;
}

static bool is_followed(int fd)
{
	if (!g.options.finds_fd || fd < 0 || fd >= DESCRIPTORS || fd == start_fd)
		return false;
	if (!descriptors) {
		static uint32_t lock;
		run_lock(&lock);
		if (!descriptors)
			__atomic_store_n(&descriptors, run_map(DESCRIPTORS * sizeof(*descriptors)),
					 __ATOMIC_RELEASE);
		run_unlock(&lock);
	}
	return true;
}

static int made(int fd)
{
	if (run_self && is_followed(fd)) {
		sync_forget(address_of(fd), 1);
		descriptors[fd].close.epoch = 0;
	}
	return fd;
}

static void used(struct thr *t, int fd, uintptr_t pc)
{
	if (!is_followed(fd) || !g.is_parallel)
		return;
	struct sync *s = sync_get(t, address_of(fd), SYNC_OTHER);
	if (!s)
		return;
	sync_use(t, s, ACT_USE, stack_now(t, pc));
	sync_put(s);
}

static void closed(struct thr *t, int fd, uint32_t stack)
{
	if (!is_followed(fd))
		return;
	sync_end_as(t, address_of(fd), (uintptr_t)fd, FOUND_CLOSE_IN_USE, ACT_CLOSE, stack);
	sync_forget(address_of(fd), 1);
	descriptors[fd].close = (struct use){ t->epoch, stack, 0, ACT_CLOSE };
	descriptors[fd].close_slot = t->slot;
}

/* The kernel says that it is not open, and we saw it closed. */
static void closed_again(struct thr *t, int fd, uint32_t stack)
{
	struct use first = descriptors[fd].close;
	if (!first.epoch)
		return;
	struct found f = { .kind = FOUND_DOUBLE_CLOSE,
			   .status = FOUND_HAPPENED,
			   .address = (uintptr_t)fd,
			   .thr = t,
			   .act = ACT_CLOSE,
			   .epoch = t->epoch,
			   .stack = stack,
			   .past = { .slot = descriptors[fd].close_slot,
				     .epoch = first.epoch,
				     .act = ACT_CLOSE,
				     .stack = first.stack,
				     .address = (uintptr_t)fd } };
	run_found(&f);
}

RUN_EXPORT int close(int fd)
{
	struct thr *t = run_self;
	if (fd == start_fd && fd >= 0) {	/* ours: a program that closes everything does not mean it */
		errno = EBADF;
		return -1;
	}
	if (!t || !is_followed(fd))
		return REAL_FN(close)(fd);
	uint32_t stack = STACK;
	struct use before = descriptors[fd].close;
	if (!before.epoch)
		closed(t, fd, stack);
	int rc = REAL_FN(close)(fd), error = errno;
	if (rc < 0 && error == EBADF && before.epoch)
		closed_again(t, fd, stack);
	errno = error;
	return rc;
}

/* ---- functions that make descriptors ---- */

#define MODE(flags, last)                                           \
	mode_t mode = 0;                                            \
	if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) { \
		va_list ap;                                         \
		va_start(ap, last);                                 \
		mode = va_arg(ap, mode_t);                          \
		va_end(ap);                                         \
	}

RUN_EXPORT int open(const char *path, int flags, ...)
{
	MODE(flags, flags)
	return made(REAL_FN(open)(path, flags, mode));
}

RUN_EXPORT int open64(const char *path, int flags, ...)
{
	MODE(flags, flags)
	return made(REAL_FN(open64)(path, flags, mode));
}

RUN_EXPORT int openat(int directory, const char *path, int flags, ...)
{
	MODE(flags, flags)
	return made(REAL_FN(openat)(directory, path, flags, mode));
}

RUN_EXPORT int creat(const char *path, mode_t mode)
{
	return made(REAL_FN(creat)(path, mode));
}

RUN_EXPORT int socket(int domain, int type, int protocol)
{
	return made(REAL_FN(socket)(domain, type, protocol));
}

RUN_EXPORT int accept(int fd, struct sockaddr *address, socklen_t *len)
{
	if (run_self)
		used(run_self, fd, PC);
	return made(REAL_FN(accept)(fd, address, len));
}

RUN_EXPORT int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	if (run_self)
		used(run_self, fd, PC);
	return made(REAL_FN(accept4)(fd, address, len, flags));
}

RUN_EXPORT int socketpair(int domain, int type, int protocol, int fds[2])
{
	int rc = REAL_FN(socketpair)(domain, type, protocol, fds);
	if (!rc)
		made(fds[0]), made(fds[1]);
	return rc;
}

RUN_EXPORT int pipe(int fds[2])
{
	int rc = REAL_FN(pipe)(fds);
	if (!rc)
		made(fds[0]), made(fds[1]);
	return rc;
}

RUN_EXPORT int pipe2(int fds[2], int flags)
{
	int rc = REAL_FN(pipe2)(fds, flags);
	if (!rc)
		made(fds[0]), made(fds[1]);
	return rc;
}

RUN_EXPORT int dup(int fd)
{
	if (run_self)
		used(run_self, fd, PC);
	return made(REAL_FN(dup)(fd));
}

RUN_EXPORT int dup2(int fd, int to)
{
	if (run_self)
		used(run_self, fd, PC);
	int rc = REAL_FN(dup2)(fd, to);
	return fd == to ? rc : made(rc);
}

RUN_EXPORT int dup3(int fd, int to, int flags)
{
	if (run_self)
		used(run_self, fd, PC);
	return made(REAL_FN(dup3)(fd, to, flags));
}

RUN_EXPORT int eventfd(unsigned value, int flags)
{
	return made(REAL_FN(eventfd)(value, flags));
}

RUN_EXPORT int epoll_create1(int flags)
{
	return made(REAL_FN(epoll_create1)(flags));
}

/* ---- functions that use them ---- */

/* Also hard edges: who reads from a descriptor is after who wrote to it, as ThreadSanitizer has it. */
static void will_write(struct thr *t, int fd, const void *from, size_t n, uintptr_t pc)
{
	used(t, fd, pc);
	if (n)
		access_range(t, (uintptr_t)from, n, 0, pc);
	if (!is_followed(fd) || !g.is_parallel)
		return;
	struct sync *s = sync_get(t, address_of(DESCRIPTORS), SYNC_OTHER);
	if (s) {
		sync_send(t, s);
		sync_put(s);
	}
}

static void has_read(struct thr *t, int fd, void *to, ssize_t n, uintptr_t pc)
{
	struct sync *s =
		is_followed(fd) && g.is_parallel && n >= 0 ? sync_find(t, address_of(DESCRIPTORS)) : NULL;
	if (s) {
		sync_receive(t, s);
		sync_put(s);
	}
	if (n > 0)
		access_range(t, (uintptr_t)to, (size_t)n, CELL_WRITE, pc);
}

#define WRITES_BY(name, parameters, arguments)                    \
	RUN_EXPORT ssize_t name parameters                        \
	{                                                         \
		if (run_self)                                     \
			will_write(run_self, fd, bytes, n, PC);   \
		return REAL_FN(name) arguments;                   \
	}

#define READS_BY(name, parameters, arguments)                     \
	RUN_EXPORT ssize_t name parameters                        \
	{                                                         \
		struct thr *t = run_self;                         \
		if (t)                                            \
			used(t, fd, PC);                          \
		ssize_t got = REAL_FN(name) arguments;            \
		int error = errno;                                \
		if (t)                                            \
			has_read(t, fd, bytes, got < (ssize_t)n ? got : (ssize_t)n, PC); \
		errno = error;                                    \
		return got;                                       \
	}

WRITES_BY(write, (int fd, const void *bytes, size_t n), (fd, bytes, n))
WRITES_BY(pwrite, (int fd, const void *bytes, size_t n, off_t at), (fd, bytes, n, at))
WRITES_BY(send, (int fd, const void *bytes, size_t n, int flags), (fd, bytes, n, flags))
WRITES_BY(sendto, (int fd, const void *bytes, size_t n, int flags, const struct sockaddr *to, socklen_t len),
	  (fd, bytes, n, flags, to, len))
READS_BY(read, (int fd, void *bytes, size_t n), (fd, bytes, n))
READS_BY(pread, (int fd, void *bytes, size_t n, off_t at), (fd, bytes, n, at))
READS_BY(recv, (int fd, void *bytes, size_t n, int flags), (fd, bytes, n, flags))
READS_BY(recvfrom, (int fd, void *bytes, size_t n, int flags, struct sockaddr *from, socklen_t *len),
	 (fd, bytes, n, flags, from, len))

RUN_EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
	struct thr *t = run_self;
	uintptr_t pc = PC;
	for (int i = 0; t && i < count; i++)
		will_write(t, fd, parts[i].iov_base, parts[i].iov_len, pc);
	return REAL_FN(writev)(fd, parts, count);
}

RUN_EXPORT ssize_t readv(int fd, const struct iovec *parts, int count)
{
	struct thr *t = run_self;
	uintptr_t pc = PC;
	if (t)
		used(t, fd, pc);
	ssize_t got = REAL_FN(readv)(fd, parts, count), left = got;
	int error = errno;
	for (int i = 0; t && i < count && left > 0; i++) {
		ssize_t here = left < (ssize_t)parts[i].iov_len ? left : (ssize_t)parts[i].iov_len;
		has_read(t, fd, parts[i].iov_base, here, pc);
		left -= here;
	}
	errno = error;
	return got;
}

/* Streams have locks of their own inside libc: only the program's memory is ours. */
RUN_EXPORT size_t fread(void *to, size_t size, size_t n, FILE *stream)
{
	size_t got = REAL_FN(fread)(to, size, n, stream);
	if (run_self && got && size)
		access_range(run_self, (uintptr_t)to, got * size, CELL_WRITE, PC);
	return got;
}

RUN_EXPORT size_t fwrite(const void *from, size_t size, size_t n, FILE *stream)
{
	if (run_self && n && size)
		access_range(run_self, (uintptr_t)from, n * size, 0, PC);
	return REAL_FN(fwrite)(from, size, n, stream);
}
