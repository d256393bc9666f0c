/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formula.  Operations in the largest set but not in the smallest are optional; each has a
 * variable.  A thread does an optional operation only after the one before it.  The clauses
 * express the definition in question.h:
 *
 *   - if an operation happens, its causes happen;
 *   - of two conflicting sections that both begin, the first one ends before the second begins;
 *   - a frozen read has a source, which happens before it, and every other write of the variable
 *     that
 *     happens is before the source or after the read.
 */
#include "oracle/encoding.h"

#include "base/err.h"
#include "base/stop.h"
#include "wire/fault.h"

/* ---- literals ---- */

int encoding_happens(const struct encoding *e, op_id op)
{
	const struct op *o = &e->h->ops.at[op];
	if (o->own < e->least.done[o->thread])
		return LITERAL_TRUE;
	if (o->own >= e->most.done[o->thread])
		return LITERAL_FALSE;
	return (int)(e->first_optional[o->thread] + o->own - e->least.done[o->thread]);
}

static int new_variable(struct encoding *e, op_id before, op_id after)
{
	vec_push(&e->variables, ((struct order_variable){ before, after }));
	return (int)e->variables.len - 1;
}

int encoding_precedes(struct encoding *e, op_id x, op_id y)
{
	const struct op *o = &e->h->ops.at[x], *p = &e->h->ops.at[y];
	if (o->thread == p->thread)
		return o->own < p->own ? LITERAL_TRUE : LITERAL_FALSE;
	op_id low = x < y ? x : y, high = x < y ? y : x;
	bool is_new;
	uint64_t *variable = map_put(&e->order_of, (uint64_t)low << 32 | high, &is_new);
	if (is_new)
		*variable = (uint64_t)new_variable(e, low, high);
	return x < y ? (int)*variable : -(int)*variable;
}

/* Whether the reads of an operation are frozen. */
static int is_frozen(const struct encoding *e, op_id op)
{
	uint32_t guard = question_guard(e->q, e->h, op), thread = e->h->ops.at[op].thread;
	if (guard < e->least.reached[thread])
		return LITERAL_TRUE;
	if (guard >= e->most.reached[thread] || guard >= e->most.done[thread])
		return LITERAL_FALSE;
	if (FAULT(SOLVER_GUARD_NEVER_HAPPENS))
		return LITERAL_FALSE;
	return encoding_happens(e, history_op(e->h, thread, guard));
}

/* ---- clauses ---- */

void encoding_begin(struct encoding *e)
{
	e->start = e->clauses.len;
	e->is_true = false;
}

void encoding_add(struct encoding *e, int literal)
{
	if (literal == LITERAL_TRUE)
		e->is_true = true;
	else if (literal != LITERAL_FALSE)
		vec_push(&e->clauses, literal);
}

void encoding_end(struct encoding *e)
{
	if (e->is_true) {
		e->clauses.len = e->start;
		return;
	}
	e->is_contradiction |= e->clauses.len == e->start;
	vec_push(&e->clauses, 0);
	e->clause_count++;
	/* On a stop request the formula counts as too large. */
	if (stop_is_requested_sampled(&e->rounds))
		e->clause_limit = 0;
}

static void implies(struct encoding *e, int a, int b)
{
	encoding_begin(e);
	encoding_add(e, -a);
	encoding_add(e, b);
	encoding_end(e);
}

/* ---- sets ---- */

static void encode_prefixes(struct encoding *e)
{
	const struct history *h = e->h;
	for (uint32_t t = 0; t < h->threads; t++)
		for (uint32_t p = 0; p < e->most.done[t]; p++) {
			op_id id = history_op(h, t, p);
			const struct op *o = &h->ops.at[id];
			if (p > e->least.done[t])
				implies(e, encoding_happens(e, id),
					encoding_happens(e, history_op(h, t, p - 1)));
			for (uint32_t i = 0; i < o->causes; i++)
				implies(e, encoding_happens(e, id),
					encoding_happens(e,
							 h->causes.at[o->first_cause + i].before));
		}
}

/* ---- locks ---- */

