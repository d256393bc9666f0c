/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors: which memory their functions touch on the caller's behalf.  What comes from
 * outside, and waiting for it, is the business of the system calls below (outside.h).  The
 * functions that may wait are cancellation points: one that was asked to end while it waited
 * finds its call interrupted.
 */
#include "rt/buffer.h"
#include "rt/libc_fd.h"
#include "rt/libc_refused.h"
#include "rt/libc_wrap.h"
#include "wire/depend.h"
#include "wire/wire.h"

/* ---- transfer ---- */

#define GOT(p) rt_libc_wrote(p, result > 0 ? (size_t)result : 0, PC)

WRAP(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), CANCEL_POINT; USES(fd);
     ROOM(to, n), GOT(to); CANCEL_IF_INTERRUPTED)
WRAP(ssize_t, pread, (int fd, void *to, size_t n, off_t offset), (fd, to, n, offset), CANCEL_POINT;
     USES(fd); ROOM(to, n), GOT(to))
WRAP(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n), CANCEL_POINT; USES(fd);
     READS(from, n), CANCEL_IF_INTERRUPTED)
WRAP(ssize_t, pwrite, (int fd, const void *from, size_t n, off_t offset), (fd, from, n, offset),
     CANCEL_POINT;
     USES(fd); READS(from, n), NOTHING)
extern __typeof__(pread) pread64 LIBC_ALIAS(pread);
extern __typeof__(pwrite) pwrite64 LIBC_ALIAS(pwrite);

#define CHECKED(name, plain, parameters, arguments)                  \
	RT_EXPORT ssize_t name parameters                            \
	{                                                            \
		if (n > room || !libc_enter(PC))                     \
			return REAL_FN(name) arguments;              \
		CANCEL_POINT;                                        \
		USES(fd);                                            \
		ROOM(to, n);                                         \
		ssize_t result = LIBC_CALL(REAL_FN(name) arguments); \
		GOT(to);                                             \
		CANCEL_IF_INTERRUPTED;                               \
		return result;                                       \
	}
CHECKED(__read_chk, read, (int fd, void *to, size_t n, size_t room), (fd, to, n, room))
CHECKED(__pread_chk, pread, (int fd, void *to, size_t n, off_t offset, size_t room),
	(fd, to, n, offset, room))
extern __typeof__(__pread_chk) __pread64_chk LIBC_ALIAS(__pread_chk);

void libc_read_vector(const struct iovec *parts, size_t count, pc_t pc)
{
	if (!rt_can_read(parts, count * sizeof(*parts)))
		return;
	rt_libc_read(parts, count * sizeof(*parts), pc);
	for (size_t i = 0; i < count; i++)
		rt_libc_read(parts[i].iov_base, parts[i].iov_len, pc);
}

void libc_vector_room(const struct iovec *parts, size_t count, pc_t pc)
{
	if (!rt_can_read(parts, count * sizeof(*parts)))
		return;
	rt_libc_read(parts, count * sizeof(*parts), pc);
	for (size_t i = 0; i < count; i++)
		libc_will_write(parts[i].iov_base, parts[i].iov_len, pc);
}

void libc_wrote_vector(const struct iovec *parts, size_t count, ssize_t n, pc_t pc)
{
	for (size_t i = 0; i < count && n > 0; i++) {
		size_t here = parts[i].iov_len < (size_t)n ? parts[i].iov_len : (size_t)n;
		rt_libc_wrote(parts[i].iov_base, here, pc);
		n -= (ssize_t)here;
	}
}

#define PARTS (count > 0 ? (size_t)count : 0)
WRAP(ssize_t, readv, (int fd, const struct iovec *parts, int count), (fd, parts, count),
     CANCEL_POINT;
     USES(fd); libc_vector_room(parts, PARTS, PC), libc_wrote_vector(parts, PARTS, result, PC);
     CANCEL_IF_INTERRUPTED)
WRAP(ssize_t, preadv, (int fd, const struct iovec *parts, int count, off_t offset),
     (fd, parts, count, offset), CANCEL_POINT;
     USES(fd); libc_vector_room(parts, PARTS, PC), libc_wrote_vector(parts, PARTS, result, PC))
WRAP(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count),
     CANCEL_POINT;
     USES(fd); libc_read_vector(parts, PARTS, PC), CANCEL_IF_INTERRUPTED)
WRAP(ssize_t, pwritev, (int fd, const struct iovec *parts, int count, off_t offset),
     (fd, parts, count, offset), CANCEL_POINT;
     USES(fd); libc_read_vector(parts, PARTS, PC), NOTHING)

