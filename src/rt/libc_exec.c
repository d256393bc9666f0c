/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec: another program takes over the process, uncontrolled.  For the run that is the end of the
 * process; so it must be known before that the call will not fail for the common reason, a file
 * that is not there or cannot be executed.
 */
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "rt/start.h"
#include "rt/sys.h"

#define PATH_LONGEST 4096
#define ARGUMENTS 4096

extern char **environ;

static bool has_slash(const char *s)
{
	while (*s && *s != '/')
		s++;
	return *s;
}

static bool is_executable(const char *path)
{
	return !sys4(SYS_faccessat, AT_FDCWD, path, X_OK, 0);
}

static const char *search_path(void)
{
	for (char **e = environ; e && *e; e++)
		if (!rt_memcmp(*e, "PATH=", 5))
			return *e + 5;
	return "/bin:/usr/bin";
}

/* As execvp searches. */
static bool is_found(const char *name)
{
	char path[PATH_LONGEST];
	size_t len = rt_strlen(name);
	for (const char *p = search_path();; p++) {
		size_t n = 0;
		while (*p && *p != ':' && n < sizeof(path) - 2)
			path[n++] = *p++;
		if (n)
			path[n++] = '/';
		if (n + len < sizeof(path)) {
			rt_memcpy(path + n, name, len + 1);
			if (is_executable(path))
				return true;
		}
		if (*p != ':')
			return false;
	}
}

/* false: it cannot work, errno says why. */
static bool leave_for(const char *file, bool searches, pc_t pc)
{
	libc_read_string(file, pc);
	bool works = searches && !has_slash(file) ? is_found(file) : is_executable(file);
	if (!works) {
		errno = ENOENT;
		if (!sys4(SYS_faccessat, AT_FDCWD, file, F_OK, 0))
			errno = EACCES;
		return false;
	}
	rt_announce_exec(pc);
	return true;
}

#define EXEC(name, parameters, arguments, searches)                   \
	RT_EXPORT int name parameters                                 \
	{                                                             \
		if (libc_enter(PC) && !leave_for(file, searches, PC)) \
			return -1;                                    \
		return REAL_FN(name) arguments;                       \
	}
EXEC(execv, (const char *file, char *const argv[]), (file, argv), false)
EXEC(execve, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp), false)
EXEC(execvp, (const char *file, char *const argv[]), (file, argv), true)
EXEC(execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp), true)

RT_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	if (libc_enter(PC))
		rt_announce_exec(PC);
	return REAL_FN(fexecve)(fd, argv, envp);
}

/* The forms with a list of arguments. */
#define COLLECT(first, after)                   \
	char *argv[ARGUMENTS];                  \
	va_list ap;                             \
	unsigned n = 0;                         \
	argv[n++] = (char *)first;              \
	va_start(ap, first);                    \
	while (argv[n - 1] && n < ARGUMENTS)    \
		argv[n++] = va_arg(ap, char *); \
	after;                                  \
	va_end(ap);                             \
	if (argv[n - 1]) {                      \
		errno = E2BIG;                  \
		return -1;                      \
	}

RT_EXPORT int execl(const char *file, const char *first, ...)
{
	COLLECT(first, NOTHING)
	if (libc_enter(PC) && !leave_for(file, false, PC))
		return -1;
	return REAL_FN(execv)(file, argv);
}

RT_EXPORT int execlp(const char *file, const char *first, ...)
{
	COLLECT(first, NOTHING)
	if (libc_enter(PC) && !leave_for(file, true, PC))
		return -1;
	return REAL_FN(execvp)(file, argv);
}

RT_EXPORT int execle(const char *file, const char *first, ...)
{
	char *const *envp;
	COLLECT(first, envp = va_arg(ap, char *const *))
	if (libc_enter(PC) && !leave_for(file, false, PC))
		return -1;
	return REAL_FN(execve)(file, argv, envp);
}