static void encode_section_pair(struct encoding *e, op_id x, op_id y)
{
	op_id end = e->h->ops.at[x].match;
	int ends = end == OP_NONE ? LITERAL_FALSE : encoding_happens(e, end);
	for (int i = 0; i < 2; i++) {
		if (FAULT(SOLVER_SECTION_NEED_NOT_END) && i == 0)
			continue;
		if (FAULT(SOLVER_SECTIONS_OVERLAP) && i == 1)
			continue;
		encoding_begin(e);
		encoding_add(e, -encoding_happens(e, x));
		encoding_add(e, -encoding_happens(e, y));
		encoding_add(e, -encoding_precedes(e, x, y));
		encoding_add(e, i == 0		 ? ends
				: end == OP_NONE ? LITERAL_FALSE
						 : encoding_precedes(e, end, y));
		encoding_end(e);
	}
}

static void encode_locks(struct encoding *e)
{
	const struct history *h = e->h;
	for (uint32_t lock = 0; lock < h->locks; lock++) {
		VEC(op_id) sections = { 0 };
		for (uint32_t i = h->takers[lock]; i < h->takers[lock + 1]; i++) {
			const struct history_run *run = &h->runs.at[i];
			for (uint32_t k = 0; k < run->count && h->positions.at[run->first + k] <
								       e->most.done[run->thread];
			     k++)
				vec_push(&sections, history_op(h, run->thread,
							       h->positions.at[run->first + k]));
		}
		for (size_t i = 0; i < sections.len && e->clause_count < e->clause_limit; i++)
			for (size_t k = i + 1; k < sections.len; k++) {
				const struct op *x = &h->ops.at[sections.at[i]],
						*y = &h->ops.at[sections.at[k]];
				if (x->thread == y->thread || (x->is_shared && y->is_shared))
					continue;
				encode_section_pair(e, sections.at[i], sections.at[k]);
				encode_section_pair(e, sections.at[k], sections.at[i]);
			}
		vec_release(&sections);
	}
}

/* ---- reads ---- */

/* Where a walk over the writes of a variable stands that are in the part in question. */
struct write_walk {
	uint32_t run, next;
};

/* The next write of what this accesses, other than its own; OP_NONE: there is no more. */
static op_id next_write(const struct encoding *e, const struct op_access *a, struct write_walk *at)
{
	const struct history *h = e->h;
	for (; at->run < h->writers[a->variable + 1]; at->run++, at->next = 0) {
		const struct history_run *run = &h->runs.at[at->run];
		while (at->next < run->count) {
			uint32_t position = h->positions.at[run->first + at->next++];
			if (position >= e->most.done[run->thread])
				break;
			op_id w = history_op(h, run->thread, position);
			if (w != a->op)
				return w;
		}
	}
	return OP_NONE;
}

static struct write_walk walk_writes(const struct encoding *e, const struct op_access *a)
{
	return (struct write_walk){ .run = e->h->writers[a->variable] };
}

/* If the condition holds, the read sees this write: no other write is between them. */
static void encode_sees(struct encoding *e, const struct op_access *a, op_id write, int condition)
{
	if (write != OP_NONE) {
		if (!FAULT(SOLVER_SOURCE_NEED_NOT_HAPPEN))
			implies(e, condition, encoding_happens(e, write));
		implies(e, condition, encoding_precedes(e, write, a->op));
	}
	struct write_walk at = walk_writes(e, a);
	for (op_id w; (w = next_write(e, a, &at)) != OP_NONE;) {
		if (w == write)
			continue;
		encoding_begin(e);
		encoding_add(e, -condition);
		encoding_add(e, -encoding_happens(e, w));
		if (write != OP_NONE)
			encoding_add(e, encoding_precedes(e, w, write));
		encoding_add(e, encoding_precedes(e, a->op, w));
		if (!FAULT(SOLVER_SOURCE_OVERWRITTEN))
			encoding_end(e);
		else
			e->clauses.len = e->start;
	}
}

/* If the condition holds, the read sees one of the writes of this value. */
static void encode_choice(struct encoding *e, const struct op_access *a, uint64_t value,
			  int condition)
{
	const struct history *h = e->h;
	VEC(op_id) candidates = { 0 };
	uint64_t initial;
	if (history_value_of(h, OP_NONE, a->variable, &initial) && initial == value)
		vec_push(&candidates, OP_NONE);
	struct write_walk at = walk_writes(e, a);
	for (op_id w; (w = next_write(e, a, &at)) != OP_NONE;)
		if (history_access(h, w, a->variable)->written == value)
			vec_push(&candidates, w);
	int first = (int)e->variables.len;
	encoding_begin(e);
	encoding_add(e, -condition);
	for (size_t i = 0; i < candidates.len; i++)
		encoding_add(e, new_variable(e, OP_NONE, OP_NONE));
	encoding_end(e);
	for (size_t i = 0; i < candidates.len; i++)
		encode_sees(e, a, candidates.at[i], first + (int)i);
	vec_release(&candidates);
}

