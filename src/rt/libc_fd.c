/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors: what comes in is an input event with its bytes, and a write to memory; what goes out is a
 * read.  Every call may sleep in the kernel, with all threads; only where the other end is our own process do
 * the others go on.
 */
#include <poll.h>

#include "rt/libc_pipe.h"
#include "rt/libc_refused.h"
#include "rt/libc_wrap.h"

static void used(int fd, pc_t pc)
{
	ev_sync(EV_USE, 0, 0, (uint64_t)fd, 0, pc);
}

/* A call whose result depends on the outside, and nothing else. */
static int answered(int result, pc_t pc)
{
	ev_data(EV_INPUT, 0, (uint64_t)result, NULL, 0, pc);
	return result;
}

static ssize_t came_in(void *to, ssize_t n, pc_t pc)
{
	ev_data(EV_INPUT, (uintptr_t)to, (uint64_t)n, to, n > 0 ? (size_t)n : 0, pc);
	if (n > 0)
		rt_libc_wrote(to, (size_t)n, pc);
	return n;
}

static int opened(int fd, pc_t pc)
{
	if (fd >= 0) {
		pipe_closed(fd);	/* whatever had the number before */
		ev_sync(EV_OPEN, 0, 0, (uint64_t)fd, 0, pc);
	} else {
		answered(fd, pc);
	}
	return fd;
}

/* ---- transfer ---- */

RT_EXPORT ssize_t read(int fd, void *to, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(read)(fd, to, n);
	pipe_wait(fd, POLLIN, PC);
	used(fd, PC);
	libc_will_write(to, n, PC);
	return came_in(to, LIBC_CALL(REAL_FN(read)(fd, to, n)), PC);
}

RT_EXPORT ssize_t __read_chk(int fd, void *to, size_t n, size_t room)
{
	if (n > room || !libc_enter(PC))
		return REAL_FN(__read_chk)(fd, to, n, room);
	pipe_wait(fd, POLLIN, PC);
	used(fd, PC);
	libc_will_write(to, n, PC);
	return came_in(to, LIBC_CALL(REAL_FN(read)(fd, to, n)), PC);
}

RT_EXPORT ssize_t pread(int fd, void *to, size_t n, off_t offset)
{
	if (!libc_enter(PC))
		return REAL_FN(pread)(fd, to, n, offset);
	used(fd, PC);
	libc_will_write(to, n, PC);
	return came_in(to, LIBC_CALL(REAL_FN(pread)(fd, to, n, offset)), PC);
}

extern __typeof__(pread) pread64 LIBC_ALIAS(pread);

RT_EXPORT ssize_t write(int fd, const void *from, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(write)(fd, from, n);
	pipe_wait(fd, POLLOUT, PC);
	used(fd, PC);
	rt_libc_read(from, n, PC);
	return LIBC_CALL(REAL_FN(write)(fd, from, n));
}

RT_EXPORT ssize_t pwrite(int fd, const void *from, size_t n, off_t offset)
{
	if (!libc_enter(PC))
		return REAL_FN(pwrite)(fd, from, n, offset);
	used(fd, PC);
	rt_libc_read(from, n, PC);
	return LIBC_CALL(REAL_FN(pwrite)(fd, from, n, offset));
}

extern __typeof__(pwrite) pwrite64 LIBC_ALIAS(pwrite);

RT_EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
	if (!libc_enter(PC))
		return REAL_FN(writev)(fd, parts, count);
	pipe_wait(fd, POLLOUT, PC);
	used(fd, PC);
	rt_libc_read(parts, (size_t)count * sizeof(*parts), PC);
	for (int i = 0; i < count; i++)
		rt_libc_read(parts[i].iov_base, parts[i].iov_len, PC);
	return LIBC_CALL(REAL_FN(writev)(fd, parts, count));
}

RT_EXPORT ssize_t readv(int fd, const struct iovec *parts, int count)
{
	if (!libc_enter(PC))
		return REAL_FN(readv)(fd, parts, count);
	pipe_wait(fd, POLLIN, PC);
	used(fd, PC);
	rt_libc_read(parts, (size_t)count * sizeof(*parts), PC);
	ssize_t n = LIBC_CALL(REAL_FN(readv)(fd, parts, count));
	ssize_t left = n;
	for (int i = 0; i < count && left > 0; i++) {
		ssize_t here = (ssize_t)parts[i].iov_len < left ? (ssize_t)parts[i].iov_len : left;
		came_in(parts[i].iov_base, here, PC);
		left -= here;
	}
	if (n <= 0)
		answered((int)n, PC);
	return n;
}

/* ---- opening and closing ---- */

static bool takes_mode(int flags)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
}

static mode_t mode_argument(int flags, va_list ap)
{
	return takes_mode(flags) ? va_arg(ap, mode_t) : 0;
}

RT_EXPORT int open(const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	mode_t mode = mode_argument(flags, ap);
	va_end(ap);
	if (!libc_enter(PC))
		return REAL_FN(open)(path, flags, mode);
	libc_read_string(path, PC);
	return opened(LIBC_CALL(REAL_FN(open)(path, flags, mode)), PC);
}

extern __typeof__(open) open64 LIBC_ALIAS(open);

RT_EXPORT int openat(int directory, const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	mode_t mode = mode_argument(flags, ap);
	va_end(ap);
	if (!libc_enter(PC))
		return REAL_FN(openat)(directory, path, flags, mode);
	libc_read_string(path, PC);
	return opened(LIBC_CALL(REAL_FN(openat)(directory, path, flags, mode)), PC);
}

extern __typeof__(openat) openat64 LIBC_ALIAS(openat);

