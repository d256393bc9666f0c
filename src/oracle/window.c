// SPDX-License-Identifier: Apache-2.0
/*
 * Windows.
 *
 * Strict.  Reads that saw something from before the window saw the content that a variable has where the
 * window begins, which is its initial content here: the last write before the window is the same for all of
 * them.  Locks that are held where it begins, and released in it, have their acquires in front, and these are
 * causes of everything that the lock excludes, so that they come first.  Causes and orders from before hold,
 * since it has all happened.
 *
 * Relaxed.  Left out are: what a read must see, if it saw something from before, or, where only values count,
 * if other writes of the value may be outside; locks of sections that are not wholly inside.  A thread does a
 * prefix of its operations of the window, whatever it did before: if it has not come that far, an empty one.
 * What is left, program order, causes, orders, reads of writes inside, sections inside, holds for the
 * operations of the window in every execution, whatever is between them.
 */
#include "oracle/window.h"

#include "oracle/faults.h"

static uint32_t number_of(struct map *m, uint32_t key)
{
	bool is_new;
	uint64_t *at = map_put(m, key, &is_new);
	if (is_new)
		*at = m->len - 1;
	return (uint32_t)*at;
}

static op_id here(const struct window *w, op_id op)
{
	if (op >= w->from && op < w->to)
		return op - w->from + (op_id)w->open.len;
	for (size_t i = 0; i < w->open.len; i++)
		if (w->open.at[i] == op)
			return (op_id)i;
	return OP_NONE;
}

static op_id there(const struct window *w, op_id op)
{
	return op < w->open.len ? w->open.at[op] : op - (op_id)w->open.len + w->from;
}

static void find_open(struct window *w)
{
	for (op_id id = w->from; id < w->to; id++) {
		const struct op *o = &w->whole->ops.at[id];
		if (o->kind != OP_RELEASE || o->match == OP_NONE || o->match >= w->from || FAULT(33))
			continue;
		/* Few are open at a time. */
		size_t at = w->open.len;
		vec_push(&w->open, o->match);
		for (; at && w->open.at[at - 1] > o->match; at--)
			w->open.at[at] = w->open.at[at - 1];
		w->open.at[at] = o->match;
	}
}

static void add_access(struct window *w, const struct op_access *a, bool is_relaxed, bool same_values)
{
	bool is_unknown = is_relaxed && ((a->seen != OP_NONE && a->seen < w->from && !FAULT(34)) ||
		(same_values && a->has_twin && !FAULT(35)));
	bool reads = a->reads && !is_unknown;
	struct op_access *b =
		history_add_access(&w->h, number_of(&w->variable_of, a->variable), reads, a->writes);
	b->value = a->value;
	b->written = a->written;
	b->seen = reads && a->seen != OP_NONE && a->seen >= w->from ? here(w, a->seen) : OP_NONE;
}

static void add_op(struct window *w, op_id id, bool is_relaxed, bool same_values)
{
	const struct op *o = &w->whole->ops.at[id];
	op_id match = o->match == OP_NONE ? OP_NONE : here(w, o->match);
	bool is_lock = o->kind == OP_ACQUIRE || o->kind == OP_RELEASE;
	/* A section that is never released is inside if its acquire is. */
	bool is_inside = match != OP_NONE || (o->kind == OP_ACQUIRE && o->match == OP_NONE);
	enum op_kind kind =
		is_lock && is_relaxed && !is_inside && !FAULT(36) ? OP_OTHER : (enum op_kind)o->kind;
	op_id new = history_add(&w->h, number_of(&w->thread_of, o->thread), kind);
	struct op *p = &w->h.ops.at[new];
	p->event = o->event;
	p->guard = o->guard;
	p->is_shared = o->is_shared;
	p->match = match;
	if (kind == OP_ACQUIRE || kind == OP_RELEASE) {
		p->lock = number_of(&w->lock_of, o->lock);
		if (p->lock >= w->h.locks)
			w->h.locks = p->lock + 1;
	}
	for (uint32_t i = 0; i < o->accesses; i++)
		add_access(w, &w->whole->accesses.at[o->first_access + i], is_relaxed, same_values);
}

