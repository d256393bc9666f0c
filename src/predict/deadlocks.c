// SPDX-License-Identifier: Apache-2.0
/*
 * Candidates for deadlocks.  A *wait* is an acquire of a lock, or a join, with the locks that its thread
 * holds then.  Waits of different threads form a cycle if each waits for what the next one holds, or for the
 * end of its thread.  No two of them may hold locks that exclude each other: a lock around all of them makes
 * the cycle impossible.  That each thread is about to do its part at the same time is the question.
 *
 * A wait for a condition variable that begins after the last signal never ends.  The question: all signals
 * have happened, and the thread is about to wait.
 */
#include "base/hash.h"
#include "oracle/from_trace.h"
#include "predict/finder.h"

#define CYCLE_MAX 5		/* threads */
#define WAITS_MAX 4		/* of the same thread, place and locks */
#define STEPS_MAX 2000000	/* of the search for cycles */

struct wait {
	op_id op;
	uint32_t thread;
	uint32_t lock;
	uint32_t joined;	/* thread that it waits for; UINT32_MAX: it is for a lock */
	bool is_shared;
	VEC(op_id) held;
};

struct waits {
	struct finder *f;
	VEC(struct wait) list;
	struct map seen;
	size_t cycle[CYCLE_MAX];
	size_t length;
	uint64_t steps;
};

static void add_wait(struct waits *w, const struct held *held, op_id op, uint32_t joined)
{
	const struct op *o = &w->f->h->ops.at[op];
	uint64_t key = hash_mix((uint64_t)o->thread << 32 | finder_place(w->f, op),
				(uint64_t)o->lock << 32 | joined);
	for (size_t i = 0; i < held->threads[o->thread].acquires.len; i++)
		key = hash_mix(key, w->f->h->ops.at[held->threads[o->thread].acquires.at[i]].lock);
	if ((*map_put(&w->seen, key, NULL))++ >= WAITS_MAX)
		return;
	struct wait *x = vec_add(&w->list);
	*x = (struct wait){ .op = op, .thread = o->thread, .lock = o->lock, .joined = joined, .is_shared = o->is_shared };
	for (size_t i = 0; i < held->threads[o->thread].acquires.len; i++)
		vec_push(&x->held, held->threads[o->thread].acquires.at[i]);
}

/* Whether x waits for something that y has. */
static bool waits_for(const struct history *h, const struct wait *x, const struct wait *y)
{
	if (x->thread == y->thread)
		return false;
	if (x->joined != UINT32_MAX)
		return x->joined == y->thread;
	for (size_t i = 0; i < y->held.len; i++) {
		const struct op *a = &h->ops.at[y->held.at[i]];
		if (a->lock == x->lock && !(a->is_shared && x->is_shared))
			return true;
	}
	return false;
}

/* Whether both can be there at the same time, as far as the locks that they hold tell. */
static bool can_be_together(const struct history *h, const struct wait *x, const struct wait *y)
{
	for (size_t i = 0; i < x->held.len; i++)
		for (size_t k = 0; k < y->held.len; k++) {
			const struct op *a = &h->ops.at[x->held.at[i]], *b = &h->ops.at[y->held.at[k]];
			if (a->lock == b->lock && !(a->is_shared && b->is_shared))
				return false;
		}
	return x->thread != y->thread;
}

static void tell_cycle(struct waits *w)
{
	loc_id places[CYCLE_MAX];
	op_id low = OP_NONE, high = 0;
	for (size_t i = 0; i < w->length; i++) {
		op_id op = w->list.at[w->cycle[i]].op;
		places[i] = finder_place(w->f, op);
		low = op < low ? op : low;
		high = op > high ? op : high;
	}
	struct candidate *c =
		finder_add(w->f, CLAIM_DEADLOCK, finder_key(CLAIM_DEADLOCK, places, w->length, true));
	for (size_t i = 0; c && i < w->length; i++) {
		c->distance = high - low;
		vec_push(&c->ops, w->list.at[w->cycle[i]].op);
		vec_push(&c->pending, w->list.at[w->cycle[i]].op);
	}
}

