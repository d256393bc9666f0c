// SPDX-License-Identifier: Apache-2.0
/*
 * Candidates for deadlocks.  A *wait* is an acquire of a lock, or a join, with the locks that its thread
 * holds then.  Waits of different threads form a cycle if each waits for what the next one holds, or for the
 * end of its thread.  No two of them may hold locks that exclude each other: a lock around all of them makes
 * the cycle impossible.  That each thread is about to do its part at the same time is the question.
 *
 * A wait for a condition variable that begins after the last signal never ends.  The question: all signals
 * have happened, the thread is about to wait, and there is nobody left who might do something else: the other
 * threads have ended, or are about to wait for the end of this one.
 */
#include "base/hash.h"
#include "oracle/from_trace.h"
#include "predict/finder.h"

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

struct wait_list {
	VEC(size_t) waits;	/* ascending */
};

struct waits {
	struct finder *f;
	VEC(struct wait) list;
	struct map seen;
	struct wait_list *by_lock;	/* that is held */
	struct wait_list *by_thread;
	VEC(size_t) cycle;
	size_t length;		/* of the cycles that are looked for now */
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
	vec_push(&w->by_thread[o->thread].waits, w->list.len);
	struct wait *x = vec_add(&w->list);
	*x = (struct wait){ .op = op, .thread = o->thread, .lock = o->lock, .joined = joined, .is_shared = o->is_shared };
	for (size_t i = 0; i < held->threads[o->thread].acquires.len; i++) {
		op_id acquire = held->threads[o->thread].acquires.at[i];
		vec_push(&x->held, acquire);
		vec_push(&w->by_lock[w->f->h->ops.at[acquire].lock].waits, w->list.len - 1);
	}
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
	VEC(loc_id) places = {0};
	op_id low = OP_NONE, high = 0;
	for (size_t i = 0; i < w->cycle.len; i++) {
		op_id op = w->list.at[w->cycle.at[i]].op;
		vec_push(&places, finder_place(w->f, op));
		low = op < low ? op : low;
		high = op > high ? op : high;
	}
	struct candidate *c = finder_add(w->f, CLAIM_DEADLOCK,
		finder_key(CLAIM_DEADLOCK, places.at, places.len, true));
	for (size_t i = 0; c && i < w->cycle.len; i++) {
		c->distance = high - low;
		vec_push(&c->ops, w->list.at[w->cycle.at[i]].op);
		vec_push(&c->pending, w->list.at[w->cycle.at[i]].op);
	}
	vec_release(&places);
}

/*
 * Go on from the last wait of the chain; the first one is that of the lowest number, so each cycle is met
 * once.  Each wait is of another thread, so no chain is longer than there are threads.
 */
static void extend(struct waits *w)
{
	const struct history *h = w->f->h;
	const struct wait *last = &w->list.at[vec_last(&w->cycle)];
	bool is_cycle = w->cycle.len > 1 && waits_for(h, last, &w->list.at[w->cycle.at[0]]);
	if (is_cycle && w->cycle.len == w->length)
		tell_cycle(w);
	if (is_cycle || w->cycle.len == w->length)
		return;
	const struct wait_list *next =
		last->joined != UINT32_MAX ? &w->by_thread[last->joined] : &w->by_lock[last->lock];
	for (size_t i = 0; i < next->waits.len; i++) {
		size_t n = next->waits.at[i];
		if (++w->steps >= STEPS_MAX)
			return;
		bool fits = n > w->cycle.at[0] && waits_for(h, last, &w->list.at[n]);
		for (size_t k = 0; fits && k < w->cycle.len; k++)
			fits = can_be_together(h, &w->list.at[w->cycle.at[k]], &w->list.at[n]);
		if (!fits)
			continue;
		vec_push(&w->cycle, n);
		extend(w);
		w->cycle.len--;
	}
}

/* ---- signals ---- */

/*
 * All other threads have ended, or are about to wait for the end of this one: nobody is left who might give
 * another signal.  False if the process ends without waiting for it.
 */
static bool leave_nobody(const struct finder *f, op_id wait, struct candidate *c)
{
	const struct history *h = f->h;
	uint32_t waiter = h->ops.at[wait].thread;
	for (uint32_t t = 0; t < h->threads; t++) {
		uint32_t length = t == waiter ? 0 : history_length(h, t), p = 0;
		for (; p < length; p++) {
			const struct index_event *e = finder_event(f, history_op(h, t, p));
			op_id end = e->kind == EV_JOIN && e->link != EV_NONE ? history_op_of(h, e->link) : OP_NONE;
			if (e->kind == EV_PROCESS_END)
				return false;
			if (end != OP_NONE && h->ops.at[end].thread == waiter)
				break;
		}
		if (p < length)
			vec_push(&c->pending, history_op(h, t, p));
		else if (length)
			vec_push(&c->include, history_op(h, t, length - 1));
	}
	return true;
}

