/* SPDX-License-Identifier: Apache-2.0 */
/* Locks and condition variables: who may take, give back, wait, wake. */
#ifndef VALIDATOR_SYNC_H
#define VALIDATOR_SYNC_H

#include "state.h"

static struct lock *living_lock(const struct event *e)
{
	struct lock *l = lock_of(e->obj);
	if (l->is_destroyed && !explained_by(&threads[e->thread], FAIL_USE_DESTROYED, e->obj))
		violation("use of the destroyed 0x%" PRIx64, e->obj);
	l->is_destroyed = false;
	return l;
}

static void do_request(const struct event *e)
{
	living_lock(e);
	threads[e->thread].next = NEXT_ACQUIRE;
	threads[e->thread].obj = e->obj;
}

static bool is_annotated(const struct event *e)
{
	return !strncmp(e->mode, "annotated", strlen("annotated"));
}

/* An annotated lock that is held for reading, perhaps by several threads. */
static bool do_shared(const struct event *e, bool is_taken)
{
	struct lock *l = lock_of(e->obj);
	struct thread *t = &threads[e->thread];
	if (strcmp(e->mode, "annotated-shared"))
		return false;
	if (is_taken && l->owner != NONE && !explained_by(t, FAIL_TWO_HOLDERS, e->obj))
		violation("T%" PRIu64 " reads under 0x%" PRIx64 ", which T%" PRIu64 " holds", e->thread, e->obj, l->owner);
	if (!is_taken && !l->readers)
		violation("T%" PRIu64 " releases 0x%" PRIx64 ", which nobody reads under", e->thread, e->obj);
	l->readers += is_taken ? 1 : -1ull;
	if (is_taken)
		raise_clock(&t->clock, l->clock);
	else
		raise_clock(&l->clock, t->clock);
	return true;
}

static void do_acquire(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	struct lock *l = living_lock(e);
	if (do_shared(e, true))
		return;
	if (l->readers && !explained_by(t, FAIL_HOLDER_AND_READERS, e->obj))
		violation("T%" PRIu64 " acquires 0x%" PRIx64 ", which others read under", e->thread, e->obj);
	bool again = l->owner == e->thread;
	if (l->owner != NONE && !again)
		violation("T%" PRIu64 " acquires 0x%" PRIx64 ", which T%" PRIu64 " holds", e->thread, e->obj,
			l->owner);
	if (again && l->type && l->type != TYPE_RECURSIVE)
		violation("T%" PRIu64 " acquires 0x%" PRIx64 " again, which is not recursive", e->thread,
			e->obj);
	if (e->a != (again ? l->depth + 1 : 1))
		violation("depth %" PRIu64 " after acquire at depth %" PRIu64, e->a, l->depth);
	l->owner = e->thread;
	l->depth = t->mutex == e->obj && t->depth ? t->depth : e->a;
	t->mutex = t->depth = 0;
	raise_clock(&t->clock, l->clock);
}

static void do_release(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	struct lock *l = living_lock(e);
	if (do_shared(e, false))
		return;
	bool waits = t->next == NEXT_RELEASE;
	if (l->owner == NONE)
		violation("T%" PRIu64 " releases 0x%" PRIx64 ", which nobody holds", e->thread, e->obj);
	if (l->owner != e->thread && !explained_by(t, FAIL_UNLOCK_OTHER, e->obj) &&
	    !explained_by(t, FAIL_TWO_HOLDERS, e->obj))
		violation("T%" PRIu64 " releases 0x%" PRIx64 ", which T%" PRIu64 " holds", e->thread, e->obj,
			l->owner);
	uint64_t depth = waits || l->owner != e->thread ? 0 : l->depth - 1;
	if (e->a != depth)
		violation("depth %" PRIu64 " after release at depth %" PRIu64, e->a, l->depth);
	l->depth = depth;
	if (!depth)
		l->owner = NONE;
	raise_clock(&l->clock, t->clock);
	t->next = waits ? NEXT_WAKE : NEXT_ANY;
	t->obj = waits ? t->cond : NONE;
}

static void do_ask(const struct event *e)
{
	living_lock(e);
	if (!is_annotated(e))
		violation("T%" PRIu64 " asks for 0x%" PRIx64 ", which is not annotated", e->thread, e->obj);
}

static void do_try_fail(const struct event *e)
{
	if (living_lock(e)->owner == NONE && !is_annotated(e))
		violation("T%" PRIu64 " fails to get 0x%" PRIx64 ", which nobody holds", e->thread, e->obj);
}

static void do_init(const struct event *e)
{
	struct lock *l = lock_of(e->obj);
	if (l->owner != NONE)
		violation("init of 0x%" PRIx64 ", which T%" PRIu64 " holds", e->obj, l->owner);
	l->is_destroyed = false;
	l->type = e->a;
}

static void do_destroy(const struct event *e)
{
	struct lock *l = living_lock(e);
	if (l->owner != NONE)
		violation("destroy of 0x%" PRIx64 ", which T%" PRIu64 " holds", e->obj, l->owner);
	l->is_destroyed = true;
}

static bool waits_for(uint64_t thread, uint64_t cond)
{
	return threads[thread].next == NEXT_WAKE && threads[thread].cond == cond &&
	       !threads[thread].was_signalled;
}

static void do_wait(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	struct lock *l = lock_of(e->a);
	living_lock(e);
	if (!e->a) {	/* a futex: no mutex is given up */
		t->cond = t->obj = e->obj;
		t->mutex = 0;
		t->was_signalled = false;
		t->next = NEXT_WAKE;
		return;
	}
	if (l->owner != e->thread)
		violation("T%" PRIu64 " waits with 0x%" PRIx64 ", which it does not hold", e->thread, e->a);
	t->cond = e->obj;
	t->mutex = e->a;
	t->depth = l->depth;
	t->was_signalled = false;
	t->next = NEXT_RELEASE;
	t->obj = e->a;
}

static void do_wake(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	if (!t->was_signalled)
		violation("T%" PRIu64 " wakes without a signal", e->thread);
	if (e->a != t->mutex)
		violation("T%" PRIu64 " waited with mutex 0x%" PRIx64 " and wakes with 0x%" PRIx64, e->thread,
			t->mutex, e->a);
	raise_clock(&t->clock, lock_of(e->obj)->clock);
	t->next = t->mutex ? NEXT_REQUEST : NEXT_ANY;
	t->obj = t->mutex;
}

static void do_signal(const struct event *e)
{
	raise_clock(&living_lock(e)->clock, threads[e->thread].clock);
	if (!e->a) {
		for (uint64_t i = 0; i < thread_total; i++)
			if (waits_for(i, e->obj))
				violation("the signal wakes nobody although T%" PRIu64 " waits", i);
		return;
	}
	if (e->a > thread_total || !waits_for(e->a - 1, e->obj))
		violation("the signal wakes T%" PRIu64 ", which does not wait for it", e->a - 1);
	threads[e->a - 1].was_signalled = true;
}

static void do_broadcast(const struct event *e)
{
	uint64_t n = 0;
	raise_clock(&living_lock(e)->clock, threads[e->thread].clock);
	for (uint64_t i = 0; i < thread_total; i++) {
		if (waits_for(i, e->obj)) {
			threads[i].was_signalled = true;
			n++;
		}
	}
	if (n != e->a)
		violation("the broadcast wakes %" PRIu64 " threads, but %" PRIu64 " wait", e->a, n);
}

#endif
