/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files seen by names relative to a directory, their owners, times and further attributes, file
 * systems. Texts are read, what the caller's objects are filled with is written; the file system
 * itself is outside. Functions that name the same thing with 64 in it are the same on this
 * machine.
 */
#include "rt/libc_wrap.h"

#define OF_PATH(name, parameters, arguments) \
	WRAP(int, name, parameters, arguments, READS_TEXT(path), NOTHING)
#define OF_PATHS(name, parameters, arguments) \
	WRAP(int, name, parameters, arguments, READS_TEXT(path); READS_TEXT(other), NOTHING)
#define OF_NUMBERS(type, name, parameters, arguments) \
	WRAP(type, name, parameters, arguments, NOTHING, NOTHING)

/* ---- names ---- */

OF_PATH(faccessat, (int directory, const char *path, int mode, int flags),
	(directory, path, mode, flags))
OF_PATH(eaccess, (const char *path, int mode), (path, mode))
OF_PATH(euidaccess, (const char *path, int mode), (path, mode))
OF_PATH(mkdirat, (int directory, const char *path, mode_t mode), (directory, path, mode))
OF_PATH(mkfifoat, (int directory, const char *path, mode_t mode), (directory, path, mode))
OF_PATH(mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device))
OF_PATH(mknodat, (int directory, const char *path, mode_t mode, dev_t device),
	(directory, path, mode, device))
OF_PATH(unlinkat, (int directory, const char *path, int flags), (directory, path, flags))
OF_PATHS(renameat, (int from, const char *path, int to, const char *other), (from, path, to, other))
OF_PATHS(renameat2, (int from, const char *path, int to, const char *other, unsigned flags),
	 (from, path, to, other, flags))
OF_PATHS(linkat, (int from, const char *path, int to, const char *other, int flags),
	 (from, path, to, other, flags))
OF_PATHS(symlinkat, (const char *path, int to, const char *other), (path, to, other))
WRAP(ssize_t, readlinkat,
     (int directory, const char *restrict path, char *restrict to, size_t room),
     (directory, path, to, room), READS_TEXT(path);
     ROOM(to, room), WROTE(to, result > 0 ? (size_t)result : 0))
WRAP(ssize_t, __readlink_chk, (const char *restrict path, char *restrict to, size_t n, size_t room),
     (path, to, n, room), READS_TEXT(path);
     ROOM(to, n), WROTE(to, result > 0 ? (size_t)result : 0))
WRAP(ssize_t, __readlinkat_chk,
     (int directory, const char *restrict path, char *restrict to, size_t n, size_t room),
     (directory, path, to, n, room), READS_TEXT(path);
     ROOM(to, n), WROTE(to, result > 0 ? (size_t)result : 0))
WRAP(char *, __realpath_chk, (const char *restrict path, char *restrict to, size_t room),
     (path, to, room), READS_TEXT(path), WROTE_TEXT(result))
WRAP(char *, canonicalize_file_name, (const char *path), (path), READS_TEXT(path),
     WROTE_TEXT(result))
WRAP(char *, __getcwd_chk, (char *to, size_t size, size_t room), (to, size, room),
     LOOKS_AT(DIRECTORY), WROTE_TEXT(result))
WRAP(char *, get_current_dir_name, (void), (), LOOKS_AT(DIRECTORY), WROTE_TEXT(result))
WRAP(int, fchdir, (int fd), (fd), CHANGES(DIRECTORY), NOTHING)

/* ---- owners and modes ---- */

OF_PATH(chown, (const char *path, uid_t user, gid_t group), (path, user, group))
OF_PATH(lchown, (const char *path, uid_t user, gid_t group), (path, user, group))
OF_PATH(fchownat, (int directory, const char *path, uid_t user, gid_t group, int flags),
	(directory, path, user, group, flags))
OF_PATH(lchmod, (const char *path, mode_t mode), (path, mode))
OF_PATH(fchmodat, (int directory, const char *path, mode_t mode, int flags),
	(directory, path, mode, flags))
OF_NUMBERS(int, fchmod, (int fd, mode_t mode), (fd, mode))
OF_NUMBERS(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group))

/* ---- times ---- */

#define PAIR(p) rt_libc_read(p, (p) ? 2 * sizeof(*(p)) : 0, PC)
WRAP(int, utime, (const char *path, const struct utimbuf *times), (path, times), READS_TEXT(path);
     READS_OBJECT(times), NOTHING)
WRAP(int, utimes, (const char *path, const struct timeval times[2]), (path, times),
     READS_TEXT(path);
     PAIR(times), NOTHING)
WRAP(int, lutimes, (const char *path, const struct timeval times[2]), (path, times),
     READS_TEXT(path);
     PAIR(times), NOTHING)