/* Sections that were open before come before all others of their lock. */
static void put_open_first(struct window *w)
{
	for (size_t i = 0; i < w->open.len && !FAULT(37); i++) {
		const struct op *o = &w->h.ops.at[i];
		for (op_id id = (op_id)w->open.len; id < w->h.ops.len; id++) {
			const struct op *other = &w->h.ops.at[id];
			if (other->kind == OP_ACQUIRE && other->lock == o->lock && other->thread != o->thread)
				history_add_cause(&w->h, (op_id)i, id);
		}
	}
}

static void add_orders(struct window *w)
{
	const struct history *h = w->whole;
	for (op_id id = w->from; id < w->to; id++) {
		const struct op *o = &h->ops.at[id];
		for (uint32_t i = 0; i < o->causes; i++) {
			op_id before = h->causes.at[o->first_cause + i].before;
			if (before >= w->from)
				history_add_cause(&w->h, here(w, before), here(w, id));
		}
	}
	for (size_t i = history_orders_from(h, w->from); i < h->orders.len && h->orders.at[i].after < w->to;
	     i++)
		if (h->orders.at[i].before >= w->from)
			history_add_order(&w->h, here(w, h->orders.at[i].before),
					  here(w, h->orders.at[i].after));
}

/* Positions in a thread are those of the window now. */
static void move_guards(struct window *w)
{
	for (uint32_t t = 0; t < w->h.threads; t++) {
		uint32_t length = history_length(&w->h, t), open = 0;
		while (open < length && history_op(&w->h, t, open) < w->open.len)
			open++;
		if (open == length)
			continue;
		op_id first = history_op(&w->h, t, open);
		uint32_t base = w->whole->ops.at[there(w, first)].own;
		for (uint32_t p = open; p < length; p++) {
			struct op *o = &w->h.ops.at[history_op(&w->h, t, p)];
			if (o->guard != GUARD_NEVER)
				o->guard = o->guard - base + open;
		}
	}
}

void window_make(struct window *w, const struct history *h, op_id from, op_id to, bool is_relaxed,
		 bool same_values)
{
	*w = (struct window){ .whole = h, .from = from, .to = to };
	w->h.has_values = h->has_values && same_values;	/* nobody asks for them otherwise */
	if (!is_relaxed)
		find_open(w);
	for (size_t i = 0; i < w->open.len; i++)
		add_op(w, w->open.at[i], is_relaxed, same_values);
	for (op_id id = from; id < to; id++)
		add_op(w, id, is_relaxed, same_values);
	add_orders(w);
	put_open_first(w);
	history_finish(&w->h);
	move_guards(w);
}

void window_release(struct window *w)
{
	history_release(&w->h);
	vec_release(&w->open);
	map_release(&w->thread_of);
	map_release(&w->variable_of);
	map_release(&w->lock_of);
}

bool window_question(const struct window *w, const struct question *q, struct question *to)
{
	bool fits = !q->sights.len && !q->loose.len;
	to->same_values = q->same_values;
	for (size_t i = 0; i < q->include.len; i++) {
		vec_push(&to->include, here(w, q->include.at[i]));
		fits &= vec_last(&to->include) != OP_NONE;
	}
	for (size_t i = 0; i < q->pending.len; i++) {
		vec_push(&to->pending, here(w, q->pending.at[i]));
		fits &= vec_last(&to->pending) != OP_NONE;
	}
	for (size_t i = 0; i < q->orders.len; i++) {
		struct op_order o = { here(w, q->orders.at[i].before), here(w, q->orders.at[i].after) };
		vec_push(&to->orders, o);
		fits &= o.before != OP_NONE && o.after != OP_NONE;
	}
	for (size_t i = 0; i < q->adjacent.len; i++) {
		struct op_order o = { here(w, q->adjacent.at[i].before), here(w, q->adjacent.at[i].after) };
		vec_push(&to->adjacent, o);
		fits &= o.before != OP_NONE && o.after != OP_NONE;
	}
	return fits;
}

void window_answer(const struct window *w, struct answer *a)
{
	size_t kept = 0;
	for (size_t i = 0; i < a->witness.len; i++)
		if (a->witness.at[i] >= w->open.len)
			a->witness.at[kept++] = there(w, a->witness.at[i]);
	a->witness.len = kept;
	a->prefix = w->from;
}
