/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of files and locks on files.  A call that changes what a name refers to is before a later
 * call that looks up the same name, successful or not: programs use files that only one thread can
 * create as locks, and renamed files as messages.  Only the last component of a path is compared,
 * so that working directories need not be known.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "run/channel.h"
#include "run/descriptor.h"
#include "run/files.h"
#include "run/real.h"
#include "run/place.h"
#include "run/run.h"
#include "run/shadow.h"

static uint32_t has_notices, has_locks;

static void will_change(struct thr *t, const char *path)
{
	if (!t || !path || !run_state.is_parallel)
		return;
	channel_send(t, channel_of_name(path));
	if (__atomic_load_n(&has_notices, __ATOMIC_RELAXED))
		channel_send(t, CHANNEL_EVENTS);
}

static int looked_up(struct thr *t, const char *path, int rc)
{
	int error = errno;
	if (t && path && run_state.is_parallel)
		channel_receive(t, channel_of_name(path));
	errno = error;
	return rc;
}

void files_before_open(struct thr *t, const char *path, int flags)
{
	if (flags & (O_CREAT | O_TRUNC))
		will_change(t, path);
}

int files_opened(struct thr *t, const char *path, int fd)
{
	return looked_up(t, path, fd);
}

void files_changed(struct thr *t, uint32_t channel)
{
	if (channel >= CHANNEL_INODES && __atomic_load_n(&has_notices, __ATOMIC_RELAXED))
		channel_send(t, CHANNEL_EVENTS);
}

/* A function that looks up a name. */
#define LOOKS_BY(name, parameters, arguments)                              \
	RUN_EXPORT int name parameters                                     \
	{                                                                  \
		return looked_up(run_self, path, REAL_FN(name) arguments); \
	}

/* A function that changes what a name refers to. */
#define CHANGES_BY(name, parameters, arguments)                            \
	RUN_EXPORT int name parameters                                     \
	{                                                                  \
		will_change(run_self, path);                               \
		return looked_up(run_self, path, REAL_FN(name) arguments); \
	}

/* The same for a name that replaces another one. */
#define MOVES_BY(name, parameters, arguments)                              \
	RUN_EXPORT int name parameters                                     \
	{                                                                  \
		will_change(run_self, from);                               \
		will_change(run_self, path);                               \
		return looked_up(run_self, path, REAL_FN(name) arguments); \
	}

/* The same, which also fills in *to. */
#define DESCRIBES_BY(name, parameters, arguments)                                              \
	RUN_EXPORT int name parameters                                                         \
	{                                                                                      \
		int rc = looked_up(run_self, path, REAL_FN(name) arguments);                   \
		if (run_self && !rc)                                                           \
			access_range(run_self, (uintptr_t)to, sizeof(*to), CELL_WRITE, PLACE); \
		return rc;                                                                     \
	}

DESCRIBES_BY(stat, (const char *restrict path, struct stat *restrict to), (path, to))
DESCRIBES_BY(lstat, (const char *restrict path, struct stat *restrict to), (path, to))
DESCRIBES_BY(fstatat,
	     (int directory, const char *restrict path, struct stat *restrict to, int flags),
	     (directory, path, to, flags))
LOOKS_BY(access, (const char *path, int mode), (path, mode))
LOOKS_BY(faccessat, (int directory, const char *path, int mode, int flags),
	 (directory, path, mode, flags))
CHANGES_BY(unlink, (const char *path), (path))
CHANGES_BY(unlinkat, (int directory, const char *path, int flags), (directory, path, flags))
CHANGES_BY(remove, (const char *path), (path))
CHANGES_BY(mkdir, (const char *path, mode_t mode), (path, mode))
CHANGES_BY(mkdirat, (int directory, const char *path, mode_t mode), (directory, path, mode))
CHANGES_BY(rmdir, (const char *path), (path))
CHANGES_BY(symlink, (const char *to, const char *path), (to, path))
MOVES_BY(rename, (const char *from, const char *path), (from, path))
MOVES_BY(renameat, (int a, const char *from, int b, const char *path), (a, from, b, path))
MOVES_BY(link, (const char *from, const char *path), (from, path))
MOVES_BY(linkat, (int a, const char *from, int b, const char *path, int flags),
	 (a, from, b, path, flags))

RUN_EXPORT int inotify_init(void)
{
	__atomic_store_n(&has_notices, 1, __ATOMIC_SEQ_CST);
	return descriptor_made(REAL_FN(inotify_init)());
}

RUN_EXPORT int inotify_init1(int flags)
{
	__atomic_store_n(&has_notices, 1, __ATOMIC_SEQ_CST);
	return descriptor_made(REAL_FN(inotify_init1)(flags));
}

/* ---- locks ---- */

static void will_unlock(struct thr *t, int fd)
{
	if (t && run_state.is_parallel)
		channel_send(t, channel_of_inode(fd, CHANNEL_FILE_LOCKS));
}

static int locked(struct thr *t, int fd, int rc)
{
	if (t && !rc && run_state.is_parallel) {
		__atomic_store_n(&has_locks, 1, __ATOMIC_RELAXED);
		channel_receive(t, channel_of_inode(fd, CHANNEL_FILE_LOCKS));
	}
	return rc;
}

void files_before_close(struct thr *t, int fd)
{
	if (__atomic_load_n(&has_locks, __ATOMIC_RELAXED))
		will_unlock(t, fd);
}

/* Converting one kind of lock to the other releases the former. */
RUN_EXPORT int flock(int fd, int operation)
{
	will_unlock(run_self, fd);
	int rc = REAL_FN(flock)(fd, operation);
	return operation & LOCK_UN ? rc : locked(run_self, fd, rc);
}

#define LOCKF_BY(name, size)                                               \
	RUN_EXPORT int name(int fd, int command, size n)                   \
	{                                                                  \
		will_unlock(run_self, fd);                                 \
		int rc = REAL_FN(name)(fd, command, n);                    \
		return command == F_ULOCK ? rc : locked(run_self, fd, rc); \
	}

LOCKF_BY(lockf, off_t)
LOCKF_BY(lockf64, off64_t)

static bool is_lock(int command)
{
	return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
	       command == F_OFD_SETLKW;
}

static int control(int fd, int command, void *argument, __typeof__(fcntl) *real)
{
	struct thr *t = run_self;
	if (!is_lock(command)) {
		int rc = real(fd, command, argument);
		bool is_copy = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
		return is_copy ? descriptor_made(rc) : rc;
	}
	will_unlock(t, fd);
	int rc = real(fd, command, argument);
	return ((const struct flock *)argument)->l_type == F_UNLCK ? rc : locked(t, fd, rc);
}

#define CONTROL_BY(name)                                              \
	RUN_EXPORT int name(int fd, int command, ...)                 \
	{                                                             \
		va_list ap;                                           \
		va_start(ap, command);                                \
		void *argument = va_arg(ap, void *);                  \
		va_end(ap);                                           \
		return control(fd, command, argument, REAL_FN(name)); \
	}

CONTROL_BY(fcntl)
CONTROL_BY(fcntl64)