WRAP(int, futimes, (int fd, const struct timeval times[2]), (fd, times), PAIR(times), NOTHING)
WRAP(int, futimens, (int fd, const struct timespec times[2]), (fd, times), PAIR(times), NOTHING)
WRAP(int, utimensat, (int directory, const char *path, const struct timespec times[2], int flags),
     (directory, path, times, flags), READS_TEXT(path);
     PAIR(times), NOTHING)
WRAP(int, futimesat, (int directory, const char *path, const struct timeval times[2]),
     (directory, path, times), READS_TEXT(path);
     PAIR(times), NOTHING)

/* ---- information about files and file systems ---- */

#define TOLD_BY_PATH(name, type)                                                    \
	WRAP(int, name, (const char *restrict path, type *restrict to), (path, to), \
	     READS_TEXT(path);                                                      \
	     ROOM_OBJECT(to), WROTE_OBJECT_IF(!result, to))
#define TOLD_BY_NUMBER(name, type) \
	WRAP(int, name, (int fd, type *to), (fd, to), ROOM_OBJECT(to), WROTE_OBJECT_IF(!result, to))
TOLD_BY_PATH(statfs, struct statfs)
TOLD_BY_PATH(statfs64, struct statfs64)
TOLD_BY_PATH(statvfs, struct statvfs)
TOLD_BY_PATH(statvfs64, struct statvfs64)
TOLD_BY_NUMBER(fstatfs, struct statfs)
TOLD_BY_NUMBER(fstatfs64, struct statfs64)
TOLD_BY_NUMBER(fstatvfs, struct statvfs)
TOLD_BY_NUMBER(fstatvfs64, struct statvfs64)
WRAP(int, fstatat64,
     (int directory, const char *restrict path, struct stat64 *restrict to, int flags),
     (directory, path, to, flags), READS_TEXT(path);
     ROOM_OBJECT(to), WROTE_OBJECT_IF(!result, to))
WRAP(int, statx,
     (int directory, const char *restrict path, int flags, unsigned mask,
      struct statx *restrict to),
     (directory, path, flags, mask, to), READS_TEXT(path);
     ROOM_OBJECT(to), WROTE_OBJECT_IF(!result, to))

/* The forms with the version of struct stat in front, which programs built long ago call. */
#define VERSIONED(name, parameters, arguments, before) \
	WRAP(int, name, parameters, arguments, before; \
	     ROOM_OBJECT(to), WROTE_OBJECT_IF(!result, to))
VERSIONED(__xstat, (int version, const char *path, struct stat *to), (version, path, to),
	  READS_TEXT(path))
VERSIONED(__lxstat, (int version, const char *path, struct stat *to), (version, path, to),
	  READS_TEXT(path))
VERSIONED(__fxstat, (int version, int fd, struct stat *to), (version, fd, to), NOTHING)
VERSIONED(__fxstatat, (int version, int directory, const char *path, struct stat *to, int flags),
	  (version, directory, path, to, flags), READS_TEXT(path))
VERSIONED(__xstat64, (int version, const char *path, struct stat64 *to), (version, path, to),
	  READS_TEXT(path))
VERSIONED(__lxstat64, (int version, const char *path, struct stat64 *to), (version, path, to),
	  READS_TEXT(path))
VERSIONED(__fxstat64, (int version, int fd, struct stat64 *to), (version, fd, to), NOTHING)
VERSIONED(__fxstatat64,
	  (int version, int directory, const char *path, struct stat64 *to, int flags),
	  (version, directory, path, to, flags), READS_TEXT(path))
WRAP(int, __xmknod, (int version, const char *path, mode_t mode, dev_t *device),
     (version, path, mode, device), READS_TEXT(path);
     READS_OBJECT(device), NOTHING)
WRAP(int, __xmknodat, (int version, int directory, const char *path, mode_t mode, dev_t *device),
     (version, directory, path, mode, device), READS_TEXT(path);
     READS_OBJECT(device), NOTHING)

WRAP(long, pathconf, (const char *path, int what), (path, what), READS_TEXT(path), NOTHING)
OF_NUMBERS(long, fpathconf, (int fd, int what), (fd, what))
OF_NUMBERS(int, isfdtype, (int fd, int type), (fd, type))

/* ---- further attributes ---- */

#define GET_ATTRIBUTE(name, where, place, before)                                  \
	WRAP(ssize_t, name, (where, const char *attribute, void *to, size_t room), \
	     (place, attribute, to, room), before;                                 \
	     READS_TEXT(attribute);                                                \
	     ROOM(to, room), WROTE(to, room && result > 0 ? (size_t)result : 0))
#define LIST_ATTRIBUTES(name, where, place, before)                                    \
	WRAP(ssize_t, name, (where, char *to, size_t room), (place, to, room), before; \
	     ROOM(to, room), WROTE(to, room && result > 0 ? (size_t)result : 0))
