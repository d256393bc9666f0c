/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows.
 *
 * Strict.
 *   reads    A read whose source is before the window saw the content at the beginning of the
 *            window.  That is the initial content here: the last write before the window is the
 *            same for all such reads.
 *   locks    The acquires of locks that are held at the beginning, and released inside, are put
 *            in front. They are causes of all other acquires of the lock by other threads, so
 *            they come first.
 *   orders   Causes and orders from before the window hold, since everything there has happened.
 *
 * Relaxed.  These constraints are left out: the source of a read, if it is before the window, or,
 * if values count, if other writes of the value may be outside; and the locks of sections that
 * are not completely inside.  A thread does a prefix of its operations of the window, which is
 * empty if it does not get that far.  The remaining constraints (program order, causes, orders,
 * reads of writes inside, sections inside) hold for the operations of the window in every
 * execution, whatever happens between them.
 */
#include "oracle/window.h"

#include "wire/fault.h"

static uint32_t number_of(struct map *m, uint32_t key)
{
	bool is_new;
	uint64_t *at = map_put(m, key, &is_new);
	if (is_new)
		*at = m->len - 1;
	return (uint32_t)*at;
}

/* The number in the window of an operation of the history; OP_NONE if it is outside. */
static op_id to_window(const struct window *w, op_id op)
{
	if (op >= w->from && op < w->to)
		return op - w->from + (op_id)w->open.len;
	for (size_t i = 0; i < w->open.len; i++)
		if (w->open.at[i] == op)
			return (op_id)i;
	return OP_NONE;
}

static op_id to_history(const struct window *w, op_id op)
{
	return op < w->open.len ? w->open.at[op] : op - (op_id)w->open.len + w->from;
}

static void find_open(struct window *w)
{
	for (op_id id = w->from; id < w->to; id++) {
		const struct op *o = &w->whole->ops.at[id];
		if (FAULT(WINDOW_FORGETS_OPEN_SECTIONS))
			break;
		if (o->kind != OP_RELEASE || o->match == OP_NONE || o->match >= w->from)
			continue;
		/* Insertion sort: few are open at a time. */
		size_t at = w->open.len;
		vec_push(&w->open, o->match);
		for (; at && w->open.at[at - 1] > o->match; at--)
			w->open.at[at] = w->open.at[at - 1];
		w->open.at[at] = o->match;
	}
}

static void add_access(struct window *w, const struct op_access *a, bool is_relaxed,
		       bool same_values)
{
	bool is_old = a->seen != OP_NONE && a->seen < w->from;
	bool is_twin = same_values && a->has_twin;
	if (FAULT(WINDOW_KEEPS_OLD_SOURCES))
		is_old = false;
	if (FAULT(WINDOW_KEEPS_TWINS))
		is_twin = false;
	bool is_unknown = is_relaxed && (is_old || is_twin);
	bool reads = a->reads && !is_unknown;
	struct op_access *b = history_add_access(&w->h, number_of(&w->variable_of, a->variable),
						 reads, a->writes);
	b->value = a->value;
	b->written = a->written;
	b->seen =
		reads && a->seen != OP_NONE && a->seen >= w->from ? to_window(w, a->seen) : OP_NONE;
}

static void add_op(struct window *w, op_id id, bool is_relaxed, bool same_values)
{
	const struct op *o = &w->whole->ops.at[id];
	op_id match = o->match == OP_NONE ? OP_NONE : to_window(w, o->match);
	bool is_lock = o->kind == OP_ACQUIRE || o->kind == OP_RELEASE;
	/* A section without a release is inside if its acquire is. */
	bool is_inside = match != OP_NONE || (o->kind == OP_ACQUIRE && o->match == OP_NONE);
	enum op_kind kind = is_lock && is_relaxed && !is_inside ? OP_OTHER : (enum op_kind)o->kind;
	if (FAULT(WINDOW_KEEPS_CUT_SECTIONS))
		kind = (enum op_kind)o->kind;
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

/* Sections that are open at the beginning come before all others of their lock. */
static void put_open_first(struct window *w)
{
	for (size_t i = 0; i < w->open.len; i++) {
		if (FAULT(WINDOW_OPEN_SECTIONS_UNORDERED))
			break;
		const struct op *o = &w->h.ops.at[i];
		for (op_id id = (op_id)w->open.len; id < w->h.ops.len; id++) {
			const struct op *other = &w->h.ops.at[id];
			if (other->kind == OP_ACQUIRE && other->lock == o->lock &&
			    other->thread != o->thread)
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
				history_add_cause(&w->h, to_window(w, before), to_window(w, id));
		}
	}
	for (size_t i = history_orders_from(h, w->from);
	     i < h->orders.len && h->orders.at[i].after < w->to; i++)
		if (h->orders.at[i].before >= w->from)
			history_add_order(&w->h, to_window(w, h->orders.at[i].before),
					  to_window(w, h->orders.at[i].after));
}

/* Convert guards to positions in the window. */
static void move_guards(struct window *w)
{
	for (uint32_t t = 0; t < w->h.threads; t++) {
		uint32_t length = history_length(&w->h, t), open = 0;
		while (open < length && history_op(&w->h, t, open) < w->open.len)
			open++;
		if (open == length)
			continue;
		op_id first = history_op(&w->h, t, open);
		uint32_t base = w->whole->ops.at[to_history(w, first)].own;
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
	w->h.has_values = h->has_values && same_values; /* they are not needed otherwise */
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
		vec_push(&to->include, to_window(w, q->include.at[i]));
		fits &= vec_last(&to->include) != OP_NONE;
	}
	for (size_t i = 0; i < q->pending.len; i++) {
		vec_push(&to->pending, to_window(w, q->pending.at[i]));
		fits &= vec_last(&to->pending) != OP_NONE;
	}
	for (size_t i = 0; i < q->orders.len; i++) {
		struct op_order o = { to_window(w, q->orders.at[i].before),
				      to_window(w, q->orders.at[i].after) };
		vec_push(&to->orders, o);
		fits &= o.before != OP_NONE && o.after != OP_NONE;
	}
	for (size_t i = 0; i < q->adjacent.len; i++) {
		struct op_order o = { to_window(w, q->adjacent.at[i].before),
				      to_window(w, q->adjacent.at[i].after) };
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
			a->witness.at[kept++] = to_history(w, a->witness.at[i]);
	a->witness.len = kept;
	a->prefix = w->from;
}