WRAP(ssize_t, preadv2, (int fd, const struct iovec *parts, int count, off_t offset, int flags),
     (fd, parts, count, offset, flags), CANCEL_POINT;
     USES(fd); libc_vector_room(parts, PARTS, PC), libc_wrote_vector(parts, PARTS, result, PC))
WRAP(ssize_t, pwritev2, (int fd, const struct iovec *parts, int count, off_t offset, int flags),
     (fd, parts, count, offset, flags), CANCEL_POINT;
     USES(fd); libc_read_vector(parts, PARTS, PC), NOTHING)
extern __typeof__(preadv) preadv64 LIBC_ALIAS(preadv);
extern __typeof__(pwritev) pwritev64 LIBC_ALIAS(pwritev);
extern __typeof__(preadv2) preadv64v2 LIBC_ALIAS(preadv2);
extern __typeof__(pwritev2) pwritev64v2 LIBC_ALIAS(pwritev2);

/* ---- copies between descriptors ---- */

#define MOVES(offset)         \
	READS_OBJECT(offset); \
	ROOM_OBJECT(offset)
WRAP(ssize_t, sendfile, (int to, int from, off_t *offset, size_t n), (to, from, offset, n),
     USES(from);
     USES(to); MOVES(offset), WROTE_OBJECT_IF(result >= 0, offset))
extern __typeof__(sendfile) sendfile64 LIBC_ALIAS(sendfile);
WRAP(ssize_t, splice,
     (int from, off64_t *from_at, int to, off64_t *to_at, size_t n, unsigned flags),
     (from, from_at, to, to_at, n, flags), CANCEL_POINT;
     USES(from); USES(to); MOVES(from_at); MOVES(to_at), WROTE_OBJECT_IF(result >= 0, from_at);
     WROTE_OBJECT_IF(result >= 0, to_at))
WRAP(ssize_t, copy_file_range,
     (int from, off64_t *from_at, int to, off64_t *to_at, size_t n, unsigned flags),
     (from, from_at, to, to_at, n, flags), USES(from);
     USES(to); MOVES(from_at); MOVES(to_at), WROTE_OBJECT_IF(result >= 0, from_at);
     WROTE_OBJECT_IF(result >= 0, to_at))
WRAP(ssize_t, tee, (int from, int to, size_t n, unsigned flags), (from, to, n, flags), CANCEL_POINT;
     USES(from); USES(to), NOTHING)

/* ---- opening and closing ---- */

static bool takes_mode(int flags)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
}

static mode_t mode_argument(int flags, va_list ap)
{
	return takes_mode(flags) ? va_arg(ap, mode_t) : 0;
}

int libc_opened(int fd, pc_t pc)
{
	if (fd >= 0)
		ev_sync(EV_OPEN, 0, 0, (uint64_t)fd, 0, pc);
	return fd;
}

RT_EXPORT int open(const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	mode_t mode = mode_argument(flags, ap);
	va_end(ap);
	if (!libc_enter(PC))
		return REAL_FN(open)(path, flags, mode);
	CANCEL_POINT;
	libc_read_string(path, PC);
	return libc_opened(LIBC_CALL(REAL_FN(open)(path, flags, mode)), PC);
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
	CANCEL_POINT;
	libc_read_string(path, PC);
	return libc_opened(LIBC_CALL(REAL_FN(openat)(directory, path, flags, mode)), PC);
}

extern __typeof__(openat) openat64 LIBC_ALIAS(openat);

WRAP(int, creat, (const char *path, mode_t mode), (path, mode), CANCEL_POINT;
     READS_TEXT(path), OPENED(result))
extern __typeof__(creat) creat64 LIBC_ALIAS(creat);

/* What headers make of an open without a mode: libc ends the program if the flags ask for one. */
WRAP(int, __open_2, (const char *path, int flags), (path, flags), CANCEL_POINT;
     READS_TEXT(path), OPENED(result))
WRAP(int, __openat_2, (int directory, const char *path, int flags), (directory, path, flags),
     CANCEL_POINT;
     READS_TEXT(path), OPENED(result))
extern __typeof__(__open_2) __open64_2 LIBC_ALIAS(__open_2);
extern __typeof__(__openat_2) __openat64_2 LIBC_ALIAS(__openat_2);

/* All descriptors from one on; those that were not open do not matter. */
WRAP(int, close_range, (unsigned from, unsigned to, int flags), (from, to, flags), buffer_empty();
     ev_sync(EV_CLOSE, 0, 0, from, 0, PC), NOTHING)
