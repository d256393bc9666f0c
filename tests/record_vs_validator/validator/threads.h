/* SPDX-License-Identifier: Apache-2.0 */
/* Threads, their order in time, and the end of the process. */
#ifndef VALIDATOR_THREADS_H
#define VALIDATOR_THREADS_H

#include "counters.h"

static bool has_ended;
static uint64_t exit_status = NONE;
static uint64_t sent_to_process[SIGNALS]; /* and not delivered to any thread yet */

/* Then it may go on to run a handler. */
static bool has_signal(const struct thread *t)
{
	for (unsigned signal = 0; signal < SIGNALS; signal++)
		if (t->sent[signal] || sent_to_process[signal])
			return true;
	return false;
}

static void do_switch(const struct event *e)
{
	const struct thread *t = &threads[e->thread];
	if (e->b != running)
		violation("the switch says that T%" PRIu64 " ran, but T%" PRIu64 " did", e->b,
			  running);
	if (e->thread == running)
		violation("T%" PRIu64 " is switched to itself", e->thread);
	if (e->a < last_hooks)
		violation("the count of hooks falls from %" PRIu64 " to %" PRIu64, last_hooks,
			  e->a);
	if (!t->is_forked || t->next == NEXT_NOTHING)
		violation("T%" PRIu64 " goes on, which %s", e->thread,
			  t->is_forked ? "has ended" : "was never created");
	/*
	 * A wait for a signal may end by its deadline, or because the thread is to end; its next
	 * event tells.
	 */
	if (stands_at(e->thread, t->barrier) && !t->handlers && !has_signal(t))
		violation("T%" PRIu64 " goes on while it stands at a barrier", e->thread);
	last_hooks = e->a;
	running = e->thread;
}

static struct thread *new_thread(uint64_t id)
{
	if (id >= THREADS || threads[id].is_forked)
		violation("T%" PRIu64 " is created again", id);
	threads[id].is_forked = true;
	threads[id].next = NEXT_BEGIN;
	if (id >= thread_total)
		thread_total = id + 1;
	return &threads[id];
}

static void do_fork(const struct event *e)
{
	struct thread *t = new_thread(e->a);
	t->creator = e->thread;
	t->clock = threads[e->thread].clock;
}

static void do_begin(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	if (t->next != NEXT_BEGIN)
		violation("T%" PRIu64 " begins twice", e->thread);
	if (e->a != t->creator)
		violation("T%" PRIu64 " was not created by T%" PRIu64, e->thread, e->a);
	t->next = NEXT_ANY;
}

static void do_end(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	for (unsigned i = 0; i < sizeof(locks) / sizeof(*locks); i++)
		for (struct lock *l = locks[i]; l; l = l->next)
			if ((l->owner == e->thread || share_of(l, e->thread)) &&
			    t->failure != FAIL_EXIT_HOLDING)
				violation("T%" PRIu64 " ends while it holds 0x%" PRIx64, e->thread,
					  l->addr);
	t->next = NEXT_NOTHING;
}

static void do_join_wait(const struct event *e)
{
	if (e->a >= thread_total || threads[e->a].next == NEXT_NOTHING)
		violation("T%" PRIu64 " waits for T%" PRIu64 ", which has ended or never was",
			  e->thread, e->a);
}

static void do_join(const struct event *e)
{
	struct thread *t = e->a < thread_total ? &threads[e->a] : NULL;
	if (!t || t->next != NEXT_NOTHING)
		violation("join of T%" PRIu64 ", which has not ended", e->a);
	if (t->is_joined || t->is_detached)
		violation("join of T%" PRIu64 ", which has been %s", e->a,
			  t->is_joined ? "joined" : "detached");
	t->is_joined = true;
	raise_clock(&threads[e->thread].clock, t->clock);
}

static void do_detach(const struct event *e)
{
	struct thread *t = e->a < thread_total ? &threads[e->a] : NULL;
	if (!t || !t->is_forked || t->is_joined || t->is_detached)
		violation("detach of T%" PRIu64 ", which %s", e->a,
			  t && t->is_forked ? "is gone" : "does not exist");
	t->is_detached = true;
}

static void do_sleep(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	t->clock_before_sleep = t->clock;
	t->clock += e->a;
}

static void do_clock(const struct event *e)
{
	uint64_t *clock = &threads[e->thread].clock;
	if (e->a <= *clock)
		violation("T%" PRIu64 " sees %" PRIu64 " on its clock, not after %" PRIu64,
			  e->thread, e->a, *clock);
	*clock = e->a;
}

static void do_choice(const struct event *e)
{
	if (e->a >= e->b)
		violation("choice %" PRIu64 " out of %" PRIu64, e->a, e->b);
}

static void do_process_end(const struct event *e)
{
	has_ended = true;
	exit_status = e->a;
}

#endif
