/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals between the threads of the program, and from outside (signal_outside.h).
 *
 * Dispositions, masks and pending signals are modelled; the kernel never calls a handler of the
 * program's.  A signal that a thread does not block is delivered to it at its next scheduling
 * point: when it goes on, when its wait is interrupted, or before the call that sent or unblocked
 * it returns.  So a handler runs between two steps of its thread, at a place that the schedule
 * determines, like any other code of the program's.
 *
 * Signals from outside that the program does not handle have their usual effect.  For that the
 * kernel knows which ones are ignored, and which the running thread blocks; siglongjmp finds its
 * mask there too.
 */
#include "rt/await.h"
#include "rt/buffer.h"
#include "rt/clock.h"
#include "rt/explore.h"
#include "rt/explore_snapshot.h"
#include "rt/failure.h"
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "rt/outside.h"
#include "rt/sched.h"
#include "rt/signal_outside.h"
#include "rt/signals.h"
#include "rt/stack.h"
#include "rt/start.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/wire.h"

#define QUEUE_LIMIT 4096
#define QUEUE_PART 32 /* as much is made at a time: each execution of a search needs it anew */

/* On the hook stack, by its name without _here (hook_stack.S): what the kernel is asked for is
 * another thing in a replay. */
void signal_set_in_kernel(int signal);
void signal_set_in_kernel_here(int signal);

/* One signal that has been sent and not delivered yet. */
struct queued_signal {
	siginfo_t info;
	struct queued_signal *next;
};

static RT_STATE struct sigaction actions[SIGNALS + 1];
static RT_STATE bool actions_changed;
/* for the first thread that unblocks it */
static RT_STATE struct queued_signal *process_queue;
static RT_STATE struct queued_signal *spare_signals;
static RT_STATE uint32_t queued;
/* Since the process began: what was set in the kernel must be set again when an execution begins
 * in place. */
static RT_KEPT signal_set kernel_actions;
static RT_KEPT bool kernel_mask;

bool signal_is_fault(int signal)
{
	switch (signal) {
	case SIGSEGV:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGTRAP:
	case SIGSYS:
		return true;
	}
	return false;
}

bool signal_has_handler(int signal)
{
	return actions[signal].sa_handler != SIG_DFL && actions[signal].sa_handler != SIG_IGN;
}

static bool is_ignored(int signal)
{
	if (actions[signal].sa_handler == SIG_IGN)
		return true;
	bool does_nothing =
		signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
	return actions[signal].sa_handler == SIG_DFL && does_nothing;
}

/* ---- queues ---- */

static struct queued_signal **find(struct queued_signal **queue, signal_set set)
{
	/* The lowest number first, of equal ones the oldest. */
	struct queued_signal **best = NULL;
	for (; *queue; queue = &(*queue)->next)
		if (signal_bit((*queue)->info.si_signo) & set &&
		    (!best || (*queue)->info.si_signo < (*best)->info.si_signo))
			best = queue;
	return best;
}

static bool take_signal(struct queued_signal **queue, signal_set set, siginfo_t *info)
{
	struct queued_signal **at = find(queue, set);
	if (!at)
		return false;
	struct queued_signal *s = *at;
	*info = s->info;
	*at = s->next;
	s->next = spare_signals;
	spare_signals = s;
	queued--;
	return true;
}

static bool take_any(signal_set set, siginfo_t *info)
{
	bool is_own = take_signal(&g.cur->signals.queue, set, info);
	bool is_of_process = !is_own && take_signal(&process_queue, set, info);
	signal_report(g.cur, is_own ? PENDING_TAKEN : PENDING_NONE);
	if (!is_own)
		signal_report_process(is_of_process ? PENDING_TAKEN : PENDING_NONE);
	return is_own || is_of_process;
}

static void add(struct queued_signal **queue, const siginfo_t *info)
{
	int signal = info->si_signo;
	/* One that is pending already is not counted twice, unless it is a real-time signal. */
	if ((signal < REAL_TIME_SIGNALS && find(queue, signal_bit(signal))) ||
	    queued == QUEUE_LIMIT)
		return;
	if (!spare_signals) {
		spare_signals = rt_map(QUEUE_PART * sizeof(*spare_signals));
		for (unsigned i = 0; i + 1 < QUEUE_PART; i++)
			spare_signals[i].next = &spare_signals[i + 1];
	}
	struct queued_signal *s = spare_signals;
	spare_signals = s->next;
	*s = (struct queued_signal){ .info = *info };
	while (*queue)
		queue = &(*queue)->next;
	*queue = s;
	queued++;
}

