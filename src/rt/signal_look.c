/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals between threads as operations of an explored execution.
 *
 * A handler runs before a step of its thread, so a thread to which signals are sent begins every
 * step with a look at its pending signals, which is an operation: a read of HIDDEN_PENDING of the
 * thread.  To send a signal changes it, to take one changes it, and so does a change of the mask
 * or of what sigwait waits for, on which it depends whether a signal that is sent ends a wait.  A
 * step at whose beginning a signal is delivered is that look and nothing else; the steps of the
 * handler follow, and then, behind a hook of its own, what the handler interrupted.  So where a
 * handler runs is determined by the order of dependent operations, as in a program that asks `if
 * (pending) handler();` before each of its steps.
 *
 * A thread that has to wait has looked before, so that it waits is a move of its own; a signal
 * that it does not block ends the wait for the time of the handler.  The move that takes the
 * signal counts as a use of what the thread waits for (explore/execution/moves.c).  Afterwards it
 * looks again at a queue in which it stood.  Whether sem_wait and futexes end with EINTR depends
 * on which came first, the signal or what they wait for; so to send is an operation on that
 * object, too; and possibly one on each object for which the receiver has waited before.
 *
 * Most programs send no signals, and most threads get none.  The search begins again when a
 * signal is sent to a thread for the first time (wire_divided.signals); that thread looks from
 * then on, in repeated executions and replays of the search, too, where only the hooks behind
 * handlers are left of it.  Other recordings and replays have no such hooks.
 */
#include "rt/explore.h"
#include "wire/fault.h"
#include "rt/fiber.h"
#include "rt/libc_wrap.h"
#include "rt/signals.h"
#include "rt/thread.h"
#include "wire/explore.h"
#include "wire/wire.h"

bool signal_looks(const struct thread *t)
{
	if (FAULT(PENDING_SIGNALS_NOT_SEEN))
		return false;
	return wire_looks_for_signals(&g.session->divided, t->id);
}

static void tell(uint64_t whose, unsigned what)
{
	if (!g.exploring)
		return;
	/* nothing that makes a round of a loop differ from the one before */
	if (what == PENDING_NONE)
		explore_op(EV_HIDDEN, PENDING_OF(whose), what, 0, HIDDEN_PENDING, 0, g.hook_pc);
	else
		explore_hidden(PENDING_OF(whose), HIDDEN_PENDING, what, g.hook_pc);
}

void signal_report(const struct thread *t, unsigned what)
{
	/* A send is an operation for any receiver: it may have to look from now on. */
	if (signal_looks(t) || (what >= PENDING_SENT && t != g.cur))
		tell(t->id, t == g.cur && what >= PENDING_SENT ? PENDING_MASK : what);
}

void signal_report_ended(const struct thread *t, int signal, pc_t pc)
{
	if (g.exploring)
		explore_op(EV_KILL, t->id, t->id + 1ull, (uint64_t)signal, 0, 0, pc);
	explore_hidden((uintptr_t)&libc_hidden_objects[HIDDEN_SIGNALS], HIDDEN_SIGNALS, 0, pc);
	signal_report(t, PENDING_SENT); /* its last look came before */
	signal_report_interrupted(t, false);
}

void signal_report_process(unsigned what)
{
	if (what >= PENDING_SENT || wire_looks_for_process(&g.session->divided))
		tell(PENDING_PROCESS, what);
}

void signal_report_action(void)
{
	uint32_t made = fiber_threads_made();
	for (uint32_t i = 0; i < made; i++)
		if (wire_looks_for_signals(&g.session->divided, i))
			tell(i, PENDING_MASK);
	signal_report_process(PENDING_MASK);
}

/* A signal goes to the process: which threads there are, and what they block, decides which one
 * gets it. */
void signal_report_receivers(void)
{
	uint32_t made = fiber_threads_made();
	for (uint32_t i = 0; i < made && wire_looks_for_process(&g.session->divided); i++)
		tell(i, PENDING_NONE);
}

void signal_note_interruptible(uintptr_t object, unsigned mode)
{
	struct thread_signals *s = &g.cur->signals;
	s->interruptible = object;
	for (uint32_t i = 0; i < s->waited_count && i < INTERRUPTIBLE_KEPT; i++)
		if (s->waited[i].object == object && s->waited[i].mode == mode)
			return;
	s->waited[s->waited_count++ % INTERRUPTIBLE_KEPT] =
		(struct interruptible){ object, (uint8_t)mode };
}

/*
 * The thread may wait, or have waited without having gone on since.  Where it does not wait for an
 * object any more, the sender might have found that it does: what it touches must not depend on
 * what it finds.
 */
void signal_report_interrupted(const struct thread *t, bool ends_wait)
{
	const struct thread_signals *s = &t->signals;
	for (uint32_t i = 0; i < s->waited_count && i < INTERRUPTIBLE_KEPT; i++) {
		const struct interruptible *w = &s->waited[i];
		if (ends_wait && w->object == s->interruptible)
			explore_hidden(w->object, w->mode, 1, g.hook_pc);
		else if (g.exploring)
			explore_op(EV_HIDDEN, w->object, 1, 0, w->mode, OPF_MIGHT, g.hook_pc);
	}
}

void signal_waits_again(uintptr_t object, unsigned mode, uint64_t handlers)
{
	if (g.cur->signals.handlers_run == handlers || !object || !signal_looks(g.cur) ||
	    (mode != SYNC_COND && mode != SYNC_BARRIER && mode != SYNC_FUTEX))
		return;
	explore_hidden(object, mode, 0, g.hook_pc);
	/* What follows is another step, so that this one touches the same whether it was woken or
	 * not. */
	if (mode == SYNC_COND && !g.cur->wait.queue)
		rt_point();
}

void signal_might_interrupt(void)
{
	if (!g.exploring || !signal_looks(g.cur))
		return;
	g.cur->step.flags |= OPF_INTERRUPTIBLE;
	explore_list_step();
}

/* A handler has run: what it interrupted is a step of its own, and others may come between. */
/*
 * A handler begins.  What else was sent and is not blocked is taken at its first hook, because the
 * thread looks there; where it need not look, as in a repeated execution, the same is done here.
 */
void signal_look_in_handler(void)
{
	if (FAULT(REPEATED_HANDLERS_DO_NOT_NEST) || g.exploring || !signal_looks(g.cur) ||
	    !(signal_pending() & ~g.cur->signals.mask))
		return;
	g.cur->needs_attention = true;
	sched_ask();
}

void signal_attend(void)
{
	struct thread *self = g.cur;
	uint64_t handlers = self->signals.handlers_run;
	if (self->needs_attention)
		thread_attend();
	else if (g.exploring && signal_looks(self))
		signal_deliver();
	if (FAULT(HANDLER_END_NO_STEP))
		return;
	if (self->signals.handlers_run != handlers && signal_looks(self))
		rt_point();
}
