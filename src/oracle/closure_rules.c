/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of the closure.  Each adds only orders that hold in every execution of the set (or,
 * once open sections are assumed to stay open, in every execution in which they do):
 *
 *   reads      For a bound read r that sees w: a write of the variable before r is before w, and
 *              one after w is after r.  If r sees the initial content, every write is after r.
 *   sections   If the acquire of one section precedes any operation up to the end of another
 *              thread's conflicting section of the same lock, the first section cannot come
 *              second: its release precedes the other's acquire.  If that release is not in the
 *              set, it must be added.  So the order itself determines which sections must be
 *              closed (repairs R2, R3, R4 and R7 of SeqCheck follow from this rule).
 *   choices    Reads that may see any write of a value: closure_choice.c.
 *   adjacent   What precedes one operation of a pair precedes both; what follows one follows both.
 *
 * They are applied in sweeps over all reads, sections and pairs until a fixed point.  A sweep
 * takes O(threads * |set| * log |set|).  Few sweeps are needed, because they go through the set
 * in trace order.
 */
#include "oracle/closure.h"

#include "base/stop.h"
#include "wire/fault.h"

#define STOP_STEPS 65536 /* work between two checks for a stop request */

bool attempt_order(struct attempt *a, op_id before, op_id after)
{
	const struct op *x = &a->h->ops.at[before], *y = &a->h->ops.at[after];
	bool fits = graph_insert(&a->graph, x->thread, x->own, y->thread, y->own);
	return attempt_goes_on(a, 1) && fits;
}

bool attempt_goes_on(struct attempt *a, uint64_t steps)
{
	if (graph_work(&a->graph, steps))
		return true;
	*a->work = *a->sweeps = 0;
	return false;
}

bool sections_conflict(const struct op *a, const struct op *b)
{
	if (FAULT(SHARED_SECTIONS_CONFLICT))
		return a->thread != b->thread;
	return a->thread != b->thread && !(a->is_shared && b->is_shared);
}

op_id attempt_release_of(const struct attempt *a, op_id acquire)
{
	op_id release = a->h->ops.at[acquire].match;
	return release != OP_NONE && op_set_has(&a->set, release) ? release : OP_NONE;
}

/* ---- reads ---- */

static bool order_writes_before(struct attempt *a, const struct bound_read *r,
				const struct history_run *writes)
{
	const struct op *o = &a->h->ops.at[r->access->op];
	uint32_t limit = writes->thread == o->thread
				 ? o->own
				 : graph_before(&a->graph, o->thread, o->own, writes->thread);
	uint32_t last = history_last_before(a->h, writes, limit);
	if (FAULT(CLOSURE_IGNORES_EARLIER_WRITES))
		return true;
	if (last == UINT32_MAX)
		return true;
	op_id w = history_op(a->h, writes->thread, last);
	if (w == r->write)
		return true;
	return r->write != OP_NONE && attempt_order(a, w, r->write);
}

static bool order_writes_after(struct attempt *a, const struct bound_read *r,
			       const struct history_run *writes)
{
	uint32_t from = 0;
	if (r->write != OP_NONE) {
		const struct op *w = &a->h->ops.at[r->write];
		from = w->thread == writes->thread
			       ? w->own + 1
			       : graph_after(&a->graph, w->thread, w->own, writes->thread);
	}
	if (from == GRAPH_NOWHERE)
		return true;
	uint32_t first = history_first_from(a->h, writes, from);
	if (FAULT(CLOSURE_IGNORES_LATER_WRITES))
		return true;
	if (first == UINT32_MAX || first >= a->set.done[writes->thread])
		return true;
	op_id w = history_op(a->h, writes->thread, first);
	return w == r->access->op || attempt_order(a, r->access->op, w);
}

static bool close_read(struct attempt *a, const struct bound_read *r)
{
	const uint32_t *writers = a->h->writers + r->access->variable;
	for (uint32_t i = writers[0]; i < writers[1]; i++)
		if (!order_writes_before(a, r, &a->h->runs.at[i]) ||
		    !order_writes_after(a, r, &a->h->runs.at[i]))
			return false;
	return true;
}

/* ---- sections ---- */

/*
 * The first conflicting section of a run that does not end before position v of its thread;
 * OP_NONE if there is none.
 */