static void forget(int signal)
{
	siginfo_t unused;
	while (take_signal(&process_queue, signal_bit(signal), &unused))
		;
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		while (take_signal(&rt_threads_live[i]->signals.queue, signal_bit(signal), &unused))
			;
}

static signal_set set_in(const struct queued_signal *queue)
{
	signal_set set = 0;
	for (; queue; queue = queue->next)
		set |= signal_bit(queue->info.si_signo);
	return set;
}

signal_set signal_pending(void)
{
	return set_in(g.cur->signals.queue) | set_in(process_queue);
}

/* ---- dispositions ---- */

/* A signal that the kernel raises in a call that the thread makes (SIGPIPE) is the thread's own. */
static void on_raised(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	add(&g.cur->signals.queue, info);
	g.cur->needs_attention = true;
	sched_ask();
}

/* The disposition in the kernel: as without a handler, except that faults of the thread itself
 * reach the runtime. */
void signal_set_in_kernel_here(int signal)
{
	struct sigaction action = actions[signal];
	if (signal_is_fault(signal))
		return;
	kernel_actions |= signal_bit(signal);
	if (outside_signal_handles(signal, signal_has_handler(signal)))
		return;
	if (signal_has_handler(signal))
		action = (struct sigaction){ .sa_handler = SIG_DFL };
	if (signal == SIGPIPE && signal_has_handler(signal))
		action = (struct sigaction){ .sa_sigaction = on_raised, .sa_flags = SA_SIGINFO };
	g.internal++;
	real_sigaction(signal, &action, NULL);
	g.internal--;
}

const struct sigaction *signal_action(int signal)
{
	return &actions[signal];
}

void signal_set_action(int signal, const struct sigaction *action)
{
	actions[signal] = *action;
	actions_changed = true;
	signal_report_action();
	if (is_ignored(signal))
		forget(signal);
	signal_set_in_kernel(signal);
}

void signal_init(void)
{
	snapshot_rare(actions, sizeof(actions), &actions_changed);
	g.internal++;
	for (int signal = 1; signal <= SIGNALS; signal++)
		real_sigaction(signal, NULL, &actions[signal]);
	g.internal--;
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &g.cur->signals.mask, sizeof(signal_set));
	for (int signal = 1; signal <= SIGNALS; signal++)
		if (signal_has_handler(signal))
			signal_set_in_kernel(signal);
}

void signal_end_control(void)
{
	g.internal++;
	for (int signal = 1; signal <= SIGNALS; signal++)
		if (signal_has_handler(signal))
			real_sigaction(signal, &actions[signal], NULL);
	g.internal--;
	signal_show_mask();
}

void signal_show_mask(void)
{
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &g.cur->signals.mask, NULL, sizeof(signal_set));
}

void signal_mirror_mask(const struct thread *t)
{
	signal_set mask = t->signals.mask & ~outside_signal_unblocked();
	kernel_mask = true;
	for (int signal = 1; signal <= SIGNALS; signal++)
		if (signal_is_fault(signal))
			mask &= ~signal_bit(signal);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
}

void signal_rewind(void)
{
	for (int signal = 1; kernel_actions && signal <= SIGNALS; signal++)
		if (kernel_actions & signal_bit(signal))
			signal_set_in_kernel(signal);
	kernel_actions = 0;
	if (kernel_mask)
		signal_mirror_mask(g.cur);
	kernel_mask = false;
}

/* ---- delivery ---- */

/* The process dies of a signal: how the run ends. */
static void die(int signal, pc_t pc)
{
	rt_finding(signal == SIGABRT ? FAIL_ABORT : FAIL_SIGNAL_SENT, 0, (uint64_t)signal, pc);
	rt_give_up_control();
	uint64_t plain[4] = { 0 }; /* the kernel's form of SIG_DFL */
	signal_set none = 0;
	sys4(SYS_rt_sigaction, signal, plain, NULL, sizeof(signal_set));
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof(none));
	sys3(SYS_kill, sys3(SYS_getpid, 0, 0, 0), signal, 0);
	rt_end_process(128 + signal);
}

