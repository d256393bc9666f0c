/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signal handlers are part of the program: they are watched.  One that comes while its thread holds a guard
 * of the runtime, which the handler may need, or looks at stamps, is kept until that is over; faults are
 * handled at once and unwatched, since they do not wait.
 */
#include <errno.h>
#include <ucontext.h>

#include "run/real.h"
#include "run/run.h"

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

static void on_signal(int number, siginfo_t *info, void *context)
{
	struct thr *t = run_self;
	void (*handler)(int, siginfo_t *, void *) = handlers[number];
	bool must_wait = t && (t->busy || t->looking);
	if (!must_wait || is_fault(number)) {
		if (must_wait)
			run_self = NULL;
		handler(number, info, context);
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
		handlers[number](number, &info, &p->context);
		errno = error;
	}
}

void signals_begin(struct thr *t)
{
	if (!t->pending)
		t->pending = run_pool(PENDING_MAX * sizeof(struct pending_signal));
}

static bool is_own(const struct sigaction *a)
{
	return a->sa_flags & SA_SIGINFO && a->sa_sigaction == on_signal;
}

static int act(int number, const struct sigaction *new, struct sigaction *old)
{
	struct sigaction changed, before;
	void (*former)(int, siginfo_t *, void *) = number > 0 && number < SIGNALS ? handlers[number] : NULL;
	if (new &&number > 0 && number < SIGNALS &&new->sa_handler != SIG_DFL &&new->sa_handler != SIG_IGN) {
		changed = *new;
		changed.sa_flags |= SA_SIGINFO;
		changed.sa_sigaction = on_signal;
		handlers[number] = new->sa_sigaction;	/* one that wants less is called with more */
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

RUN_EXPORT int sigaction(int number, const struct sigaction *restrict new, struct sigaction *restrict old)
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
