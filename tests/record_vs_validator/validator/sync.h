/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of all kinds and condition variables: who may take, give back, wait, wake. */
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

static bool is_mode(const struct event *e, const char *mode)
{
	return !strcmp(e->mode, mode);
}

static struct share *share_of(const struct lock *l, uint64_t thread)
{
	struct share *s = l->shares;
	while (s && s->thread != thread)
		s = s->next;
	return s;
}

static void do_request(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	const struct lock *l = living_lock(e);
	bool is_semaphore = is_mode(e, "semaphore");
	if (is_semaphore && l->value != 0 && l->value != NONE)
		violation("T%" PRIu64 " waits for 0x%" PRIx64 ", whose value is %" PRIu64,
			  e->thread, e->obj, l->value);
	t->next = is_semaphore ? NEXT_SEM_WAIT : NEXT_ACQUIRE;
	t->obj = e->obj;
	t->wants_to_write = is_mode(e, "wrlock");
}

static void acquire_share(const struct event *e, struct lock *l)
{
	struct share *s = share_of(l, e->thread);
	if (e->a != (s ? s->depth + 1 : 1))
		violation("depth %" PRIu64 " after acquire at depth %" PRIu64, e->a,
			  s ? s->depth : 0);
	if (!s) {
		s = zeroed(sizeof(*s));
		*s = (struct share){ l->shares, e->thread, 0 };
		l->shares = s;
	}
	s->depth = e->a;
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
		violation("T%" PRIu64 " reads under 0x%" PRIx64 ", which T%" PRIu64 " holds",
			  e->thread, e->obj, l->owner);
	if (!is_taken && !l->readers)
		violation("T%" PRIu64 " releases 0x%" PRIx64 ", which nobody reads under",
			  e->thread, e->obj);
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
		violation("T%" PRIu64 " acquires 0x%" PRIx64 ", which others read under", e->thread,
			  e->obj);
	bool again = l->owner == e->thread;
	if (l->owner != NONE && !again)
		violation("T%" PRIu64 " acquires 0x%" PRIx64 ", which T%" PRIu64 " holds",
			  e->thread, e->obj, l->owner);
	raise_clock(&t->clock, l->clock);
	if (is_mode(e, "rdlock") && !again) {
		acquire_share(e, l);
		return;
	}
	if (l->shares)
		violation("T%" PRIu64 " acquires 0x%" PRIx64 ", which T%" PRIu64 " reads",
			  e->thread, e->obj, l->shares->thread);
	bool may_again = is_mode(e, "stream") || is_annotated(e) ||
			 (is_mode(e, "mutex") && (!l->type || l->type == TYPE_RECURSIVE));
	if (again && !may_again)
		violation("T%" PRIu64 " acquires 0x%" PRIx64 " again, which is not recursive",
			  e->thread, e->obj);
	if (e->a != (again ? l->depth + 1 : 1))
		violation("depth %" PRIu64 " after acquire at depth %" PRIu64, e->a, l->depth);
	l->owner = e->thread;
	l->depth = e->a;
	l->is_told |= l->is_orphan;
	l->is_orphan = false;
}

/* One layer of a thread's share; by another thread only where that is reported as a failure. */
static void release_share(const struct event *e, struct lock *l)
{
	struct share **at = &l->shares;
	bool any = explained_by(&threads[e->thread], FAIL_UNLOCK_OTHER, e->obj);
	while (*at && ((*at)->thread != e->thread && !(any && (*at)->depth == e->a + 1)))
		at = &(*at)->next;
	struct share *s = *at;
	if (!s)
		violation("T%" PRIu64 " releases 0x%" PRIx64 ", which it does not read", e->thread,
			  e->obj);
	if (e->a != s->depth - 1)
		violation("depth %" PRIu64 " after release at depth %" PRIu64, e->a, s->depth);
	s->depth = e->a;
	if (!s->depth) {
		*at = s->next;
		free(s);
	}
}

static void do_release(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	struct lock *l = living_lock(e);
	if (do_shared(e, false))
		return;
	bool waits = t->next == NEXT_RELEASE;
	raise_clock(&l->clock, t->clock);
	if (is_mode(e, "rdlock")) {
		release_share(e, l);
		return;
	}
	if (l->owner == NONE)
		violation("T%" PRIu64 " releases 0x%" PRIx64 ", which nobody holds", e->thread,
			  e->obj);
	if (l->owner != e->thread && !explained_by(t, FAIL_UNLOCK_OTHER, e->obj) &&
	    !explained_by(t, FAIL_TWO_HOLDERS, e->obj))
		violation("T%" PRIu64 " releases 0x%" PRIx64 ", which T%" PRIu64 " holds",
			  e->thread, e->obj, l->owner);
	uint64_t depth = l->owner != e->thread ? 0 : l->depth - 1;
	if (e->a != depth)
		violation("depth %" PRIu64 " after release at depth %" PRIu64, e->a, l->depth);
	l->depth = depth;
	if (!depth)
		l->owner = NONE;
	t->depth = depth;
	t->next = waits ? NEXT_WAKE : NEXT_ANY;
	t->obj = waits ? t->cond : NONE;
}

static void do_ask(const struct event *e)
{
	living_lock(e);
	if (!is_annotated(e))
		violation("T%" PRIu64 " asks for 0x%" PRIx64 ", which is not annotated", e->thread,
			  e->obj);
}

/* Does a thread that wants to write stand in a reader's way? */
static bool is_wanted_for_writing(const struct lock *l)
{
	for (uint64_t i = 0; i < thread_total; i++)
		if (threads[i].next == NEXT_ACQUIRE && threads[i].obj == l->addr &&
		    threads[i].wants_to_write)
			return true;
	return false;
}