RT_EXPORT int creat(const char *path, mode_t mode)
{
	if (!libc_enter(PC))
		return REAL_FN(creat)(path, mode);
	libc_read_string(path, PC);
	return opened(LIBC_CALL(REAL_FN(creat)(path, mode)), PC);
}

RT_EXPORT int close(int fd)
{
	if (!libc_enter(PC))
		return REAL_FN(close)(fd);
	ev_sync(EV_CLOSE, 0, 0, (uint64_t)fd, 0, PC);
	pipe_closed(fd);
	return LIBC_CALL(REAL_FN(close)(fd));
}

RT_EXPORT int dup(int fd)
{
	if (!libc_enter(PC))
		return REAL_FN(dup)(fd);
	int twin = opened(LIBC_CALL(REAL_FN(dup)(fd)), PC);
	pipe_same(fd, twin);
	return twin;
}

RT_EXPORT int dup2(int fd, int as)
{
	if (!libc_enter(PC))
		return REAL_FN(dup2)(fd, as);
	int twin = opened(LIBC_CALL(REAL_FN(dup2)(fd, as)), PC);
	if (fd != as)
		pipe_same(fd, twin);
	return twin;
}

RT_EXPORT int dup3(int fd, int as, int flags)
{
	if (!libc_enter(PC))
		return REAL_FN(dup3)(fd, as, flags);
	int twin = opened(LIBC_CALL(REAL_FN(dup3)(fd, as, flags)), PC);
	pipe_same(fd, twin);
	return twin;
}

static int made_pipe(int rc, const int *ends, pc_t pc)
{
	if (rc)
		return answered(rc, pc);
	rt_libc_wrote(ends, 2 * sizeof(*ends), pc);
	for (int i = 0; i < 2; i++) {
		opened(ends[i], pc);
		pipe_made(ends[i]);
	}
	return 0;
}

RT_EXPORT int pipe(int ends[2])
{
	if (!libc_enter(PC))
		return REAL_FN(pipe)(ends);
	return made_pipe(LIBC_CALL(REAL_FN(pipe)(ends)), ends, PC);
}

RT_EXPORT int pipe2(int ends[2], int flags)
{
	if (!libc_enter(PC))
		return REAL_FN(pipe2)(ends, flags);
	return made_pipe(LIBC_CALL(REAL_FN(pipe2)(ends, flags)), ends, PC);
}

/* ---- state of a descriptor ---- */

RT_EXPORT off_t lseek(int fd, off_t offset, int whence)
{
	if (!libc_enter(PC))
		return REAL_FN(lseek)(fd, offset, whence);
	used(fd, PC);
	return LIBC_CALL(REAL_FN(lseek)(fd, offset, whence));
}

extern __typeof__(lseek) lseek64 LIBC_ALIAS(lseek);

#define ABOUT(name)                                                     \
	RT_EXPORT int name(int fd)                                      \
	{                                                               \
		if (!libc_enter(PC))                                    \
			return REAL_FN(name)(fd);                       \
		used(fd, PC);                                           \
		return answered(LIBC_CALL(REAL_FN(name)(fd)), PC);      \
	}
ABOUT(fsync)
ABOUT(fdatasync)
ABOUT(isatty)

RT_EXPORT int ftruncate(int fd, off_t size)
{
	if (!libc_enter(PC))
		return REAL_FN(ftruncate)(fd, size);
	used(fd, PC);
	return answered(LIBC_CALL(REAL_FN(ftruncate)(fd, size)), PC);
}

extern __typeof__(ftruncate) ftruncate64 LIBC_ALIAS(ftruncate);

RT_EXPORT int fcntl(int fd, int command, ...)
{
	va_list ap;
	va_start(ap, command);
	void *argument = va_arg(ap, void *);
	va_end(ap);
	if (!libc_enter(PC))
		return REAL_FN(fcntl)(fd, command, argument);
	bool locks = command == F_GETLK || command == F_SETLK || command == F_SETLKW;
	used(fd, PC);
	if (locks)
		rt_libc_read(argument, sizeof(struct flock), PC);
	int rc = LIBC_CALL(REAL_FN(fcntl)(fd, command, argument));
	if (locks)
		libc_wrote_if_changed(argument, sizeof(struct flock), PC);
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) {
		opened(rc, PC);
		pipe_same(fd, rc);
		return rc;
	}
	return answered(rc, PC);
}

extern __typeof__(fcntl) fcntl64 LIBC_ALIAS(fcntl);

/* How many bytes the argument of a request points to; the direction is told by what changed. */
static size_t request_size(unsigned long request, pc_t pc)
{
	if (_IOC_DIR(request) != _IOC_NONE)
		return _IOC_SIZE(request);
	switch (request) {
	case TIOCGWINSZ: case TIOCSWINSZ: return sizeof(struct winsize);
	case FIONREAD: case FIONBIO: return sizeof(int);
	case FIOCLEX: case FIONCLEX: return 0;
	}
	libc_refuse("ioctl with an unknown request", pc);
}

RT_EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	va_start(ap, request);
	void *argument = va_arg(ap, void *);
	va_end(ap);
	if (!libc_enter(PC))
		return REAL_FN(ioctl)(fd, request, argument);
	size_t size = request_size(request, PC);
	bool is_input = request == TIOCSWINSZ || request == FIONBIO || _IOC_DIR(request) & _IOC_WRITE;
	used(fd, PC);
	if (is_input)
		rt_libc_read(argument, size, PC);
	int rc = LIBC_CALL(REAL_FN(ioctl)(fd, request, argument));
	if (size)
		libc_wrote_if_changed(argument, size, PC);
	return answered(rc, PC);
}
