/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process and the machine: identities, limits, randomness, attributes.  Identities are
 * inputs; a thread's number is its own only in the model: fibers share one OS thread, and a trace
 * must not depend on the backend.
 */
#include "rt/explore.h"
#include "rt/libc_process.h"
#include "rt/libc_wrap.h"
#include "rt/thread.h"
#include "wire/wire.h"

#define IDENTITY(type, name) WRAP(type, name, (void), (), NOTHING, NOTHING)
IDENTITY(pid_t, getpid)
IDENTITY(pid_t, getppid)
IDENTITY(pid_t, getpgrp)
IDENTITY(uid_t, getuid)
IDENTITY(uid_t, geteuid)
IDENTITY(gid_t, getgid)
IDENTITY(gid_t, getegid)

/* As under Linux the main thread has the number of the process; others follow in order of creation.
 */
RT_EXPORT pid_t gettid(void)
{
	if (!libc_enter(PC))
		return REAL_FN(gettid)();
	return REAL_FN(getpid)() + (pid_t)g.cur->id;
}

/* ---- randomness ---- */

WRAP(ssize_t, getrandom, (void *to, size_t n, unsigned flags), (to, n, flags), ROOM(to, n),
     WROTE(to, result > 0 ? (size_t)result : 0))
WRAP(int, getentropy, (void *to, size_t n), (to, n), ROOM(to, n), WROTE(to, result ? 0 : n))
WRAP_VOID(arc4random_buf, (void *to, size_t n), (to, n), ROOM(to, n), WROTE(to, n))
WRAP(uint32_t, arc4random, (void), (), NOTHING, NOTHING)
WRAP(uint32_t, arc4random_uniform, (uint32_t bound), (bound), NOTHING, NOTHING)

/* ---- the machine, limits, usage ---- */

#define FILLED(name, parameters, arguments, size, change)    \
	RT_EXPORT int name parameters                        \
	{                                                    \
		if (!libc_enter(PC))                         \
			return REAL_FN(name) arguments;      \
		libc_will_write(to, size, PC);               \
		int rc = LIBC_CALL(REAL_FN(name) arguments); \
		if (!rc) {                                   \
			change;                              \
			rt_libc_wrote(to, size, PC);         \
		}                                            \
		return rc;                                   \
	}
FILLED(uname, (struct utsname * to), (to), sizeof(*to), NOTHING)
FILLED(getrusage, (int who, struct rusage *to), (who, to), sizeof(*to), NOTHING)
FILLED(getrlimit, (__rlimit_resource_t what, struct rlimit *to), (what, to), sizeof(*to), NOTHING)
LIBC_SAME(getrlimit64, getrlimit)
FILLED(clock_getres, (clockid_t clock, struct timespec *to), (clock, to), to ? sizeof(*to) : 0,
       NOTHING)

/* While the program is explored it has one processor, and which one changes (exec/processor.h). */
void libc_show_all_processors(size_t room, cpu_set_t *to)
{
	if (g.session->policy != POLICY_EXPLORE)
		return;
	const uint64_t *all = explore_shared()->processors;
	const size_t size = sizeof(explore_shared()->processors);
	uint64_t any = 0;
	for (size_t i = 0; i < size / sizeof(*all); i++)
		any |= all[i];
	for (size_t i = 0; any && i < room; i++)
		((uint8_t *)to)[i] = i < size ? ((const uint8_t *)all)[i] : 0;
}
FILLED(sched_getaffinity, (pid_t pid, size_t room, cpu_set_t *to), (pid, room, to), room,
       libc_show_all_processors(room, to))
FILLED(pthread_getaffinity_np, (pthread_t thread, size_t room, cpu_set_t *to), (thread, room, to),
       room, libc_show_all_processors(room, to))

RT_EXPORT int setrlimit(__rlimit_resource_t what, const struct rlimit *limit)
{
	if (!libc_enter(PC))
		return REAL_FN(setrlimit)(what, limit);
	rt_libc_read(limit, sizeof(*limit), PC);
	libc_hidden(HIDDEN_LIMITS, true, PC);
	return REAL_FN(setrlimit)(what, limit);
}

LIBC_SAME(setrlimit64, setrlimit)

WRAP(int, prlimit,
     (pid_t process, __rlimit_resource_t what, const struct rlimit *set, struct rlimit *before),
     (process, what, set, before), READS_OBJECT(set);
     libc_hidden(HIDDEN_LIMITS, set != NULL, PC);
     ROOM_OBJECT(before), WROTE_OBJECT_IF(!result, before))
LIBC_SAME(prlimit64, prlimit)

RT_EXPORT int gethostname(char *to, size_t size)
{
	if (!libc_enter(PC))
		return REAL_FN(gethostname)(to, size);
	libc_will_write(to, size, PC);
	int rc = REAL_FN(gethostname)(to, size);
	if (!rc)
		libc_wrote_string(to, PC);
	return rc;
}

/* Attribute objects belong to the caller; what a call reads or writes there is memory like any
 * other. */
#define ATTRIBUTE(name, attributes, type)                    \
	RT_EXPORT int name(const attributes *from, type *to) \
	{                                                    \
		if (!libc_enter(PC))                         \
			return REAL_FN(name)(from, to);      \
		libc_will_write(to, sizeof(*to), PC);        \
		int rc = REAL_FN(name)(from, to);            \
		if (!rc)                                     \
			rt_libc_wrote(to, sizeof(*to), PC);  \
		return rc;                                   \
	}
ATTRIBUTE(pthread_mutexattr_gettype, pthread_mutexattr_t, int)
ATTRIBUTE(pthread_mutexattr_getpshared, pthread_mutexattr_t, int)
ATTRIBUTE(pthread_mutexattr_getprotocol, pthread_mutexattr_t, int)
ATTRIBUTE(pthread_mutexattr_getrobust, pthread_mutexattr_t, int)
ATTRIBUTE(pthread_condattr_getclock, pthread_condattr_t, clockid_t)
ATTRIBUTE(pthread_condattr_getpshared, pthread_condattr_t, int)
ATTRIBUTE(pthread_mutexattr_getprioceiling, pthread_mutexattr_t, int)
ATTRIBUTE(pthread_rwlockattr_getkind_np, pthread_rwlockattr_t, int)
ATTRIBUTE(pthread_rwlockattr_getpshared, pthread_rwlockattr_t, int)
ATTRIBUTE(pthread_barrierattr_getpshared, pthread_barrierattr_t, int)