static op_id first_conflicting(const struct attempt *a, const struct op *o,
			       const struct history_run *run, uint32_t v)
{
	uint32_t p = history_last_before(a->h, run, v + 1);
	if (p == UINT32_MAX)
		p = history_first_from(a->h, run, 0);
	for (; p != UINT32_MAX && p < a->set.done[run->thread];
	     p = history_first_from(a->h, run, p + 1)) {
		op_id acquire = history_op(a->h, run->thread, p),
		      release = attempt_release_of(a, acquire);
		if ((release == OP_NONE || a->h->ops.at[release].own >= v) &&
		    sections_conflict(o, &a->h->ops.at[acquire]))
			return acquire;
	}
	return OP_NONE;
}

static bool close_section(struct attempt *a, op_id acquire)
{
	const struct op *o = &a->h->ops.at[acquire];
	op_id release = attempt_release_of(a, acquire);
	const uint32_t *takers = a->h->takers + o->lock;
	for (uint32_t i = takers[0]; i < takers[1]; i++) {
		const struct history_run *run = &a->h->runs.at[i];
		uint32_t v = run->thread == o->thread
				     ? GRAPH_NOWHERE
				     : graph_after(&a->graph, o->thread, o->own, run->thread);
		op_id other = v == GRAPH_NOWHERE ? OP_NONE : first_conflicting(a, o, run, v);
		if (FAULT(CLOSURE_IGNORES_SECTIONS))
			break;
		if (other == OP_NONE)
			continue;
		if (release != OP_NONE) {
			if (!attempt_order(a, release, other))
				return false;
			continue;
		}
		if (a->stays_open || o->match == OP_NONE)
			return false;
		vec_push(&a->needed, o->match);
	}
	return true;
}

bool attempt_keep_open(struct attempt *a)
{
	a->stays_open = true;
	for (size_t i = 0; i < a->sections.len; i++) {
		op_id acquire = a->sections.at[i];
		const struct op *o = &a->h->ops.at[acquire];
		if (attempt_release_of(a, acquire) != OP_NONE)
			continue;
		for (size_t k = 0; k < a->sections.len; k++) {
			const struct op *other = &a->h->ops.at[a->sections.at[k]];
			if (other->lock != o->lock || !sections_conflict(o, other))
				continue;
			op_id release = attempt_release_of(a, a->sections.at[k]);
			if (FAULT(CLOSURE_IGNORES_OPEN_SECTIONS))
				continue;
			if (release == OP_NONE || !attempt_order(a, release, acquire))
				return false;
		}
	}
	return true;
}

/* ---- adjacent operations ---- */

/* What precedes x precedes y, what follows x follows y. */
static bool copy_orders(struct attempt *a, op_id x, op_id y)
{
	const struct op *o = &a->h->ops.at[x];
	for (uint32_t t = 0; t < a->h->threads; t++) {
		uint32_t before =
			t == o->thread ? o->own : graph_before(&a->graph, o->thread, o->own, t);
		uint32_t after =
			t == o->thread ? o->own + 1 : graph_after(&a->graph, o->thread, o->own, t);
		if (before && history_op(a->h, t, before - 1) != y &&
		    !attempt_order(a, history_op(a->h, t, before - 1), y))
			return false;
		if (after < a->set.done[t] && history_op(a->h, t, after) != y &&
		    !attempt_order(a, y, history_op(a->h, t, after)))
			return false;
	}
	return true;
}

/* ---- */

bool attempt_work(struct attempt *a, uint64_t steps)
{
	bool is_due = *a->work / STOP_STEPS != (*a->work - steps) / STOP_STEPS;
	*a->work = *a->work > steps && !(is_due && stop_is_requested()) ? *a->work - steps : 0;
	if (!*a->work)
		*a->sweeps = 0;
	return *a->work;
}

bool attempt_saturate(struct attempt *a)
{
	uint64_t before;
	do {
		before = a->graph.edges;
		a->has_grown = false;
		a->needed.len = 0;
		if (!*a->sweeps)
			return false;
		--*a->sweeps;
		for (size_t i = 0; i < a->reads.len; i++)
			if (!attempt_work(a, 1) || !attempt_goes_on(a, a->h->threads) ||
			    !close_read(a, &a->reads.at[i]))
				return false;
		if (!attempt_close_choices(a))
			return false;
		for (size_t i = 0; i < a->sections.len; i++)
			if (!attempt_work(a, 1) || !attempt_goes_on(a, a->h->threads) ||
			    !close_section(a, a->sections.at[i]))
				return false;
		for (size_t i = 0; i < a->q->adjacent.len; i++) {
			const struct op_order *p = &a->q->adjacent.at[i];
			if (!copy_orders(a, p->before, p->after) ||
			    !copy_orders(a, p->after, p->before))
				return false;
		}
	} while (a->graph.edges != before || a->has_grown);
	return true;
}
