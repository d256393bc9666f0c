/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children and cancellation.  What a thread did before it created a child process is before what a
 * thread does after it has waited for the child (fork.c has the fork itself).  What a thread did
 * before it cancelled another one is before the cleanup of that one.  No wrapper is called in
 * between, so the cancelled thread receives it when one of its accesses conflicts (conflict.c).
 */
#include <errno.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "run/channel.h"
#include "run/real.h"
#include "run/run.h"
#include "run/wrap.h"

/* A wait has returned this child, or an error. */
static pid_t child_ended(struct thr *t, pid_t child)
{
	int error = errno;
	if (child >= 0)
		channel_receive(t, CHANNEL_CHILDREN);
	errno = error;
	return child;
}

RUN_EXPORT pid_t wait(int *status)
{
	return child_ended(run_self, REAL_FN(wait)(status));
}

RUN_EXPORT pid_t waitpid(pid_t child, int *status, int options)
{
	return child_ended(run_self, REAL_FN(waitpid)(child, status, options));
}

RUN_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	return child_ended(run_self, REAL_FN(wait3)(status, options, usage));
}

RUN_EXPORT pid_t wait4(pid_t child, int *status, int options, struct rusage *usage)
{
	return child_ended(run_self, REAL_FN(wait4)(child, status, options, usage));
}

RUN_EXPORT int waitid(idtype_t type, id_t child, siginfo_t *info, int options)
{
	return child_ended(run_self, REAL_FN(waitid)(type, child, info, options));
}

#define SPAWN_BY(name)                                                              \
	RUN_EXPORT int name(pid_t *restrict child, const char *restrict path,       \
			    const posix_spawn_file_actions_t *restrict actions,     \
			    const posix_spawnattr_t *restrict attributes,           \
			    char *const argv[restrict], char *const envp[restrict]) \
	{                                                                           \
		channel_has_others();                                               \
		channel_send(run_self, CHANNEL_CHILDREN);                           \
		return REAL_FN(name)(child, path, actions, attributes, argv, envp); \
	}

SPAWN_BY(posix_spawn)
SPAWN_BY(posix_spawnp)

RUN_EXPORT int pthread_cancel(pthread_t thread)
{
	if (run_self) {
		wrap_send(run_self, (void *)thread, OBJECT_OTHER, 0);
		__atomic_store_n(&run_state.has_cancelled, true, __ATOMIC_SEQ_CST);
	}
	return REAL_FN(pthread_cancel)(thread);
}