WRAP_VOID(closefrom, (int from), (from), buffer_empty();
	  ev_sync(EV_CLOSE, 0, 0, (uint64_t)from, 0, PC), NOTHING)
WRAP(int, close, (int fd), (fd), CANCEL_POINT; buffer_empty();
     ev_sync(EV_CLOSE, 0, 0, (uint64_t)fd, 0, PC), NOTHING)
WRAP(int, dup, (int fd), (fd), USES(fd), OPENED(result))
WRAP(int, dup2, (int fd, int as), (fd, as), USES(fd), OPENED(result))
WRAP(int, dup3, (int fd, int as, int flags), (fd, as, flags), USES(fd), OPENED(result))
WRAP(int, pipe, (int ends[2]), (ends), ROOM(ends, 2 * sizeof(*ends)), MADE_TWO(ends))
WRAP(int, pipe2, (int ends[2], int flags), (ends, flags), ROOM(ends, 2 * sizeof(*ends)),
     MADE_TWO(ends))
WRAP(int, memfd_create, (const char *name, unsigned flags), (name, flags), READS_TEXT(name),
     OPENED(result))

void libc_made_two(int result, const int *ends, pc_t pc)
{
	if (result)
		return;
	rt_libc_wrote(ends, 2 * sizeof(*ends), pc);
	libc_opened(ends[0], pc);
	libc_opened(ends[1], pc);
}

/* ---- state of a descriptor ---- */

WRAP(off_t, lseek, (int fd, off_t offset, int whence), (fd, offset, whence), USES(fd), NOTHING)
extern __typeof__(lseek) lseek64 LIBC_ALIAS(lseek);
WRAP(int, fsync, (int fd), (fd), CANCEL_POINT; USES(fd), NOTHING)
WRAP(int, fdatasync, (int fd), (fd), CANCEL_POINT; USES(fd), NOTHING)
WRAP(int, isatty, (int fd), (fd), USES(fd), NOTHING)
WRAP(int, ftruncate, (int fd, off_t size), (fd, size), USES(fd), NOTHING)
extern __typeof__(ftruncate) ftruncate64 LIBC_ALIAS(ftruncate);
WRAP(int, flock, (int fd, int operation), (fd, operation), USES(fd), NOTHING)
WRAP(int, lockf, (int fd, int command, off_t size), (fd, command, size), CANCEL_POINT;
     USES(fd), CANCEL_IF_INTERRUPTED)
extern __typeof__(lockf) lockf64 LIBC_ALIAS(lockf);

RT_EXPORT int fcntl(int fd, int command, ...)
{
	va_list ap;
	va_start(ap, command);
	void *argument = va_arg(ap, void *);
	va_end(ap);
	if (!libc_enter(PC))
		return REAL_FN(fcntl)(fd, command, argument);
	bool locks = command == F_GETLK || command == F_SETLK || command == F_SETLKW ||
		     command == F_OFD_GETLK || command == F_OFD_SETLK || command == F_OFD_SETLKW;
	if (command == F_SETLKW || command == F_OFD_SETLKW)
		CANCEL_POINT;
	USES(fd);
	if (locks)
		READS(argument, sizeof(struct flock));
	int result = LIBC_CALL(REAL_FN(fcntl)(fd, command, argument));
	if (locks)
		WROTE_CHANGES(argument, sizeof(struct flock));
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		OPENED(result);
	CANCEL_IF_INTERRUPTED;
	return result;
}

extern __typeof__(fcntl) fcntl64 LIBC_ALIAS(fcntl);

/* How many bytes the argument of a request points to; what changed shows the direction. */
static size_t request_size(unsigned long request, pc_t pc)
{
	if (_IOC_DIR(request) != _IOC_NONE)
		return _IOC_SIZE(request);
	switch (request) {
	case TIOCGWINSZ:
	case TIOCSWINSZ:
		return sizeof(struct winsize);
	case FIONREAD:
	case FIONBIO:
		return sizeof(int);
	case FIOCLEX:
	case FIONCLEX:
		return 0;
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
	bool is_input =
		request == TIOCSWINSZ || request == FIONBIO || _IOC_DIR(request) & _IOC_WRITE;
	USES(fd);
	if (is_input)
		rt_libc_read(argument, size, PC);
	int rc = LIBC_CALL(REAL_FN(ioctl)(fd, request, argument));
	if (size)
		libc_wrote_if_changed(argument, size, PC);
	return rc;
}
