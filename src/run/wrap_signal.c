/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals; see signals.h.  Handlers are part of the program and are watched.  If a signal arrives
 * while its thread holds a guard of the runtime, which the handler may need, or uses hazards, the
 * handler is deferred until that is over.  Faults cannot be deferred: their handlers run at once
 * and unwatched.
 *
 * Sending a signal is before its effect: the handler, the return of sigwait, or the read from a
 * signalfd.  These are hard edges, through a channel for each signal number.
 */
#include "run/signals.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "run/channel.h"
#include "run/memory.h"
#include "run/real.h"
#include "run/run.h"
#include "run/thr.h"

#define SIGNALS 65

struct pending_signal {
	int number;
	siginfo_t info;
	ucontext_t context;
};

static void (*handlers[SIGNALS])(int, siginfo_t *, void *);

static bool is_fault(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
	       number == SIGTRAP || number == SIGABRT || number == SIGSYS;
}

static void will_send(int number)
{
	if (number > 0 && number < SIGNALS && !is_fault(number))
		channel_send(run_self, CHANNEL_SIGNALS + (uint32_t)number);
}

/* The signal may also be a notification of the kernel, or of a child. */
void signal_receive(struct thr *t, int number)
{
	if (number <= 0 || number >= SIGNALS)
		return;
	channel_receive(t, CHANNEL_SIGNALS + (uint32_t)number);
	channel_receive(t, CHANNEL_NOTICES);
	if (number == SIGCHLD)
		channel_receive(t, CHANNEL_CHILDREN);
}

static void call_handler(struct thr *t, int number, siginfo_t *info, void *context)
{
	int error = errno;
	if (!is_fault(number))
		signal_receive(t, number);
	errno = error;
	handlers[number](number, info, context);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	struct thr *t = run_self;
	bool must_wait = t && (t->busy || t->has_hazards);
	if (!must_wait || is_fault(number)) {
		if (must_wait)
			run_self = NULL;
		call_handler(run_self, number, info, context);
		run_self = t;
		return;
	}
	for (unsigned i = 0; i < PENDING_MAX; i++) {
		struct pending_signal *p = &((struct pending_signal *)t->pending)[i];
		if (p->number)
			continue;
		p->info = *info;
		p->context = *(ucontext_t *)context;
		p->number = number;
		t->has_pending = 1;
		return;
	}
}

void signals_deliver(struct thr *t)
{
	t->has_pending = 0;
	for (unsigned i = 0; i < PENDING_MAX; i++) {
		struct pending_signal *p = &((struct pending_signal *)t->pending)[i];
		int number = p->number, error = errno;
		if (!number)
			continue;
		siginfo_t info = p->info;
		p->number = 0;
		call_handler(t, number, &info, &p->context);
		errno = error;
	}
}

void signals_begin(struct thr *t)
{
	if (!t->pending)
		t->pending = run_alloc(PENDING_MAX * sizeof(struct pending_signal));
}

static bool is_own(const struct sigaction *a)
{
	return a->sa_flags & SA_SIGINFO && a->sa_sigaction == on_signal;
}

static int act(int number, const struct sigaction *new, struct sigaction *old)
{
	struct sigaction changed, before;
	void (*former)(int, siginfo_t *, void *) =
		number > 0 && number < SIGNALS ? handlers[number] : NULL;
	if (new &&number > 0 &&
	    number < SIGNALS &&new->sa_handler != SIG_DFL &&new->sa_handler != SIG_IGN) {
		changed = *new;
		changed.sa_flags |= SA_SIGINFO;
		changed.sa_sigaction = on_signal;
		/* one that wants less is called with more */
		handlers[number] = new->sa_sigaction;
		new = &changed;
	}
	int rc = REAL_FN(sigaction)(number, new, &before);
	if (!rc && old) {
		*old = before;
		if (is_own(&before))
			old->sa_sigaction = former;
	}
	return rc;
}

RUN_EXPORT int sigaction(int number, const struct sigaction *restrict new,
			 struct sigaction *restrict old)
{
	if (!run_self)
		return REAL_FN(sigaction)(number, new, old);
	return act(number, new, old);
}

RUN_EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
	if (!run_self)
		return REAL_FN(signal)(number, handler);
	struct sigaction new = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;
	return act(number, &new, &old) ? SIG_ERR : old.sa_handler;
}

#define SENDS_BY(name, parameters, arguments)   \
	RUN_EXPORT int name parameters          \
	{                                       \
		will_send(number);              \
		return REAL_FN(name) arguments; \
	}

SENDS_BY(kill, (pid_t process, int number), (process, number))
SENDS_BY(raise, (int number), (number))
SENDS_BY(sigqueue, (pid_t process, int number, const union sigval value), (process, number, value))
SENDS_BY(pthread_kill, (pthread_t thread, int number), (thread, number))
SENDS_BY(tgkill, (pid_t process, pid_t thread, int number), (process, thread, number))
SENDS_BY(pthread_sigqueue, (pthread_t thread, int number, const union sigval value),
	 (thread, number, value))

RUN_EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
	int rc = REAL_FN(sigwait)(set, number);
	if (!rc)
		signal_receive(run_self, *number);
	return rc;
}

#define WAITS_BY(name, parameters, arguments)         \
	RUN_EXPORT int name parameters                \
	{                                             \
		int number = REAL_FN(name) arguments; \
		int error = errno;                    \
		signal_receive(run_self, number);     \
		errno = error;                        \
		return number;                        \
	}

WAITS_BY(sigwaitinfo, (const sigset_t *restrict set, siginfo_t *restrict info), (set, info))
WAITS_BY(sigtimedwait,
	 (const sigset_t *restrict set, siginfo_t *restrict info,
	  const struct timespec *restrict end),
	 (set, info, end))

/* System calls by number that send signals. */
RUN_EXPORT long syscall(long which, ...)
{
	long a[6];
	va_list ap;
	va_start(ap, which);
	for (unsigned i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (which == SYS_kill || which == SYS_tkill || which == SYS_rt_sigqueueinfo)
		will_send((int)a[1]);
	else if (which == SYS_tgkill || which == SYS_rt_tgsigqueueinfo)
		will_send((int)a[2]);
	return REAL_FN(syscall)(which, a[0], a[1], a[2], a[3], a[4], a[5]);
}
