/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cancellation and signals: nobody acts on what was not sent.  A sleep that one of them ends has
 * not lasted, so the sleeper's clock need not show its deadline.
 */
#ifndef VALIDATOR_SIGNALS_H
#define VALIDATOR_SIGNALS_H

#include "threads.h"

static void wake_early(uint64_t thread)
{
	struct thread *t = &threads[thread];
	if (t->is_asleep)
		t->clock = t->clock_before_sleep;
}

static void do_cancel(const struct event *e)
{
	if (e->a >= thread_total || threads[e->a].next == NEXT_NOTHING)
		violation("T%" PRIu64 " cancels T%" PRIu64 ", which has ended or never was",
			  e->thread, e->a);
	threads[e->a].is_cancelled = true;
}

static void do_cancelled(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	if (!t->is_cancelled)
		violation("T%" PRIu64 " obeys a cancellation that nobody asked for", e->thread);
	if (t->is_leaving)
		violation("T%" PRIu64 " obeys a cancellation for the second time", e->thread);
	t->is_leaving = true;
	if (t->next != NEXT_ANY && t->next != NEXT_SEM_WAIT)
		violation("T%" PRIu64 " obeys a cancellation, but its next event must be: %s",
			  e->thread, next_words[t->next]);
	t->next = NEXT_ANY;
	wake_early(e->thread);
}

static void do_kill(const struct event *e)
{
	if (!e->b || e->b >= SIGNALS)
		violation("there is no signal %" PRIu64, e->b);
	if (!e->a) {
		sent_to_process[e->b]++;
		return;
	}
	if (e->a > thread_total || threads[e->a - 1].next == NEXT_NOTHING)
		violation("signal %" PRIu64 " is sent to T%" PRIu64
			  ", which has ended or never was",
			  e->b, e->a - 1);
	threads[e->a - 1].sent[e->b]++;
}

static void take_signal(const struct event *e)
{
	if (!e->a || e->a >= SIGNALS)
		violation("there is no signal %" PRIu64, e->a);
	uint64_t *sent = &threads[e->thread].sent[e->a];
	if (!*sent)
		sent = &sent_to_process[e->a];
	if (!*sent)
		violation("T%" PRIu64 " gets signal %" PRIu64 ", which nobody sent", e->thread,
			  e->a);
	--*sent;
}

/* What the processor raises: nobody sends it. */
static bool is_fault(uint64_t signal)
{
	/* ILL, TRAP, BUS, FPE, SEGV, SYS */
	static const int faults[] = { 4, 5, 7, 8, 11, 31 };
	for (unsigned i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		if (signal == (uint64_t)faults[i])
			return true;
	return false;
}

/* Whatever the thread was about to do waits until the handler has returned. */
static void do_handler_begin(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	if (!is_fault(e->a))
		take_signal(e);
	wake_early(e->thread);
	if (t->handlers < HANDLERS) {
		struct handler *h = &t->interrupted[t->handlers];
		*h = (struct handler){
			.signal = e->a, .function = e->obj, .next = t->next, .obj = t->obj
		};
	}
	t->handlers++;
	t->next = NEXT_ANY;
}

/*
 * Handlers end from the inside out.  One may be left by a jump, which no event tells: then those
 * inside the one that ends are gone, too.  A wait for a semaphore may be given up after one.
 */
static void do_handler_end(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	if (t->handlers > HANDLERS) {
		t->handlers--;
		return;
	}
	while (t->handlers && (t->interrupted[t->handlers - 1].signal != e->a ||
			       t->interrupted[t->handlers - 1].function != e->obj))
		t->handlers--;
	if (!t->handlers)
		violation("T%" PRIu64 " ends a handler that it did not begin", e->thread);
	struct handler *h = &t->interrupted[--t->handlers];
	t->next = h->next;
	t->obj = h->obj;
	t->may_give_up = t->next == NEXT_SEM_WAIT;
}

static void do_signal_taken(const struct event *e)
{
	take_signal(e);
}

#endif
