/* SPDX-License-Identifier: Apache-2.0 */
/* Semaphores and barriers: objects that count and that nobody holds. */
#ifndef VALIDATOR_COUNTERS_H
#define VALIDATOR_COUNTERS_H

#include "sync.h"

static void do_sem_post(const struct event *e)
{
	struct lock *l = living_lock(e);
	if (l->value != NONE && e->a != l->value + 1)
		violation("value %" PRIu64 " after a post at %" PRIu64, e->a, l->value);
	l->value = e->a;
	raise_clock(&l->clock, threads[e->thread].clock);
}

static void do_sem_wait(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	struct lock *l = living_lock(e);
	if (l->value == 0 || (l->value != NONE && e->a != l->value - 1))
		violation("value %" PRIu64 " after a wait at %" PRIu64, e->a, l->value);
	l->value = e->a;
	raise_clock(&t->clock, l->clock);
	t->next = NEXT_ANY;
}

static bool stands_at(uint64_t thread, uint64_t barrier)
{
	const struct thread *t = &threads[thread];
	return awaits(t, NEXT_BARRIER_OUT) && t->barrier == barrier && !t->was_signalled;
}

/* The last one to arrive lets all of this round go, with the latest of their clocks. */
static void end_round(struct lock *l)
{
	for (uint64_t i = 0; i < thread_total; i++) {
		if (!stands_at(i, l->addr))
			continue;
		threads[i].was_signalled = true;
		raise_clock(&threads[i].clock, l->round_clock);
	}
	l->arrived = l->round_clock = 0;
}

static void do_barrier_in(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	struct lock *l = living_lock(e);
	l->arrived++;
	if (!l->type)
		l->type = l->arrived + e->a;
	if (e->a != l->type - l->arrived)
		violation("%" PRIu64 " threads are missing after %" PRIu64 " of %" PRIu64
			  " have come",
			  e->a, l->arrived, l->type);
	raise_clock(&l->round_clock, t->clock);
	t->next = NEXT_BARRIER_OUT;
	t->obj = t->barrier = e->obj;
	t->was_signalled = false;
	t->is_last = !e->a;
	if (t->is_last)
		end_round(l);
}

/* The barrier itself may have been destroyed by now. */
static void do_barrier_out(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	if (!t->was_signalled)
		violation("T%" PRIu64 " passes the barrier 0x%" PRIx64 " before all have come",
			  e->thread, e->obj);
	if (e->a != t->is_last)
		violation("T%" PRIu64 " %s the result of the last one", e->thread,
			  t->is_last ? "does not get" : "gets");
	t->next = NEXT_ANY;
}

#endif