#define SET_ATTRIBUTE(name, where, place, before)                                              \
	WRAP(int, name, (where, const char *attribute, const void *from, size_t n, int flags), \
	     (place, attribute, from, n, flags), before;                                       \
	     READS_TEXT(attribute); READS(from, n), NOTHING)
#define REMOVE_ATTRIBUTE(name, where, place, before)                                \
	WRAP(int, name, (where, const char *attribute), (place, attribute), before; \
	     READS_TEXT(attribute), NOTHING)
GET_ATTRIBUTE(getxattr, const char *path, path, READS_TEXT(path))
GET_ATTRIBUTE(lgetxattr, const char *path, path, READS_TEXT(path))
GET_ATTRIBUTE(fgetxattr, int fd, fd, NOTHING)
LIST_ATTRIBUTES(listxattr, const char *path, path, READS_TEXT(path))
LIST_ATTRIBUTES(llistxattr, const char *path, path, READS_TEXT(path))
LIST_ATTRIBUTES(flistxattr, int fd, fd, NOTHING)
SET_ATTRIBUTE(setxattr, const char *path, path, READS_TEXT(path))
SET_ATTRIBUTE(lsetxattr, const char *path, path, READS_TEXT(path))
SET_ATTRIBUTE(fsetxattr, int fd, fd, NOTHING)
REMOVE_ATTRIBUTE(removexattr, const char *path, path, READS_TEXT(path))
REMOVE_ATTRIBUTE(lremovexattr, const char *path, path, READS_TEXT(path))
REMOVE_ATTRIBUTE(fremovexattr, int fd, fd, NOTHING)

/* ---- handles ---- */

WRAP(int, name_to_handle_at,
     (int directory, const char *path, struct file_handle *to, int *mount, int flags),
     (directory, path, to, mount, flags), READS_TEXT(path);
     READS_OBJECT(to), WROTE_OBJECT(to); WROTE_OBJECT_IF(!result, mount);
     WROTE(to->f_handle, result ? 0 : to->handle_bytes))
WRAP(int, open_by_handle_at, (int mount, struct file_handle *from, int flags), (mount, from, flags),
     READS_OBJECT(from);
     READS(from->f_handle, from->handle_bytes), NOTHING)

/* ---- file systems ---- */

WRAP(int, mount,
     (const char *source, const char *target, const char *type, unsigned long flags,
      const void *data),
     (source, target, type, flags, data), READS_TEXT(source);
     READS_TEXT(target); READS_TEXT(type), NOTHING)
OF_PATH(umount, (const char *path), (path))
OF_PATH(umount2, (const char *path, int flags), (path, flags))
OF_PATH(swapon, (const char *path, int flags), (path, flags))
OF_PATH(swapoff, (const char *path), (path))
OF_PATH(acct, (const char *path), (path))
OF_PATH(chroot, (const char *path), (path))
OF_PATHS(pivot_root, (const char *path, const char *other), (path, other))
WRAP(int, shm_open, (const char *path, int flags, mode_t mode), (path, flags, mode),
     READS_TEXT(path), NOTHING)
OF_PATH(shm_unlink, (const char *path), (path))

/* ---- advice and room for the data of a descriptor ---- */

OF_NUMBERS(int, posix_fadvise, (int fd, off_t offset, off_t n, int advice), (fd, offset, n, advice))
OF_NUMBERS(int, posix_fallocate, (int fd, off_t offset, off_t n), (fd, offset, n))
OF_NUMBERS(int, fallocate, (int fd, int mode, off_t offset, off_t n), (fd, mode, offset, n))
OF_NUMBERS(int, sync_file_range, (int fd, off_t offset, off_t n, unsigned flags),
	   (fd, offset, n, flags))
OF_NUMBERS(ssize_t, readahead, (int fd, off_t offset, size_t n), (fd, offset, n))
extern __typeof__(posix_fadvise) posix_fadvise64 LIBC_ALIAS(posix_fadvise);
extern __typeof__(posix_fallocate) posix_fallocate64 LIBC_ALIAS(posix_fallocate);
extern __typeof__(fallocate) fallocate64 LIBC_ALIAS(fallocate);

/* ---- names that are free at the moment ---- */

WRAP(char *, mktemp, (char *path), (path), READS_TEXT(path), WROTE_TEXT(path))
WRAP(char *, tmpnam, (char to[L_tmpnam]), (to), if (!to) CHANGES(BUFFER), WROTE_TEXT(result))
WRAP(char *, tempnam, (const char *directory, const char *prefix), (directory, prefix),
     READS_TEXT(directory);
     READS_TEXT(prefix); LOOKS_AT(ENVIRON), WROTE_TEXT(result))
