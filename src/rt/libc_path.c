/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file system, seen by names: the outside world answers, by the system calls below.
 * Directories being read are streams of libc's.
 */
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "wire/wire.h"

/* A name, perhaps a number. */
#define OF_NAME(name)                                  \
	RT_EXPORT int name(const char *path)           \
	{                                              \
		if (!libc_enter(PC))                   \
			return REAL_FN(name)(path);    \
		libc_read_string(path, PC);            \
		return LIBC_CALL(REAL_FN(name)(path)); \
	}
#define OF_NAME_AND(name, type)                             \
	RT_EXPORT int name(const char *path, type how)      \
	{                                                   \
		if (!libc_enter(PC))                        \
			return REAL_FN(name)(path, how);    \
		libc_read_string(path, PC);                 \
		return LIBC_CALL(REAL_FN(name)(path, how)); \
	}
#define OF_TWO_NAMES(name)                                      \
	RT_EXPORT int name(const char *path, const char *other) \
	{                                                       \
		if (!libc_enter(PC))                            \
			return REAL_FN(name)(path, other);      \
		libc_read_string(path, PC);                     \
		libc_read_string(other, PC);                    \
		return LIBC_CALL(REAL_FN(name)(path, other));   \
	}
OF_NAME(remove)
OF_NAME(unlink)
OF_NAME(rmdir)
OF_NAME_AND(access, int)
OF_NAME_AND(mkdir, mode_t)
OF_NAME_AND(chmod, mode_t)
OF_NAME_AND(mkfifo, mode_t)
OF_NAME_AND(truncate, off_t)
OF_TWO_NAMES(rename)
OF_TWO_NAMES(link)
OF_TWO_NAMES(symlink)
extern __typeof__(truncate) truncate64 LIBC_ALIAS(truncate);

/* ---- attributes ---- */

static int told(int rc, const struct stat *st, pc_t pc)
{
	if (!rc)
		rt_libc_wrote(st, sizeof(*st), pc);
	return rc;
}

RT_EXPORT int stat(const char *restrict path, struct stat *restrict to)
{
	if (!libc_enter(PC))
		return REAL_FN(stat)(path, to);
	libc_read_string(path, PC);
	libc_will_write(to, sizeof(*to), PC);
	return told(LIBC_CALL(REAL_FN(stat)(path, to)), to, PC);
}

RT_EXPORT int lstat(const char *restrict path, struct stat *restrict to)
{
	if (!libc_enter(PC))
		return REAL_FN(lstat)(path, to);
	libc_read_string(path, PC);
	libc_will_write(to, sizeof(*to), PC);
	return told(LIBC_CALL(REAL_FN(lstat)(path, to)), to, PC);
}

RT_EXPORT int fstat(int fd, struct stat *to)
{
	if (!libc_enter(PC))
		return REAL_FN(fstat)(fd, to);
	libc_will_write(to, sizeof(*to), PC);
	return told(LIBC_CALL(REAL_FN(fstat)(fd, to)), to, PC);
}

RT_EXPORT int fstatat(int directory, const char *restrict path, struct stat *restrict to, int flags)
{
	if (!libc_enter(PC))
		return REAL_FN(fstatat)(directory, path, to, flags);
	libc_read_string(path, PC);
	libc_will_write(to, sizeof(*to), PC);
	return told(LIBC_CALL(REAL_FN(fstatat)(directory, path, to, flags)), to, PC);
}

/* On this machine struct stat64 is struct stat under another name. */
_Static_assert(sizeof(struct stat64) == sizeof(struct stat),
	       "struct stat64 has a layout of its own");

#define SAME_STAT(name, parameters) RT_EXPORT int name parameters
SAME_STAT(stat64, (const char *path, struct stat64 *to))
{
	if (!libc_enter(PC))
		return REAL_FN(stat64)(path, to);
	libc_read_string(path, PC);
	libc_will_write(to, sizeof(*to), PC);
	return told(LIBC_CALL(REAL_FN(stat64)(path, to)), (const struct stat *)to, PC);
}

SAME_STAT(fstat64, (int fd, struct stat64 *to))
{
	if (!libc_enter(PC))
		return REAL_FN(fstat64)(fd, to);
	libc_will_write(to, sizeof(*to), PC);
	return told(LIBC_CALL(REAL_FN(fstat64)(fd, to)), (const struct stat *)to, PC);
}

SAME_STAT(lstat64, (const char *path, struct stat64 *to))
{
	if (!libc_enter(PC))
		return REAL_FN(lstat64)(path, to);
	libc_read_string(path, PC);
	libc_will_write(to, sizeof(*to), PC);
	return told(LIBC_CALL(REAL_FN(lstat64)(path, to)), (const struct stat *)to, PC);
}

RT_EXPORT ssize_t readlink(const char *restrict path, char *restrict to, size_t room)
{
	if (!libc_enter(PC))
		return REAL_FN(readlink)(path, to, room);
	libc_read_string(path, PC);
	libc_will_write(to, room, PC);
	ssize_t n = LIBC_CALL(REAL_FN(readlink)(path, to, room));
	if (n > 0)
		rt_libc_wrote(to, (size_t)n, PC);
	return n;
}

static char *wrote_name(char *name, pc_t pc)
{
	if (name)
		libc_wrote_string(name, pc);
	return name;
}

RT_EXPORT char *realpath(const char *restrict path, char *restrict to)
{
	if (!libc_enter(PC))
		return REAL_FN(realpath)(path, to);
	libc_read_string(path, PC);
	return wrote_name(LIBC_CALL(REAL_FN(realpath)(path, to)), PC);
}

/* ---- temporary names ---- */

#define NAME_LETTERS 6