/*
 * Go on from the last wait of the chain; the first one is that of the lowest number, so each cycle is met
 * once.
 */
static void extend(struct waits *w)
{
	const struct history *h = w->f->h;
	const struct wait *last = &w->list.at[w->cycle[w->length - 1]];
	if (w->length > 1 && waits_for(h, last, &w->list.at[w->cycle[0]])) {
		tell_cycle(w);
		return;
	}
	for (size_t i = w->cycle[0] + 1; i < w->list.len && w->length < CYCLE_MAX; i++) {
		bool fits = ++w->steps < STEPS_MAX && waits_for(h, last, &w->list.at[i]);
		for (size_t k = 0; fits && k < w->length; k++)
			fits = can_be_together(h, &w->list.at[w->cycle[k]], &w->list.at[i]);
		if (!fits)
			continue;
		w->cycle[w->length++] = i;
		extend(w);
		w->length--;
	}
}

/* ---- signals ---- */

static void find_lost_signal(struct finder *f, const struct index_list *l)
{
	VEC(op_id) signals = {0}, waits = {0};
	bool is_timed = false;
	for (uint64_t i = 0; i < l->count; i++) {
		const struct index_event *e = &f->x->events[f->x->object_events[l->first + i]];
		op_id op = history_op_of(f->h, f->x->object_events[l->first + i]);
		is_timed |= e->kind == EV_TIMEOUT;
		if (op != OP_NONE && (e->kind == EV_SIGNAL || e->kind == EV_BROADCAST))
			vec_push(&signals, op);
		else if (op != OP_NONE && e->kind == EV_WAIT)
			vec_push(&waits, op);
	}
	for (size_t i = 0; i < waits.len && signals.len && !is_timed && l->mode == SYNC_COND; i++) {
		bool is_own = false;
		for (size_t k = 0; k < signals.len; k++)
			is_own |= f->h->ops.at[signals.at[k]].thread == f->h->ops.at[waits.at[i]].thread;
		loc_id place = finder_place(f, waits.at[i]);
		struct candidate *c = is_own ? NULL : finder_add(f, CLAIM_LOST_SIGNAL,
			finder_key(CLAIM_LOST_SIGNAL, &place, 1, false));
		if (!c)
			continue;
		vec_push(&c->ops, waits.at[i]);
		vec_push(&c->ops, vec_last(&signals));
		vec_push(&c->pending, waits.at[i]);
		for (size_t k = 0; k < signals.len; k++)
			vec_push(&c->include, signals.at[k]);
	}
	vec_release(&signals);
	vec_release(&waits);
}

void find_deadlocks(struct finder *f)
{
	struct waits w = { .f = f };
	struct held held;
	held_init(&held, f->h);
	for (op_id id = 0; id < f->h->ops.len; id++) {
		const struct op *o = &f->h->ops.at[id];
		const struct index_event *e = finder_event(f, id);
		if (o->kind == OP_ACQUIRE)
			add_wait(&w, &held, id, UINT32_MAX);
		op_id end = e->kind == EV_JOIN && e->link != EV_NONE ? history_op_of(f->h, e->link) : OP_NONE;
		if (end != OP_NONE)
			add_wait(&w, &held, id, f->h->ops.at[end].thread);
		held_step(&held, id);
	}
	for (size_t i = 0; i < w.list.len; i++) {
		w.cycle[0] = i;
		w.length = 1;
		extend(&w);
	}
	for (uint64_t i = 0; i < f->x->object_count; i++)
		find_lost_signal(f, &f->x->objects[i]);
	for (size_t i = 0; i < w.list.len; i++)
		vec_release(&w.list.at[i].held);
	vec_release(&w.list);
	map_release(&w.seen);
	held_release(&held);
}
