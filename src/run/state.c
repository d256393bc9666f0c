/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See state.h.  The signal is one of glibc's own (RUN_SIGNAL_STATE), which uses it to change user
 * and group ids of all threads: programs can neither block nor handle it.  glibc's handler is kept
 * and gets what comes from this process itself, until the process ends.
 */
#include "run/state.h"

#include <sys/syscall.h>
#include <time.h>

#include "run/memory.h"
#include "run/place.h"
#include "run/report.h"
#include "run/run.h"
#include "run/thr.h"
#include "run/tool.h"
#include "wire/run.h"

#define STOP_ROUNDS 1000 /* milliseconds */
#define SA_RESTORER 0x04000000

/* As the kernel has it: libc refuses this signal. */
struct kernel_action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

void run_signal_return(void);
__asm__(".text\n"
	".type run_signal_return, @function\n"
	"run_signal_return:\n"
	"	mov $15, %eax\n" /* rt_sigreturn */
	"	syscall\n"
	".size run_signal_return, .-run_signal_return\n");

static void (*libc_handler)(int, siginfo_t *, void *);
static bool is_stopping;

struct thr *state_self(void)
{
	uint32_t tid = (uint32_t)run_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
	for (uint32_t i = 0; i < run_state.slot_count; i++) {
		struct thr *t = run_state.slots[i];
		if (t && t->is_alive && t->tid == tid)
			return t;
	}
	return NULL;
}

void state_note_context(struct thr *t, const void *context)
{
	const greg_t *r = ((const ucontext_t *)context)->uc_mcontext.gregs;
	t->stopped = (struct interrupted){ (uintptr_t)r[REG_RIP], (uintptr_t)r[REG_RSP],
					   (uintptr_t)r[REG_RBP] };
	__atomic_store_n(&t->is_stopped, 1, __ATOMIC_RELEASE);
}

void state_wait_for_end(void)
{
	for (;;)
		run_syscall(SYS_pause, 0, 0, 0, 0, 0, 0);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	bool is_own = info->si_code == SI_TKILL;
	if (is_own && !__atomic_load_n(&is_stopping, __ATOMIC_ACQUIRE)) {
		if (libc_handler)
			libc_handler(number, info, context);
		return;
	}
	struct thr *t = state_self();
	if (t)
		state_note_context(t, context);
	if (!is_own)
		report_state(&(struct state_report){ .kind = FINDING_TIMEOUT });
	state_wait_for_end();
}

static long set_action(const struct kernel_action *new, struct kernel_action *old)
{
	return run_syscall(SYS_rt_sigaction, RUN_SIGNAL_STATE, (long)new, (long)old,
			   sizeof(new->mask), 0, 0);
}

void state_answer_tool(void)
{
	struct kernel_action old = { 0 },
			     own = { .handler = on_signal,
				     .flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_RESTORER,
				     .restorer = run_signal_return,
				     .mask = ~0ull };
	if (set_action(NULL, &old) || old.handler == on_signal)
		return;
	if (old.flags & SA_SIGINFO)
		libc_handler = old.handler;
	set_action(&own, NULL);
}

static bool is_other(const struct thr *t, const struct thr *self)
{
	return t && t != self && t->is_alive && t->tid;
}

void state_stop_others(void)
{
	struct timespec moment = { 0, 1000000 };
	struct thr *self = state_self();
	long process = run_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
	__atomic_store_n(&is_stopping, true, __ATOMIC_SEQ_CST);
	state_answer_tool();
	for (uint32_t i = 0; i < run_state.slot_count; i++)
		if (is_other(run_state.slots[i], self))
			run_syscall(SYS_tgkill, process, run_state.slots[i]->tid, RUN_SIGNAL_STATE,
				    0, 0, 0);
	for (uint32_t i = 0, rounds = 0; i < run_state.slot_count; i++) {
		struct thr *t = run_state.slots[i];
		while (is_other(t, self) && !__atomic_load_n(&t->is_stopped, __ATOMIC_ACQUIRE) &&
		       rounds++ < STOP_ROUNDS)
			run_syscall(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
	}
}

unsigned state_frames(const struct thr *t, uintptr_t pcs[STACK_MAX])
{
	const struct history *h = &t->history;
	unsigned n = 0;
	uintptr_t at = t->is_stopped ? place_interrupted(t, &t->stopped) : 0;
	if (at)
		pcs[n++] = at;
	const struct call_frame *top = h->top < h->limit ? h->top : h->limit - 1;
	for (; h->frames && top > h->frames && n < STACK_MAX; top--)
		pcs[n++] = top->call;
	return n;
}