void signal_fill_sender(siginfo_t *info)
{
	if (info->si_code != SI_USER && info->si_code != SI_TKILL && info->si_code != SI_QUEUE)
		return;
	if (info->si_pid)
		return;			   /* another process */
	outside_selector = outside_closed; /* left open by our own use of libc */
	info->si_pid = real_getpid();
	info->si_uid = real_getuid();
}

void signal_call_handler(const siginfo_t *info, void *context)
{
	struct thread *self = g.cur;
	int signal = info->si_signo;
	struct sigaction action = actions[signal];
	/* A handler that ends sigsuspend() returns to the mask of before. */
	signal_set mask =
		self->signals.is_suspended ? self->signals.mask_before : self->signals.mask;
	siginfo_t told = *info;
	/* Whatever the thread was about to do waits. */
	struct pending late = g.late;
	struct frame *frame = g.frame;
	pc_t pc = g.hook_pc;
	g.late.size = 0;
	g.unsettled = 0;
	if (action.sa_flags & SA_RESETHAND) {
		actions[signal].sa_handler = SIG_DFL;
		actions_changed = true;
		signal_set_in_kernel(signal);
	}
	self->signals.mask |= signal_set_of(&action.sa_mask) |
			      (action.sa_flags & SA_NODEFER ? 0 : signal_bit(signal));
	if (self->signals.mask != mask)
		signal_mirror_mask(self);
	if (action.sa_flags & SA_SIGINFO)
		signal_fill_sender(&told);
	if (g.watches)
		await_effect();
	self->signals.restarts = self->signals.restarts && action.sa_flags & SA_RESTART;
	self->signals.handlers_run++;
	self->signals.is_suspended = false;
	signal_look_in_handler();
	ev_sync(EV_HANDLER_BEGIN, (uintptr_t)action.sa_handler, 0, (uint64_t)signal, 0, pc);
	action.sa_sigaction(signal, &told, context);
	rt_enter(pc);
	g.frame = frame;
	g.slow |= HOT_NEW_STACK;
	ev_sync(EV_HANDLER_END, (uintptr_t)action.sa_handler, 0, (uint64_t)signal, 0, pc);
	if (g.watches)
		await_effect();
	g.late = late;
	g.unsettled = late.size ? UNSETTLED_OTHER : 0;
	if (self->signals.mask != mask) {
		self->signals.mask = mask;
		signal_mirror_mask(self);
	}
}

void signal_deliver(void)
{
	siginfo_t info;
	while (take_any(~g.cur->signals.mask, &info)) {
		if (is_ignored(info.si_signo))
			continue;
		if (!signal_has_handler(info.si_signo))
			die(info.si_signo, g.hook_pc);
		/* of a thread between two steps nothing is known */
		ucontext_t context = { 0 };
		signal_call_handler(&info, &context);
	}
}

void signal_set_mask(signal_set mask)
{
	struct thread *self = g.cur;
	mask &= ~(signal_bit(SIGKILL) | signal_bit(SIGSTOP));
	if (mask == self->signals.mask)
		return;
	self->signals.mask = mask;
	signal_report(self, PENDING_MASK); /* what a later sending does depends on it */
	signal_mirror_mask(self);
	signal_deliver();
}

/* ---- sending ---- */

static bool would_take(const struct thread *t, int signal)
{
	return t->signals.awaited & signal_bit(signal) || !(t->signals.mask & signal_bit(signal));
}

/* Of the threads that can take a signal to the process any one gets it; NULL: all block it. */
static struct thread *receiver(int signal, pc_t pc)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		n += would_take(rt_threads_live[i], signal);
	if (!n)
		return NULL;
	uint32_t chosen = sched_choose(n, pc);
	for (uint32_t i = 0;; i++)
		if (would_take(rt_threads_live[i], signal) && !chosen--)
			return rt_threads_live[i];
}