/* Proved, if nobody is left; or, if it will be tried, after all signals that there were. */
static void add_lost_signal(struct finder *f, op_id wait, const op_id *signals, size_t count)
{
	loc_id place = finder_place(f, wait);
	struct candidate new = {0};
	size_t others = 0;
	for (size_t k = 0; k < count; k++)
		others += f->h->ops.at[signals[k]].thread != f->h->ops.at[wait].thread;
	bool fits = others && (f->o->is_generous || leave_nobody(f, wait, &new));
	struct candidate *c = fits ? finder_add(f, CLAIM_LOST_SIGNAL, finder_key(CLAIM_LOST_SIGNAL, &place, 1, false)) : NULL;
	for (size_t k = 0; c && k < count; k++)
		if (f->h->ops.at[signals[k]].thread != f->h->ops.at[wait].thread)
			vec_push(&new.include, signals[k]);
	if (!c) {
		vec_release(&new.include);
		vec_release(&new.pending);
		return;
	}
	c->include = new.include;
	c->pending = new.pending;
	vec_push(&c->ops, wait);
	vec_push(&c->ops, vec_last(&c->include));
	vec_push(&c->pending, wait);
}

static void find_lost_signal(struct finder *f, const struct index_list *l)
{
	VEC(op_id) signals = {0}, waits = {0};
	for (uint64_t i = 0; i < l->count && l->mode == SYNC_COND; i++) {
		const struct index_event *e = &f->x->events[f->x->object_events[l->first + i]];
		op_id op = history_op_of(f->h, f->x->object_events[l->first + i]);
		if (op != OP_NONE && (e->kind == EV_SIGNAL || e->kind == EV_BROADCAST))
			vec_push(&signals, op);
		else if (op != OP_NONE && e->kind == EV_WAIT && !f->h->ops.at[op].gives_up)
			vec_push(&waits, op);
	}
	for (size_t i = 0; i < waits.len && signals.len; i++)
		add_lost_signal(f, waits.at[i], signals.at, signals.len);
	vec_release(&signals);
	vec_release(&waits);
}

/* Every wait from which a thread does not come back by itself. */
static void collect(struct waits *w)
{
	const struct finder *f = w->f;
	struct held held;
	held_init(&held, f->h);
	for (op_id id = 0; id < f->h->ops.len; id++) {
		const struct op *o = &f->h->ops.at[id];
		const struct index_event *e = finder_event(f, id);
		if (o->kind == OP_ACQUIRE && !o->gives_up)
			add_wait(w, &held, id, UINT32_MAX);
		op_id end = e->kind == EV_JOIN && e->link != EV_NONE && !o->gives_up ? history_op_of(f->h, e->link) :
			OP_NONE;
		if (end != OP_NONE)
			add_wait(w, &held, id, f->h->ops.at[end].thread);
		held_step(&held, id);
	}
	held_release(&held);
}

void find_deadlocks(struct finder *f)
{
	struct waits w = { .f = f };
	w.by_lock = mem_zero(f->h->locks + 1ull, sizeof(*w.by_lock));
	w.by_thread = mem_zero(f->h->threads + 1ull, sizeof(*w.by_thread));
	collect(&w);
	/* Short ones first, should there be too many. */
	for (w.length = 2; w.length <= f->h->threads && w.steps < STEPS_MAX; w.length++)
		for (size_t i = 0; i < w.list.len; i++) {
			w.cycle.len = 0;
			vec_push(&w.cycle, i);
			extend(&w);
		}
	/* What was not looked at may be a deadlock. */
	f->out->unknown += w.steps >= STEPS_MAX;
	for (uint64_t i = 0; i < f->x->object_count; i++)
		find_lost_signal(f, &f->x->objects[i]);
	for (size_t i = 0; i < w.list.len; i++)
		vec_release(&w.list.at[i].held);
	for (uint32_t i = 0; i < f->h->locks; i++)
		vec_release(&w.by_lock[i].waits);
	for (uint32_t t = 0; t < f->h->threads; t++)
		vec_release(&w.by_thread[t].waits);
	mem_free(w.by_lock);
	mem_free(w.by_thread);
	vec_release(&w.cycle);
	vec_release(&w.list);
	map_release(&w.seen);
}
