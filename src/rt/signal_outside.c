/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals from outside; see signal_outside.h.
 *
 * The kernel's handler may run between any two instructions of the process: it writes to a queue
 * of its own and does nothing else, on the stack of the runtime's handlers, so that it leaves
 * nothing on the program's.  The scheduler looks at the queue when it decides, and at least once
 * in LOOK_EVERY hooks; a sleep of the process in the kernel is ended by the signal.
 *
 * To the thread a signal is an input like any other: it waits as for a descriptor, and what the
 * kernel says of the signal is a record in the name of rt_sigtimedwait().
 */
#include "rt/signal_outside.h"

#include <limits.h>
#include <sys/syscall.h>

#include "rt/enter.h"
#include "rt/event.h"
#include "rt/mem.h"
#include "rt/outside.h"
#include "rt/sched.h"
#include "rt/signals.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/wire.h"

/* On the hook stack, by its name without _here (hook_stack.S): a replay does not do all of it. */
void outside_signal_awaits_here(signal_set set);

#define QUEUE 64u
#define RESTORER 0x04000000ul

/* One writer, the kernel's handler, and one reader. */
static RT_KEPT siginfo_t arrived[QUEUE];
static RT_KEPT volatile uint32_t arrived_count;
static RT_STATE uint32_t taken_count;
static RT_STATE signal_set handled, awaited;
static RT_STATE pc_t
	heard_at[SIGNALS + 1]; /* where the program said that it handles or awaits it */
static RT_STATE struct thread *listener;

/* With all signals blocked. */
static void on_arrival(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	uint32_t n = arrived_count;
	if (n - taken_count == QUEUE)
		return;
	rt_memcpy(&arrived[n % QUEUE], info, sizeof(*info));
	arrived_count = n + 1;
}

bool outside_signal_came(void)
{
	return unlikely(arrived_count != taken_count);
}

/* ---- which signals ---- */

static bool is_recorded(void)
{
	return g.session->policy != POLICY_EXPLORE && g.session->policy != POLICY_REPLAY;
}

static signal_set heard(void)
{
	return handled | awaited;
}

/* As the kernel has it; the return from the handler must not be caught as a system call. */
static void set_kernel_handler(int signal)
{
	struct kernel_action action = { .flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | RESTORER,
					.restorer = outside_return,
					.mask = ~0ull };
	action.handler = (void (*)(int))(void *)on_arrival;
	sys4(SYS_rt_sigaction, signal, &action, NULL, sizeof(signal_set));
}

static void publish(void)
{
	if (g.session->signals_heard == heard())
		return;
	g.session->signals_heard = heard();
	signal_mirror_mask(g.cur);
	sched_ask(); /* from now on the scheduler looks for signals */
}

bool outside_signal_handles(int signal, bool has_handler)
{
	signal_set bit = signal_bit(signal);
	heard_at[signal] = g.hook_pc;
	if (!is_recorded() || signal == SIGPIPE || signal_is_fault(signal))
		return false;
	handled = has_handler ? handled | bit : handled & ~bit;
	if (heard() & bit)
		set_kernel_handler(signal);
	publish();
	return heard() & bit;
}

void outside_signal_awaits_here(signal_set set)
{
	for (int signal = 1; signal <= SIGNALS; signal++) {
		signal_set bit = set & ~heard() & signal_bit(signal);
		if (!bit || signal == SIGPIPE || signal_is_fault(signal))
			continue;
		heard_at[signal] = g.hook_pc;
		if (!is_recorded())
			continue;
		awaited |= signal_bit(signal);
		set_kernel_handler(signal);
	}
	publish();
}

signal_set outside_signal_unblocked(void)
{
	return heard();
}

bool outside_signal_may_come(void)
{
	const signal_set of_users =
		signal_bit(SIGINT) | signal_bit(SIGTERM) | signal_bit(SIGHUP) | signal_bit(SIGQUIT);
	signal_set may_come = of_users | (descriptors_have_children() ? signal_bit(SIGCHLD) : 0);
	bool waits_for_signal = signal_waiter_place() != 0;
	if (!(heard() & (waits_for_signal ? ~0ull : may_come)))
		return false;
	for (uint32_t i = 0; i < rt_threads_live_count && !waits_for_signal; i++) {
		const struct thread *t = rt_threads_live[i];
		waits_for_signal =
			t != listener && t->state == THREAD_BLOCKED &&
			(t->io.is_waiting || t->wait.is_timed || t->signals.interruptible);
	}
	return waits_for_signal;
}

/* ---- the sleep of the process ---- */

long outside_signal_poll(struct pollfd *fds, uint32_t count, const void *limit)
{
	signal_set all = ~0ull, before = 0;
	long ready;
	if (!heard())
		return sys6(SYS_ppoll, (long)fds, count, (long)limit, 0, 0, 0);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all));
	/* one that has come by now ends the sleep before it begins */
	if (outside_signal_came())
		ready = 0;
	else
		ready = sys6(SYS_ppoll, (long)fds, count, (long)limit, (long)&before,
			     sizeof(before), 0);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
	return ready;
}

/* ---- the thread ---- */

static void take_one(siginfo_t *info)
{
	struct call c = { .nr = SYS_rt_sigtimedwait };
	if (outside_replays()) {
		c.result = outside_recall(&c);
	} else {
		while (!outside_signal_came())
			outside_wait_for(&c, NULL, 0, NO_DEADLINE);
		rt_memcpy(info, &arrived[taken_count % QUEUE], sizeof(*info));
		taken_count++;
		c.result = info->si_signo;
	}
	outside_answered(&c, c.result);
	if (outside_replays())
		outside_feed(&c, info, sizeof(*info));
	else
		outside_keep(&c, info, sizeof(*info));
}

/* It ends with the process. */
static void *listen_outside(void *unused)
{
	(void)unused;
	rt_memcpy(g.cur->name, "outside", sizeof("outside"));
	ev_text(EV_THREAD_NAME, 0, g.cur->id, 0, g.cur->name, g.hook_pc);
	for (;;) {
		siginfo_t info;
		rt_enter(g.hook_pc);
		take_one(&info);
		if (signal_exists(info.si_signo))
			signal_send(NULL, &info, heard_at[info.si_signo]);
	}
	return NULL;
}

struct thread *outside_signal_thread(void)
{
	if (!listener) {
		listener = thread_make(listen_outside, NULL, g.hook_pc);
		listener->signals.mask = ~0ull;
	}
	listener->io.is_ready = listener->io.is_waiting;
	return listener;
}

bool outside_signal_is_thread(const struct thread *t)
{
	return t == listener;
}

bool outside_signal_has_thread(void)
{
	return listener;
}