static void do_try_fail(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	const struct lock *l = living_lock(e);
	bool fits = is_held(l) || l->is_told || is_annotated(e);
	if (t->next == NEXT_SEM_WAIT && t->may_give_up && e->obj == t->obj) {
		t->next = NEXT_ANY;
		return;
	}
	if (t->next != NEXT_ANY)
		violation("T%" PRIu64 " makes '%s', but its next event must be: %s", e->thread,
			  e->kind, next_words[t->next]);
	if (is_mode(e, "rdlock"))
		fits = l->owner != NONE || (l->shares && is_wanted_for_writing(l));
	if (is_mode(e, "semaphore"))
		fits = l->value == 0 || l->value == NONE;
	if (!fits)
		violation("T%" PRIu64 " fails to get 0x%" PRIx64 ", which nobody holds", e->thread,
			  e->obj);
}

/* A deadline has passed before the wait was over. */
static void do_timeout(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	if (t->obj != e->obj ||
	    (t->next != NEXT_ACQUIRE && t->next != NEXT_WAKE && t->next != NEXT_SEM_WAIT))
		violation("T%" PRIu64 " makes 'timeout' of 0x%" PRIx64
			  ", for which it does not wait",
			  e->thread, e->obj);
	if (t->next == NEXT_WAKE && t->was_signalled)
		violation("T%" PRIu64 " times out although it was signalled", e->thread);
	if (t->next == NEXT_ACQUIRE && !is_held(lock_of(e->obj)))
		violation("T%" PRIu64 " times out at 0x%" PRIx64 ", which nobody holds", e->thread,
			  e->obj);
	if (t->next == NEXT_SEM_WAIT && lock_of(e->obj)->value != 0 &&
	    lock_of(e->obj)->value != NONE)
		violation("T%" PRIu64 " times out at 0x%" PRIx64 ", whose value is %" PRIu64,
			  e->thread, e->obj, lock_of(e->obj)->value);
	raise_clock(&t->clock, e->a);
	if (t->next != NEXT_WAKE) {
		t->next = NEXT_ANY;
		return;
	}
	t->next = !t->mutex ? NEXT_ANY : t->depth ? NEXT_ACQUIRE : NEXT_REQUEST;
	t->obj = t->mutex;
}

static void do_init(const struct event *e)
{
	struct lock *l = lock_of(e->obj);
	if (is_held(l) && !is_on_stack(e->obj) &&
	    !explained_by(&threads[e->thread], FAIL_REINIT_USED, e->obj))
		violation("init of 0x%" PRIx64 ", which T%" PRIu64 " holds", e->obj,
			  l->owner != NONE ? l->owner : l->shares->thread);
	drop_shares(l);
	*l = (struct lock){
		.next = l->next, .addr = l->addr, .owner = NONE, .type = e->a, .clock = l->clock
	};
	l->value = is_mode(e, "semaphore") ? e->a : NONE;
}

static void do_destroy(const struct event *e)
{
	struct lock *l = living_lock(e);
	if (is_held(l))
		violation("destroy of 0x%" PRIx64 ", which T%" PRIu64 " holds", e->obj,
			  l->owner != NONE ? l->owner : l->shares->thread);
	l->is_destroyed = true;
}

/* A thread ends and leaves a robust mutex behind. */
static void do_orphan(const struct event *e)
{
	struct lock *l = living_lock(e);
	if (l->owner != e->thread)
		violation("T%" PRIu64 " leaves 0x%" PRIx64 " behind, which it does not hold",
			  e->thread, e->obj);
	raise_clock(&l->clock, threads[e->thread].clock);
	l->owner = NONE;
	l->depth = 0;
	l->is_orphan = true;
	l->is_told = false;
}

static void do_consistent(const struct event *e)
{
	struct lock *l = living_lock(e);
	if (!l->is_told)
		violation("0x%" PRIx64 " is declared consistent, which nobody left behind", e->obj);
	l->is_told = false;
}

static bool waits_for(uint64_t thread, uint64_t cond)
{
	return awaits(&threads[thread], NEXT_WAKE) && threads[thread].cond == cond &&
	       !threads[thread].was_signalled;
}

static void do_wait(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	struct lock *l = lock_of(e->a);
	living_lock(e);
	if (!e->a) { /* a futex: no mutex is given up */
		t->cond = t->obj = e->obj;
		t->mutex = 0;
		t->was_signalled = false;
		t->next = NEXT_WAKE;
		return;
	}
	if (l->owner != e->thread)
		violation("T%" PRIu64 " waits with 0x%" PRIx64 ", which it does not hold",
			  e->thread, e->a);
	t->cond = e->obj;
	t->mutex = e->a;
	t->was_signalled = false;
	t->next = NEXT_RELEASE;
	t->obj = e->a;
}

static void do_wake(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	if (!t->was_signalled && !t->is_cancelled)
		violation("T%" PRIu64 " wakes without a signal", e->thread);
	if (e->a != t->mutex)
		violation("T%" PRIu64 " waited with mutex 0x%" PRIx64 " and wakes with 0x%" PRIx64,
			  e->thread, t->mutex, e->a);
	if (t->was_signalled)
		raise_clock(&t->clock, lock_of(e->obj)->clock);
	t->next = !t->mutex ? NEXT_ANY : t->depth ? NEXT_ACQUIRE : NEXT_REQUEST;
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

/* The routine of a one-time initialisation runs under its lock. */
static void do_once(const struct event *e)
{
	const struct lock *l = living_lock(e);
	if (l->owner != e->thread)
		violation("T%" PRIu64 " makes '%s' of 0x%" PRIx64 ", which it does not hold",
			  e->thread, e->kind, e->obj);
}

#endif