static void encode_read(struct encoding *e, const struct op_access *a)
{
	const struct question_sight *sight = question_sight(e->q, a->op, a->variable);
	int condition = is_frozen(e, a->op);
	if (sight && sight->by_value)
		encode_choice(e, a, sight->value, LITERAL_TRUE);
	else if (sight)
		encode_sees(e, a, sight->write, LITERAL_TRUE);
	else if (condition == LITERAL_FALSE)
		return;
	else if (e->q->same_values && a->has_twin)
		encode_choice(e, a, a->value, condition);
	else
		encode_sees(e, a, a->seen, condition);
}

static void encode_reads(struct encoding *e)
{
	for (uint32_t t = 0; t < e->h->threads; t++)
		for (uint32_t p = 0; p < e->most.done[t] && e->clause_count < e->clause_limit;
		     p++) {
			const struct op *o = &e->h->ops.at[history_op(e->h, t, p)];
			for (uint32_t i = 0; i < o->accesses; i++)
				if (e->h->accesses.at[o->first_access + i].reads)
					encode_read(e, &e->h->accesses.at[o->first_access + i]);
		}
}

/* Adjacent operations are one node of the graph, so a cycle cannot show a wrong order between
 * them.  Fixed orders between them need clauses. */
static void encode_adjacent(struct encoding *e, const struct op_order *fixed)
{
	for (size_t i = 0; i < e->q->adjacent.len; i++) {
		const struct op_order *p = &e->q->adjacent.at[i];
		bool is_same = fixed->before == p->before && fixed->after == p->after;
		bool is_reverse = fixed->before == p->after && fixed->after == p->before;
		if (is_same || is_reverse)
			implies(e, LITERAL_TRUE, encoding_precedes(e, fixed->before, fixed->after));
	}
}

/* ---- */

bool encoding_init(struct encoding *e, const struct history *h, const struct question *q,
		   uint64_t operations, uint64_t clauses, const char **why)
{
	*e = (struct encoding){ .h = h, .q = q, .clause_limit = clauses };
	if (!op_set_smallest(&e->least, h, q))
		return false;
	bool is_large = op_set_size(&e->least) > operations;
	if (!is_large && !op_set_largest(&e->most, h, q, operations))
		return false;
	if (is_large || e->most.is_cut_off) {
		*why = "too many operations for the solver";
		return true;
	}
	e->first_optional = mem_zero(h->threads + 1ull, sizeof(*e->first_optional));
	new_variable(e, OP_NONE, OP_NONE); /* 0 is none */
	for (uint32_t t = 0; t < h->threads; t++) {
		e->first_optional[t] = (uint32_t)e->variables.len;
		for (uint32_t p = e->least.done[t]; p < e->most.done[t]; p++)
			new_variable(e, OP_NONE, OP_NONE);
	}
	encode_prefixes(e);
	encode_locks(e);
	encode_reads(e);
	for (size_t i = 0; i < q->adjacent.len; i++)
		encoding_precedes(e, q->adjacent.at[i].before, q->adjacent.at[i].after);
	for (size_t i = 0; i < q->orders.len; i++)
		encode_adjacent(e, &q->orders.at[i]);
	for (size_t i = 0; q->adjacent.len && i < h->orders.len; i++)
		encode_adjacent(e, &h->orders.at[i]);
	for (size_t i = 0; q->adjacent.len && i < h->causes.len; i++)
		encode_adjacent(e, &h->causes.at[i]);
	if (e->clause_count >= e->clause_limit || e->variables.len > LITERAL_TRUE / 2)
		*why = "too many constraints for the solver";
	return true;
}

void encoding_release(struct encoding *e)
{
	op_set_release(&e->least);
	op_set_release(&e->most);
	vec_release(&e->variables);
	vec_release(&e->clauses);
	map_release(&e->order_of);
	mem_free(e->first_optional);
	*e = (struct encoding){ 0 };
}
