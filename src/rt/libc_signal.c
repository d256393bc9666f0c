/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals.  Ignoring and defaults work as ever; a handler of the program's own would run in the middle of a
 * step, so it is refused.  A signal that the program sends to itself and that kills is how the run ends: a
 * finding, then the signal.
 */
#include "rt/libc_refused.h"
#include "rt/libc_wrap.h"
#include "rt/sys.h"

/* Signals whose handler is the runtime's: their default, as the program sees it, is ours. */
static bool is_ours(int signal)
{
	switch (signal) {
	case SIGSEGV: case SIGBUS: case SIGFPE: case SIGILL: case SIGTRAP: case SIGSYS: return true;
	}
	return false;
}

static bool is_handler(void (*handler)(int))
{
	return handler != SIG_DFL && handler != SIG_IGN;
}

RT_EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	if (!libc_enter(PC))
		return REAL_FN(sigaction)(signal, action, old);
	libc_hidden(HIDDEN_SIGNALS, action != NULL, PC);
	if (action) {
		rt_libc_read(action, sizeof(*action), PC);
		if (is_handler(action->sa_handler))
			libc_refuse("sigaction with a handler", PC);
	}
	if (old)
		libc_will_write(old, sizeof(*old), PC);
	int rc = REAL_FN(sigaction)(signal, is_ours(signal) ? NULL : action, old);
	if (rc || !old)
		return rc;
	if (is_ours(signal))
		rt_memset(old, 0, sizeof(*old));
	rt_libc_wrote(old, sizeof(*old), PC);
	return 0;
}

RT_EXPORT sighandler_t signal(int signal, sighandler_t handler)
{
	if (!libc_enter(PC))
		return REAL_FN(signal)(signal, handler);
	libc_hidden(HIDDEN_SIGNALS, true, PC);
	if (handler != SIG_ERR && is_handler(handler))
		libc_refuse("signal with a handler", PC);
	return is_ours(signal) ? SIG_DFL : REAL_FN(signal)(signal, handler);
}

#define NEW_SET(name)                                                           \
	RT_EXPORT int name(sigset_t *set)                                       \
	{                                                                       \
		if (!libc_enter(PC))                                            \
			return REAL_FN(name)(set);                              \
		libc_will_write(set, sizeof(*set), PC);                         \
		int rc = REAL_FN(name)(set);                                    \
		rt_libc_wrote(set, sizeof(*set), PC);                           \
		return rc;                                                      \
	}
NEW_SET(sigemptyset)
NEW_SET(sigfillset)

#define CHANGED_SET(name)                                                       \
	RT_EXPORT int name(sigset_t *set, int signal)                           \
	{                                                                       \
		if (!libc_enter(PC))                                            \
			return REAL_FN(name)(set, signal);                      \
		rt_libc_read(set, sizeof(*set), PC);                            \
		int rc = REAL_FN(name)(set, signal);                            \
		rt_libc_wrote(set, sizeof(*set), PC);                           \
		return rc;                                                      \
	}
CHANGED_SET(sigaddset)
CHANGED_SET(sigdelset)

RT_EXPORT int sigismember(const sigset_t *set, int signal)
{
	if (libc_enter(PC))
		rt_libc_read(set, sizeof(*set), PC);
	return REAL_FN(sigismember)(set, signal);
}

#define MASK(name)                                                                              \
	RT_EXPORT int name(int how, const sigset_t *restrict set, sigset_t *restrict old)       \
	{                                                                                       \
		if (!libc_enter(PC))                                                            \
			return REAL_FN(name)(how, set, old);                                    \
		if (set)                                                                        \
			rt_libc_read(set, sizeof(*set), PC);                                    \
		libc_hidden(HIDDEN_SIGNALS, set != NULL, PC);                                    \
		int rc = REAL_FN(name)(how, set, old);                                          \
		if (!rc && old)                                                                 \
			rt_libc_wrote(old, sizeof(*old), PC);                                   \
		return rc;                                                                      \
	}
MASK(sigprocmask)
MASK(pthread_sigmask)

/* ---- sending ---- */

/* Would this signal do nothing, as things stand? */
static bool is_ignored(int signal)
{
	struct sigaction now;
	if (REAL_FN(sigaction)(signal, NULL, &now))
		return false;
	if (now.sa_handler == SIG_IGN)
		return true;
	bool does_nothing = signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
	return now.sa_handler == SIG_DFL && does_nothing;
}

/* The program kills itself. */
static int sent(int signal, pc_t pc)
{
	if (signal < 0 || signal >= NSIG) {
		errno = EINVAL;
		return -1;
	}
	if (!signal || is_ignored(signal))
		return 0;
	rt_finding(signal == SIGABRT ? FAIL_ABORT : FAIL_SIGNAL, 0, (uint64_t)signal, pc);
	rt_give_up_control();
	uint64_t plain[4] = { 0, 0, 0, 0 };	/* the kernel's form of SIG_DFL */
	sys4(SYS_rt_sigaction, signal, plain, 0, 8);
	return (int)sys3(SYS_kill, sys3(SYS_getpid, 0, 0, 0), signal, 0);
}

RT_EXPORT int raise(int signal)
{
	if (!libc_enter(PC))
		return REAL_FN(raise)(signal);
	return sent(signal, PC);
}

RT_EXPORT int kill(pid_t pid, int signal)
{
	if (!libc_enter(PC))
		return REAL_FN(kill)(pid, signal);
	if (pid == REAL_FN(getpid)())
		return sent(signal, PC);
	return REAL_FN(kill)(pid, signal);
}
