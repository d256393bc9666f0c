/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See crash.h.  The handler reports what every thread does and then lets the process die as it
 * would have: the signal gets its default action again, and is either sent again or comes again
 * by itself when the handler returns to the instruction that caused it.
 *
 * Handlers run on a stack of their own, so that a stack that has overflowed is reported, too.  A
 * program that sets such a stack by sigaltstack replaces ours.
 */
#include "run/crash.h"

#include <sys/syscall.h>
#include <ucontext.h>

#include "run/memory.h"
#include "run/real.h"
#include "run/report.h"
#include "run/run.h"
#include "run/state.h"
#include "run/thr.h"

#define STACK_SIZE (256u << 10)
#define STACK_NEAR (64u << 10) /* an access that is so near the stack pointer is to the stack */

static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };

bool crash_is_fatal(int number)
{
	for (unsigned i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		if (fatal[i] == number)
			return true;
	return false;
}

static bool is_access(int number)
{
	return number == SIGSEGV || number == SIGBUS;
}

static struct state_report describe(struct thr *t, int number, const siginfo_t *info,
				    const void *context)
{
	struct state_report s = { .kind = FINDING_CRASH, .number = (unsigned)number, .first = t };
	uintptr_t sp = (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
	uintptr_t address = (uintptr_t)info->si_addr;
	bool is_sent = info->si_code <= 0;
	if (is_sent && number == SIGABRT &&
	    info->si_pid == (pid_t)run_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0))
		s.kind = FINDING_ABORT;
	else if (is_sent)
		s.text = "sent";
	else if (is_access(number) && info->si_code == SI_KERNEL)
		s.text = "impossible";
	else if (is_access(number))
		s.address = address;
	if (s.address && address + STACK_NEAR - sp < 2ull * STACK_NEAR)
		s.kind = FINDING_STACK_OVERFLOW;
	return s;
}

static void let_die(int number, const siginfo_t *info)
{
	REAL_FN(sigaction)(number, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	if (info->si_code <= 0)
		run_syscall(SYS_tgkill, run_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0),
			    run_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0), number, 0, 0, 0);
}

static void on_crash(int number, siginfo_t *info, void *context)
{
	static uint32_t reporter;
	uint32_t none = 0, tid = (uint32_t)run_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
	struct thr *t = state_self();
	if (__atomic_compare_exchange_n(&reporter, &none, tid, false, __ATOMIC_SEQ_CST,
					__ATOMIC_SEQ_CST)) {
		run_self = NULL;
		if (t && run_state.is_active) {
			struct state_report s = describe(t, number, info, context);
			state_note_context(t, context);
			report_state(&s);
		}
	} else if (none != tid) {
		state_wait_for_end(); /* the process ends by the crash of another thread */
	}
	let_die(number, info);
}

struct sigaction crash_action(void)
{
	return (struct sigaction){ .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK };
}

bool crash_is_action(const struct sigaction *a)
{
	return a->sa_flags & SA_SIGINFO && a->sa_sigaction == on_crash;
}

void crash_begin(void)
{
	struct sigaction action = crash_action(), old;
	for (unsigned i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		if (!REAL_FN(sigaction)(fatal[i], NULL, &old) && old.sa_handler == SIG_DFL)
			REAL_FN(sigaction)(fatal[i], &action, NULL);
}

static void set_stack(const stack_t *new, stack_t *old)
{
	run_syscall(SYS_sigaltstack, (long)new, (long)old, 0, 0, 0, 0);
}

void crash_begin_thread(struct thr *t)
{
	stack_t old = { .ss_flags = SS_DISABLE };
	set_stack(NULL, &old);
	if (!(old.ss_flags & SS_DISABLE))
		return;
	if (!t->alternate_stack)
		t->alternate_stack = run_map(STACK_SIZE);
	if (t->alternate_stack)
		set_stack(&(stack_t){ .ss_sp = t->alternate_stack, .ss_size = STACK_SIZE }, NULL);
}

void crash_end_thread(struct thr *t)
{
	stack_t old = { 0 };
	set_stack(NULL, &old);
	if (t->alternate_stack && old.ss_sp == t->alternate_stack)
		set_stack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
}
