/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a closed partial order to a sequence.  The first try follows the trace wherever the
 * partial order leaves a choice, and usually succeeds.  Otherwise the remaining conflicts are
 * ordered one by one as in the trace, with everything that follows from each: sections of a lock,
 * and writes relative to a bound read and its source.  For two threads this succeeds if any
 * completion does (theorem 2 of SeqCheck).  For more threads it is a heuristic.
 */
#include "oracle/closure.h"
#include "wire/fault.h"

/* Add an order and everything that follows from it. */
static bool order_and_saturate(struct attempt *a, op_id before, op_id after)
{
	return attempt_order(a, before, after) && attempt_saturate(a);
}

/* ---- sections ---- */

/*
 * The first of a thread's conflicting sections of the lock that is ordered neither before nor
 * after this one; OP_NONE if there is none.
 */
static op_id unordered_section(const struct attempt *a, op_id acquire,
			       const struct history_run *run)
{
	const struct op *o = &a->h->ops.at[acquire],
			*end = &a->h->ops.at[attempt_release_of(a, acquire)];
	uint32_t before = graph_before(&a->graph, o->thread, o->own, run->thread);
	uint32_t after = graph_after(&a->graph, end->thread, end->own, run->thread);
	/* Sections of one lock in a thread are disjoint, so only the last one that begins before
	 * may not have ended. */
	uint32_t first = history_last_before(a->h, run, before);
	for (uint32_t p = history_first_from(a->h, run, first == UINT32_MAX ? 0 : first);
	     p != UINT32_MAX && p < a->set.done[run->thread] && p < after;
	     p = history_first_from(a->h, run, p + 1)) {
		op_id other = history_op(a->h, run->thread, p),
		      release = attempt_release_of(a, other);
		if (release != OP_NONE && a->h->ops.at[release].own >= before &&
		    sections_conflict(o, &a->h->ops.at[other]))
			return other;
	}
	return OP_NONE;
}

static bool order_section(struct attempt *a, op_id acquire)
{
	const struct op *o = &a->h->ops.at[acquire];
	const uint32_t *takers = a->h->takers + o->lock;
	for (uint32_t i = takers[0]; i < takers[1]; i++) {
		const struct history_run *run = &a->h->runs.at[i];
		op_id other;
		while (run->thread != o->thread &&
		       (other = unordered_section(a, acquire, run)) != OP_NONE) {
			bool is_first = acquire < other;
			op_id first = is_first ? acquire : other;
			if (!order_and_saturate(a, attempt_release_of(a, first),
						is_first ? other : acquire))
				return false;
		}
	}
	return true;
}

/* ---- reads ---- */

/* A write of the thread that is ordered neither before the read's source nor after the read. */
static op_id unordered_write(const struct attempt *a, const struct bound_read *r,
			     const struct history_run *run)
{
	const struct op *o = &a->h->ops.at[r->access->op];
	uint32_t from = 0, to = run->thread == o->thread
					? o->own + 1
					: graph_after(&a->graph, o->thread, o->own, run->thread);
	if (r->write != OP_NONE) {
		const struct op *w = &a->h->ops.at[r->write];
		from = w->thread == run->thread
			       ? w->own + 1
			       : graph_before(&a->graph, w->thread, w->own, run->thread);
	}
	for (uint32_t p = history_first_from(a->h, run, from);
	     p != UINT32_MAX && p < to && p < a->set.done[run->thread];
	     p = history_first_from(a->h, run, p + 1)) {
		op_id w = history_op(a->h, run->thread, p);
		if (w != r->write && w != r->access->op)
			return w;
	}
	return OP_NONE;
}

static bool order_read(struct attempt *a, const struct bound_read *r)
{
	const uint32_t *writers = a->h->writers + r->access->variable;
	for (uint32_t i = writers[0]; i < writers[1]; i++) {
		op_id w;
		while ((w = unordered_write(a, r, &a->h->runs.at[i])) != OP_NONE) {
			bool is_first = r->write != OP_NONE && w < r->write;
			if (!order_and_saturate(a, is_first ? w : r->access->op,
						is_first ? r->write : w))
				return false;
		}
	}
	return true;
}

bool attempt_complete(struct attempt *a)
{
	for (size_t i = 0; i < a->sections.len; i++) {
		if (FAULT(COMPLETION_IGNORES_SECTIONS))
			break;
		if (attempt_release_of(a, a->sections.at[i]) != OP_NONE &&
		    (!attempt_work(a, 1) || !attempt_goes_on(a, a->h->threads) ||
		     !order_section(a, a->sections.at[i])))
			return false;
	}
	for (size_t i = 0; i < a->reads.len; i++) {
		if (FAULT(COMPLETION_IGNORES_READS))
			break;
		if (!attempt_work(a, 1) || !attempt_goes_on(a, a->h->threads) ||
		    !order_read(a, &a->reads.at[i]))
			return false;
	}
	return true;
}

/* ---- the sequence ---- */

/* The operation that must be adjacent to this one; OP_NONE if there is none. */
static op_id partner_of(const struct question *q, op_id op)
{
	for (size_t i = 0; i < q->adjacent.len; i++) {
		if (FAULT(CLOSURE_SPLITS_ADJACENT))
			break;
		if (q->adjacent.at[i].before == op)
			return q->adjacent.at[i].after;
		if (q->adjacent.at[i].after == op)
			return q->adjacent.at[i].before;
	}
	return OP_NONE;
}

/* Whether all predecessors of an operation are done, except perhaps its partner. */
static bool is_ready(const struct attempt *a, const uint32_t *done, op_id op, op_id partner)
{
	const struct op *o = &a->h->ops.at[op];
	if (done[o->thread] != o->own)
		return false;
	for (uint32_t t = 0; t < a->h->threads; t++) {
		uint32_t before =
			t == o->thread ? o->own : graph_before(&a->graph, o->thread, o->own, t);
		if (before > done[t] &&
		    !(before == done[t] + 1 && history_op(a->h, t, done[t]) == partner))
			return false;
	}
	return true;
}

static void emit(const struct attempt *a, uint32_t *done, op_id op, struct answer *to)
{
	vec_push(&to->witness, op);
	done[a->h->ops.at[op].thread]++;
}

/* Whether x must come before y. */
static bool precedes(const struct attempt *a, op_id x, op_id y)
{
	const struct op *o = &a->h->ops.at[x], *p = &a->h->ops.at[y];
	return graph_after(&a->graph, o->thread, o->own, p->thread) <= p->own;
}

bool attempt_linearise(struct attempt *a, struct answer *to)
{
	uint32_t *done = mem_zero(a->h->threads + 1ull, sizeof(*done));
	to->witness.len = 0;
	for (;;) {
		op_id next = OP_NONE, with = OP_NONE;
		bool is_rest = false;
		for (uint32_t t = 0; t < a->h->threads; t++) {
			if (done[t] >= a->set.done[t])
				continue;
			is_rest = true;
			op_id op = history_op(a->h, t, done[t]), partner = partner_of(a->q, op);
			if (op < next && is_ready(a, done, op, partner) &&
			    (partner == OP_NONE || is_ready(a, done, partner, op))) {
				next = op;
				with = partner;
			}
		}
		if (next == OP_NONE || !attempt_goes_on(a, 2ull * a->h->threads)) {
			mem_free(done);
			return next == OP_NONE && !is_rest;
		}
		if (with != OP_NONE && precedes(a, with, next)) {
			emit(a, done, with, to);
			with = OP_NONE;
		}
		emit(a, done, next, to);
		if (with != OP_NONE)
			emit(a, done, with, to);
	}
}