/*
 * libc would fill in random letters.  Here the first free name is taken, so that the same run in
 * the same place has the same names.
 */
static bool next_name(char *letters, unsigned *n)
{
	unsigned v = (*n)++;
	for (int i = NAME_LETTERS; i-- > 0; v /= 26)
		letters[i] = (char)('a' + v % 26);
	return v == 0; /* all have been tried otherwise */
}

/* Where the XXXXXX begin, before `suffix` bytes that stay; NULL if they are not there. */
static char *letters_of(char *path, size_t suffix)
{
	size_t n = rt_strlen(path);
	if (n < NAME_LETTERS + suffix)
		return NULL;
	char *letters = path + n - suffix - NAME_LETTERS;
	for (int i = 0; i < NAME_LETTERS; i++)
		if (letters[i] != 'X')
			return NULL;
	return letters;
}

/* A new file (flags) or directory (flags -1): its descriptor or 0, or -1 and errno. */
static int make_temporary(char *path, size_t suffix, int flags, pc_t pc)
{
	libc_read_string(path, pc);
	char *letters = letters_of(path, suffix);
	if (!letters) {
		errno = EINVAL;
		return -1;
	}
	libc_will_write(letters, NAME_LETTERS, pc);
	unsigned n = 0;
	int rc = -1;
	errno = EEXIST;
	while (rc < 0 && errno == EEXIST && next_name(letters, &n))
		if (flags == -1)
			rc = REAL_FN(mkdir)(path, 0700);
		else
			rc = REAL_FN(open)(path, flags | O_RDWR | O_CREAT | O_EXCL, 0600);
	rt_libc_wrote(letters, NAME_LETTERS, pc);
	if (flags != -1 && rc >= 0)
		ev_sync(EV_OPEN, 0, 0, (uint64_t)rc, 0, pc);
	return rc;
}

RT_EXPORT int mkstemp(char *path)
{
	if (!libc_enter(PC))
		return REAL_FN(mkstemp)(path);
	return make_temporary(path, 0, 0, PC);
}

extern __typeof__(mkstemp) mkstemp64 LIBC_ALIAS(mkstemp);

RT_EXPORT int mkostemp(char *path, int flags)
{
	if (!libc_enter(PC))
		return REAL_FN(mkostemp)(path, flags);
	return make_temporary(path, 0, flags, PC);
}

extern __typeof__(mkostemp) mkostemp64 LIBC_ALIAS(mkostemp);

RT_EXPORT int mkstemps(char *path, int suffix)
{
	if (!libc_enter(PC))
		return REAL_FN(mkstemps)(path, suffix);
	return make_temporary(path, (size_t)suffix, 0, PC);
}

extern __typeof__(mkstemps) mkstemps64 LIBC_ALIAS(mkstemps);

RT_EXPORT int mkostemps(char *path, int suffix, int flags)
{
	if (!libc_enter(PC))
		return REAL_FN(mkostemps)(path, suffix, flags);
	return make_temporary(path, (size_t)suffix, flags, PC);
}

extern __typeof__(mkostemps) mkostemps64 LIBC_ALIAS(mkostemps);

RT_EXPORT char *mkdtemp(char *path)
{
	if (!libc_enter(PC))
		return REAL_FN(mkdtemp)(path);
	return make_temporary(path, 0, -1, PC) ? NULL : path;
}

/* ---- what the process has one of ---- */

RT_EXPORT char *getcwd(char *to, size_t size)
{
	if (!libc_enter(PC))
		return REAL_FN(getcwd)(to, size);
	libc_hidden(HIDDEN_DIRECTORY, false, PC);
	return wrote_name(LIBC_CALL(REAL_FN(getcwd)(to, size)), PC);
}

RT_EXPORT int chdir(const char *path)
{
	if (!libc_enter(PC))
		return REAL_FN(chdir)(path);
	libc_read_string(path, PC);
	libc_hidden(HIDDEN_DIRECTORY, true, PC);
	return LIBC_CALL(REAL_FN(chdir)(path));
}

RT_EXPORT mode_t umask(mode_t mask)
{
	if (libc_enter(PC))
		libc_hidden(HIDDEN_FILE_MASK, true, PC);
	return REAL_FN(umask)(mask);
}

/* ---- directories ---- */

RT_EXPORT DIR *opendir(const char *path)
{
	if (!libc_enter(PC))
		return REAL_FN(opendir)(path);
	libc_read_string(path, PC);
	DIR *directory = LIBC_CALL(REAL_FN(opendir)(path));
	return directory;
}

RT_EXPORT struct dirent *readdir(DIR *directory)
{
	if (!libc_enter(PC))
		return REAL_FN(readdir)(directory);
	libc_object(HIDDEN_OPEN_DIRECTORY, directory, true, PC);
	struct dirent *entry = LIBC_CALL(REAL_FN(readdir)(directory));
	if (entry)
		rt_libc_wrote(entry, entry->d_reclen, PC);
	return entry;
}

RT_EXPORT struct dirent64 *readdir64(DIR *directory)
{
	if (!libc_enter(PC))
		return REAL_FN(readdir64)(directory);
	libc_object(HIDDEN_OPEN_DIRECTORY, directory, true, PC);
	struct dirent64 *entry = LIBC_CALL(REAL_FN(readdir64)(directory));
	if (entry)
		rt_libc_wrote(entry, entry->d_reclen, PC);
	return entry;
}

RT_EXPORT int closedir(DIR *directory)
{
	if (!libc_enter(PC))
		return REAL_FN(closedir)(directory);
	libc_object(HIDDEN_OPEN_DIRECTORY, directory, true, PC);
	return LIBC_CALL(REAL_FN(closedir)(directory));
}
