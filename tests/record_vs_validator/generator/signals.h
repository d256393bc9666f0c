/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals between threads: handlers that interrupt a thread anywhere, masks, and threads that
 * wait for a signal.
 *
 * A handler only touches memory, posts a semaphore or raises another signal, so it may run while
 * its thread holds whatever it holds.  Sent are: to the sender itself; to a thread that the
 * sender has still to join; to the parent of a thread that is to be joined, which lives that
 * long.  What sigwait waits for is blocked everywhere and sent right after the waiting thread was
 * created, so every such wait ends.  Nobody asks who sent a signal: the number of the process
 * would make two recordings different.
 */
#ifndef GENERATOR_SIGNALS_H
#define GENERATOR_SIGNALS_H

#include "statements.h"

static const char *const signal_statements[] = {
	"raise($H);",
	"pthread_kill(pthread_self(), $H);",
	"pthread_kill(pthread_self(), SIGRTMIN + 1);",
	"{\n\t\tsigset_t set;\n\t\tsigemptyset(&set);\n\t\tsigaddset(&set, $H);\n"
	"\t\tpthread_sigmask(SIG_BLOCK, &set, NULL);\n\t\traise(SIGUSR1);\n\t\traise(SIGUSR2);\n"
	"\t\tacc += $v;\n\t\tpthread_sigmask(SIG_UNBLOCK, &set, NULL);\n\t}",
	"{\n\t\tsigset_t set, before;\n\t\tsigfillset(&set);\n\t\tpthread_sigmask(SIG_SETMASK, "
	"&set, &before);\n"
	"\t\tb4[$i] += $v;\n\t\tpthread_sigmask(SIG_SETMASK, &before, NULL);\n"
	"\t\tacc += sigismember(&before, SIGRTMIN);\n\t}",
	"{\n\t\tsigset_t set;\n\t\tsigpending(&set);\n\t\tacc += sigismember(&set, SIGRTMIN + "
	"1);\n\t}",
	"{\n\t\tsigset_t set;\n\t\tsigemptyset(&set);\n\t\tsigaddset(&set, SIGRTMIN + 1);\n"
	"\t\tstruct timespec limit = { 0, $n };\n"
	"\t\tacc += sigtimedwait(&set, NULL, &limit) == SIGRTMIN + 1;\n\t}",
	"acc += handled;",
};

/* A handler of the first signal never begins another one, so they end. */
static void emit_handler(const char *name, bool may_raise)
{
	printf("static void %s(int number)\n{\n\tu8 acc = (u8)number;\n\tstruct box *box = "
	       "&global_box;\n",
	       name);
	for (unsigned n = 1 + below(3); n; n--) {
		putchar('\t');
		expand(PICK(plain), 0);
		putchar('\n');
	}
	if (chance(30))
		printf("\tsem_post(&tokens);\n");
	if (may_raise && chance(40))
		printf("\traise(SIGUSR1);\n");
	printf("\thandled += acc != 0;\n\t(void)box;\n}\n\n");
}

static void emit_handlers(void)
{
	printf("static _Atomic unsigned handled;\nstatic pthread_t self_of[8];\nstatic sigset_t "
	       "waited;\n\n");
	emit_handler("on_first", false);
	emit_handler("on_second", true);
}

static void emit_signal_setup(void)
{
	static const char *const flags[] = { "0", "SA_RESTART", "SA_NODEFER",
					     "SA_RESTART | SA_NODEFER" };
	printf("\tsigemptyset(&waited);\n\tsigaddset(&waited, SIGRTMIN);\n"
	       "\tstruct sigaction action = { .sa_handler = on_first, .sa_flags = %s };\n",
	       flags[below(2)]);
	if (chance(30))
		printf("\tsigaddset(&action.sa_mask, SIGUSR2);\n");
	printf("\tsigaction(SIGUSR1, &action, NULL);\n"
	       "\taction = (struct sigaction){ .sa_handler = on_second, .sa_flags = %s };\n",
	       PICK(flags));
	if (chance(30))
		printf("\tsigaddset(&action.sa_mask, SIGUSR1);\n");
	printf("\tsigaction(SIGUSR2, &action, NULL);\n\tsigset_t blocked = waited;\n"
	       "\tsigaddset(&blocked, SIGRTMIN + 1);\n\tpthread_sigmask(SIG_BLOCK, &blocked, "
	       "NULL);\n");
}

/* By its creator, to a thread that waits for it or is joined later. */
static void emit_signals_to_child(unsigned t, bool awaits, bool is_joined)
{
	if (awaits)
		printf("\tpthread_kill(handles[%u], SIGRTMIN);\n", t);
	if (is_joined && chance(20))
		printf("\tpthread_kill(handles[%u], SIGUSR%u);\n", t, 1 + below(2));
}

static void emit_signal_to_parent(unsigned parent)
{
	if (chance(20))
		printf("\tpthread_kill(self_of[%u], SIGUSR%u);\n", parent, 1 + below(2));
}

static void emit_await_signal(void)
{
	printf("\t{\n\t\tint got = 0;\n\t\tif (sigwait(&waited, &got) || got != "
	       "SIGRTMIN)\n\t\t\tabort();\n\t}\n");
}

#endif
