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
#include "run/crash.h"
#include "run/descriptor.h"
#include "run/memory.h"
#include "run/place.h"
#include "run/real.h"
#include "run/report.h"
#include "run/run.h"
#include "run/state.h"
#include "run/thr.h"

#define SIGNALS 65

struct pending_signal {
	int number;
	uintptr_t place;
	siginfo_t info;
	ucontext_t context;
};

static void (*handlers[SIGNALS])(int, siginfo_t *, void *);

/* What no call of the system and no libc ever stores there. */
#define ERRNO_MARK 4095

static bool is_fault(int number)
{
	return crash_is_fatal(number);
}

static void will_send(int number)
{
	if (number > 0 && number < SIGNALS && !is_fault(number))
		channel_send(run_self, CHANNEL_SIGNALS + (uint32_t)number);
	if (run_self)
		run_self->sending = number;
}

static void has_sent(void)
{
	if (run_self)
		run_self->sending = 0;
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

/*
 * The signal may come between any two instructions of the thread: it is not one that the thread
 * causes by a write, or admits only while it waits (sigsuspend, ppoll).
 */
static bool may_come_anywhere(int number, const ucontext_t *context)
{
	bool is_blocked = context->uc_sigmask.__val[0] >> (number - 1) & 1;
	return !is_fault(number) && number != SIGPIPE && !is_blocked;
}

/* Where a signal interrupts the thread, found at once: its stack changes until the handler runs. */
static uintptr_t place_of_signal(const struct thr *t, int number, const ucontext_t *context)
{
	const greg_t *r = context->uc_mcontext.gregs;
	struct interrupted at = { (uintptr_t)r[REG_RIP], (uintptr_t)r[REG_RSP],
				  (uintptr_t)r[REG_RBP] };
	return t && run_state.options.finds_signals && may_come_anywhere(number, context)
		       ? place_interrupted(t, &at)
		       : 0;
}

/* Nothing shows that others send it, too. */
static bool is_sent_to_itself(const struct thr *t, int number, const siginfo_t *info)
{
	return t->sending == number && info->si_code <= 0 &&
	       info->si_pid == (pid_t)run_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static uint32_t depth_of(const struct thr *t)
{
	return (uint32_t)(t->history.top - t->history.frames);
}

/* A handler that gives the signal its default action again will end the process. */
static bool is_default_now(int number)
{
	struct sigaction now;
	return !REAL_FN(sigaction)(number, NULL, &now) && now.sa_handler == SIG_DFL;
}

/* The handler of a signal that may come anywhere. */
static void watch_handler(struct thr *t, int number, siginfo_t *info, void *context,
			  uintptr_t place)
{
	struct handling outer = t->handling;
	int error = errno;
	t->handling = (struct handling){ .number = number,
					 .is_own = is_sent_to_itself(t, number, info),
					 .depth = depth_of(t),
					 .sp = (uintptr_t)__builtin_frame_address(0),
					 .place = place };
	errno = ERRNO_MARK;
	handlers[number](number, info, context);
	if (errno == ERRNO_MARK)
		errno = error;
	else if (!is_default_now(number))
		report_handler(t, NULL, (uintptr_t)handlers[number] + 1);
	t->handling = outer;
}

static void call_handler(struct thr *t, int number, siginfo_t *info, void *context, uintptr_t place)
{
	int error = errno;
	if (!is_fault(number))
		signal_receive(t, number);
	errno = error;
	if (t && run_state.options.finds_signals && may_come_anywhere(number, context))
		watch_handler(t, number, info, context, place);
	else
		handlers[number](number, info, context);
}

void signals_jump(struct thr *t)
{
	t->handling.number = 0;
}

void signals_unsafe_call(struct thr *t, const char *function, uintptr_t pc)
{
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	bool was_on_stack = t->handling.sp - t->stack.low < t->stack.size,
	     is_on_stack = sp - t->stack.low < t->stack.size;
	/* It has been left by an exception or in another way of its own. */
	if (depth_of(t) < t->handling.depth || was_on_stack != is_on_stack || sp > t->handling.sp) {
		t->handling.number = 0;
		return;
	}
	int error = errno;
	report_handler(t, function, pc);
	errno = error;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	struct thr *self = run_self, *t = self ? self : state_self();
	/* Without run_self a watched thread is inside libc for the runtime: it creates a thread. */
	bool must_wait = t && (!self || t->busy || t->has_hazards);
	if (!must_wait || is_fault(number)) {
		if (must_wait)
			run_self = NULL;
		call_handler(run_self, number, info, context, place_of_signal(t, number, context));
		run_self = self;
		return;
	}
	for (unsigned i = 0; i < PENDING_MAX; i++) {
		struct pending_signal *p = &((struct pending_signal *)t->pending)[i];
		if (p->number)
			continue;
		p->info = *info;
		p->context = *(ucontext_t *)context;
		p->place = place_of_signal(t, number, context);
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
		call_handler(t, number, &info, &p->context, p->place);
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

/* What is not handled is ours if it is to be reported (crash.h); the program does not see that. */
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
	if (new &&new->sa_handler == SIG_DFL && crash_is_fatal(number)) {
		changed = crash_action();
		new = &changed;
	}
	int rc = REAL_FN(sigaction)(number, new, &before);
	if (!rc && old) {
		*old = before;
		if (is_own(&before))
			old->sa_sigaction = former;
		else if (crash_is_action(&before))
			*old = (struct sigaction){ .sa_handler = SIG_DFL };
	}
	return rc;
}

RUN_EXPORT int sigaction(int number, const struct sigaction *restrict new,
			 struct sigaction *restrict old)
{
	if (!run_state.is_active)
		return REAL_FN(sigaction)(number, new, old);
	return act(number, new, old);
}

RUN_EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
	if (!run_state.is_active)
		return REAL_FN(signal)(number, handler);
	struct sigaction new = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;
	return act(number, &new, &old) ? SIG_ERR : old.sa_handler;
}

#define SENDS_BY(name, parameters, arguments)     \
	RUN_EXPORT int name parameters            \
	{                                         \
		will_send(number);                \
		int rc = REAL_FN(name) arguments; \
		has_sent();                       \
		return rc;                        \
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

/* System calls by number that send signals or hand over something by a descriptor. */

static void before_call(long which, const long *a)
{
	switch (which) {
	case SYS_kill:
	case SYS_tkill:
	case SYS_rt_sigqueueinfo:
		will_send((int)a[1]);
		break;
	case SYS_tgkill:
	case SYS_rt_tgsigqueueinfo:
		will_send((int)a[2]);
		break;
	case SYS_splice:
		descriptor_moves((int)a[0], (int)a[2]);
		descriptor_send(run_self, (int)a[2]);
		break;
	case SYS_tee:
	case SYS_sendfile:
		descriptor_moves((int)a[which == SYS_sendfile], (int)a[which == SYS_tee]);
		descriptor_send(run_self, (int)a[which == SYS_tee]);
		break;
	case SYS_write:
	case SYS_pwrite64:
	case SYS_writev:
	case SYS_pwritev:
	case SYS_pwritev2:
	case SYS_vmsplice:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_connect:
	case SYS_shutdown:
	case SYS_close:
	case SYS_timerfd_settime:
		descriptor_send(run_self, (int)a[0]);
		break;
	default:
		break;
	}
}

static void after_call(long which, const long *a)
{
	switch (which) {
	case SYS_read:
	case SYS_pread64:
	case SYS_readv:
	case SYS_preadv:
	case SYS_preadv2:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_accept:
	case SYS_accept4:
		descriptor_receive(run_self, (int)a[0]);
		break;
	default:
		break;
	}
}

RUN_EXPORT long syscall(long which, ...)
{
	long a[6];
	va_list ap;
	va_start(ap, which);
	for (unsigned i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	before_call(which, a);
	long rc = REAL_FN(syscall)(which, a[0], a[1], a[2], a[3], a[4], a[5]);
	has_sent();
	if (rc >= 0)
		after_call(which, a);
	return rc;
}