void signal_send(struct thread *to, const siginfo_t *info, pc_t pc)
{
	int signal = info->si_signo;
	ev_sync(EV_KILL, 0, 0, to ? to->id + 1ull : 0, (uint64_t)signal, pc);
	explore_hidden((uintptr_t)&libc_hidden_objects[HIDDEN_SIGNALS], HIDDEN_SIGNALS, 0, pc);
	if (!to) {
		bool is_alone = rt_threads_live_count == 1 && would_take(g.cur, signal);
		signal_report_receivers();
		if (!is_alone)
			signal_report_process(PENDING_SENT);
		to = receiver(signal, pc);
	}
	if (!to) {
		add(&process_queue, info);
		return;
	}
	signal_set bit = signal_bit(signal);
	bool is_awaited = to->signals.awaited & bit, is_blocked = to->signals.mask & bit;
	signal_report(to, is_awaited || !is_blocked ? PENDING_WAKES : PENDING_SENT);
	if (to != g.cur)
		signal_report_interrupted(to, !is_awaited && !is_blocked && !is_ignored(signal));
	if (!is_awaited && !is_blocked) {
		if (is_ignored(signal))
			return;
		if (!signal_has_handler(signal))
			die(signal, pc);
	}
	clock_publish((uintptr_t)&to->signals.queue);
	add(&to->signals.queue, info);
	if (is_awaited) {
		to->signals.awaited = 0;
		sched_wake(to, WAIT_WOKEN);
	} else if (!is_blocked && to != g.cur) {
		to->needs_attention = true;
		if (!to->stores.awaits_flush) /* it looks before it goes on */
			sched_wake(to, WAIT_INTERRUPTED);
	} else if (!is_blocked) {
		signal_deliver();
	}
}

static void raise_here(int signal, pc_t pc)
{
	buffer_empty();
	siginfo_t info = { .si_signo = signal, .si_code = SI_TKILL };
	signal_send(g.cur, &info, pc);
}

void signal_abort(pc_t pc)
{
	g.cur->signals.mask &= ~signal_bit(SIGABRT);
	raise_here(SIGABRT, pc);
	signal_set_action(SIGABRT, &(struct sigaction){ .sa_handler = SIG_DFL });
}

/* ---- waiting ---- */

bool signal_wait(signal_set set, uint64_t deadline, siginfo_t *info, pc_t pc)
{
	struct thread *self = g.cur;
	thread_act_on_cancel(pc);
	outside_signal_awaits(set);
	while (!take_any(set, info)) {
		if (deadline <= self->time.now)
			return false;
		self->signals.awaited = set;
		signal_report(self, PENDING_MASK);
		self->signals.pc = pc;
		enum wait_end end = sched_wait(NULL, NULL, deadline, true);
		self->signals.awaited = 0;
		thread_act_on_cancel(pc);
		if (end != WAIT_WOKEN && !(signal_pending() & set))
			return false;
	}
	clock_receive((uintptr_t)&self->signals.queue);
	ev_sync(EV_SIGNAL_TAKEN, 0, 0, (uint64_t)info->si_signo, 0, pc);
	return true;
}

void signal_suspend(signal_set mask, pc_t pc)
{
	struct thread *self = g.cur;
	signal_set before = self->signals.mask;
	uint64_t handlers = self->signals.handlers_run;
	thread_act_on_cancel(pc);
	self->signals.is_suspended = true;
	self->signals.mask_before = before;
	signal_set_mask(mask);
	while (self->signals.handlers_run == handlers) {
		self->signals.pc = pc;
		sched_wait(NULL, NULL, NO_DEADLINE, true);
		if (cancel_is_due(&self->cancel)) {
			self->signals.is_suspended = false;
			self->signals.mask = before;
			signal_mirror_mask(self);
			thread_act_on_cancel(pc);
		}
	}
	self->signals.is_suspended = false;
	signal_set_mask(before);
}

pc_t signal_waiter_place(void)
{
	for (uint32_t i = 0; i < rt_threads_live_count; i++)
		if (rt_threads_live[i]->signals.awaited || rt_threads_live[i]->signals.is_suspended)
			return rt_threads_live[i]->signals.pc;
	return 0;
}
