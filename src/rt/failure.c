/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings that the runtime sees by itself, and the ways in which a program dies.  A finding is
 * an EV_FAILURE event; the tool, which has followed all events, writes the report.
 *
 * A fatal signal in the program's code or in a hook that touched a bad address on its behalf
 * becomes an event, then the default action is taken, so that the process ends as it would have.
 */
#include <signal.h>
#include <ucontext.h>

#include "rt/debug.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "rt/failure.h"
#include "rt/hot.h"
#include "rt/left_frame.h"
#include "rt/mem.h"
#include "rt/module.h"
#include "rt/probe.h"
#include "rt/processor.h"
#include "rt/real.h"
#include "rt/rt.h"
#include "rt/shadow.h"
#include "rt/signals.h"
#include "rt/start.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/wire.h"

#define HANDLER_STACK 0x20000

static RT_STATE void *handler_stack;
static const int fatal_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };

void rt_finding(unsigned failure, uintptr_t obj, uint64_t detail, pc_t pc)
{
	ev_text(EV_FAILURE, obj, failure, detail, "", pc);
	debug_stop(DEBUG_FINDING);
}

void rt_finding_text(unsigned failure, const char *text, pc_t pc)
{
	ev_text(EV_FAILURE, 0, failure, 0, text, pc);
	debug_stop(DEBUG_FINDING);
}

void rt_fail(unsigned failure, uintptr_t obj, uint64_t detail, pc_t pc)
{
	rt_finding(failure, obj, detail, pc);
	rt_stop();
}

static void default_action(int signal)
{
	/* The kernel's form of struct sigaction, all zero: SIG_DFL. */
	uint64_t action[4] = { 0 };
	sys4(SYS_rt_sigaction, signal, action, 0, 8);
}

/*
 * The place in the program.  Inside a hook, or a libc function that the runtime called, it is the
 * caller.  Where a call led to no code at all it is the place of that call.
 */
static pc_t place_of(const ucontext_t *uc, uintptr_t addr, bool in_hook)
{
	uintptr_t rip = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP], caller;
	if (in_hook)
		return g.hook_pc;
	if (rip == addr &&
	    rt_load(&caller, (const void *)uc->uc_mcontext.gregs[REG_RSP], sizeof(caller)))
		return caller;
	return rip + 1;
}

static bool is_access(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS;
}

void failure_on_signal(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	uintptr_t addr = (uintptr_t)info->si_addr;
	uintptr_t rip = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
	bool is_sent = info->si_code <= 0;
	if (!is_sent && is_access(signal) && probe_fault(context))
		return;
	if (!is_sent && signal == SIGSEGV && info->si_code == SI_KERNEL && processor_fault(context))
		return;
	if (!g.active) {
		default_action(signal);
		return;
	}
	if (signal == SIGSEGV && info->si_code == SEGV_MAPERR && shadow_fault(addr))
		return;
	bool in_hook = rt_owns_code(rip) || g.internal || (g.no_preempt && rt_is_libc_code(rip));
	if (is_access(signal) && info->si_code == SI_KERNEL)
		addr = WIRE_NO_ADDRESS;
	pc_t pc = place_of(uc, is_access(signal) ? addr : 0, in_hook);
	g.internal = 0;
	g.pend.size = g.late.size = 0;
	g.unsettled = 0;
	if (signal == SIGSEGV && !is_sent && addr >= g.cur->stack.guard_low &&
	    addr < g.cur->stack.low)
		rt_fail(FAIL_STACK_OVERFLOW, addr, 0, pc);
	/* Its handler runs on the hook stack, without having come there by a hook. */
	if (!in_hook)
		left_frame_left_at((uintptr_t)uc->uc_mcontext.gregs[REG_RSP]);
	if (signal_fault(info, context, pc))
		return;
	rt_finding(is_sent ? FAIL_SIGNAL_SENT : FAIL_SIGNAL,
		   is_access(signal) && !is_sent ? addr : 0, (uint64_t)signal, pc);
	rt_give_up_control();
	default_action(signal);
	/* Raised again by the same instruction, or, when it was sent by a call, by this one. */
	if (is_sent)
		sys3(SYS_kill, sys3(SYS_getpid, 0, 0, 0), signal, 0);
}

void failure_alternate_stack(void)
{
	/* One for all: only one thread of the program runs at a time. */
	stack_t alternate = { .ss_sp = handler_stack, .ss_size = HANDLER_STACK };
	sys3(SYS_sigaltstack, &alternate, 0, 0);
}

void failure_init(void)
{
	handler_stack = rt_map(HANDLER_STACK);
	failure_alternate_stack();
	struct sigaction action = { .sa_sigaction = failure_on_signal,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
	g.internal++;
	for (unsigned i = 0; i < sizeof(fatal_signals) / sizeof(*fatal_signals); i++)
		real_sigaction(fatal_signals[i], &action, NULL);
	g.internal--;
}

/* ---- how programs end themselves ---- */

static char *append(char *to, const char *end, const char *text)
{
	while (text && *text && to < end)
		*to++ = *text++;
	*to = 0;
	return to;
}

static char *append_number(char *to, const char *end, unsigned n)
{
	char digits[12], *d = digits + sizeof(digits);
	*--d = 0;
	do
		*--d = (char)('0' + n % 10);
	while (n /= 10);
	return append(to, end, d);
}

RT_EXPORT void __assert_fail(const char *expression, const char *file, unsigned line,
			     const char *function)
{
	if (g.active && !g.internal) {
		rt_enter(PC);
		char text[1024], *at = text;
		const char *end = text + sizeof(text) - 1;
		at = append(append(at, end, expression), end, "|");
		at = append(append(at, end, file), end, "|");
		at = append(append_number(at, end, line), end, "|");
		append(at, end, function);
		rt_finding_text(FAIL_ASSERTION, text, PC);
		rt_give_up_control();
	}
	REAL_FN(__assert_fail)(expression, file, line, function);
	__builtin_unreachable();
}

RT_EXPORT void abort(void)
{
	if (g.active && !g.internal) {
		rt_enter(PC);
		/* A handler may jump away; if it returns, the process dies all the same. */
		if (signal_has_handler(SIGABRT))
			signal_abort(PC);
		signal_fault_ends();
		rt_finding(FAIL_ABORT, 0, 0, PC);
		rt_give_up_control();
	}
	REAL_FN(abort)();
	__builtin_unreachable();
}
