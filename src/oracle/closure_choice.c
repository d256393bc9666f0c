/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads with a choice: they must see a value, and several writes may have written it.  SeqCheck
 * binds each read to the write that it saw.  Here the source of such a read is open at first.
 * Every write of the value is a candidate, unless the necessary order rules it out:
 *
 *   - the write comes after the read;
 *   - another write comes between the two (for the initial content: any write comes before the
 *     read);
 *   - the write is not in the set and cannot be added.
 *
 * If no candidate is left, there is a contradiction.  If one is left, the read sees it in every
 * execution of the set.  If several are left, there is a new attempt for each candidate of one of
 * the reads (closure.c).  In every execution of the set the read sees one of its candidates, so
 * no execution is lost.
 */
#include "oracle/closure.h"
#include "wire/fault.h"

/* The last of a thread's writes that comes before the read; UINT32_MAX if none does. */
static uint32_t last_before(const struct attempt *a, op_id read, const struct history_run *writes)
{
	const struct op *o = &a->h->ops.at[read];
	uint32_t limit = writes->thread == o->thread
				 ? o->own
				 : graph_before(&a->graph, o->thread, o->own, writes->thread);
	return history_last_before(a->h, writes, limit);
}

/* Whether another write comes between a write of the set (OP_NONE: the initial content) and the
 * read. */
static bool is_overwritten(const struct attempt *a, const struct op_access *read, op_id write)
{
	const uint32_t *writers = a->h->writers + read->variable;
	for (uint32_t i = writers[0]; i < writers[1]; i++) {
		const struct history_run *run = &a->h->runs.at[i];
		uint32_t last = last_before(a, read->op, run);
		if (last == UINT32_MAX || history_op(a->h, run->thread, last) == write)
			continue;
		if (write == OP_NONE)
			return true;
		const struct op *w = &a->h->ops.at[write];
		if (w->thread == run->thread
			    ? w->own < last
			    : graph_after(&a->graph, w->thread, w->own, run->thread) <= last)
			return true;
	}
	return false;
}

/* Whether the write wrote the value that the read must see. */
static bool has_right_value(const struct attempt *a, const struct op_access *read, op_id write)
{
	const struct question_sight *sight = question_sight(a->q, read->op, read->variable);
	uint64_t value;
	if (!sight && write == read->seen)
		return true;
	return history_value_of(a->h, write, read->variable, &value) &&
	       value == (sight ? sight->value : read->value);
}

static void add_candidates_of(const struct attempt *a, const struct op_access *read,
			      const struct history_run *run, struct candidates *to)
{
	const struct op *o = &a->h->ops.at[read->op];
	uint32_t after = graph_after(&a->graph, o->thread, o->own, run->thread);
	uint32_t most = a->set.ceiling[run->thread];
	if (FAULT(CHOICE_WITHOUT_LATER_WRITES))
		most = a->set.done[run->thread];
	uint32_t end = most < after ? most : after;
	uint32_t looked = 0;
	for (uint32_t p = history_first_from(a->h, run, 0); p != UINT32_MAX && p < end;
	     p = history_first_from(a->h, run, p + 1)) {
		op_id w = history_op(a->h, run->thread, p);
		to->looked++;
		if (++looked > CANDIDATES_LOOKED || to->count == CANDIDATES_MAX) {
			to->is_cut_off = true;
			return;
		}
		if (has_right_value(a, read, w) &&
		    !(op_set_has(&a->set, w) && is_overwritten(a, read, w)))
			to->writes[to->count++] = w;
	}
}

void attempt_candidates(const struct attempt *a, const struct op_access *read,
			struct candidates *to)
{
	const uint32_t *writers = a->h->writers + read->variable;
	*to = (struct candidates){ 0 };
	bool has_initial = has_right_value(a, read, OP_NONE) && !is_overwritten(a, read, OP_NONE);
	if (FAULT(CHOICE_WITHOUT_INITIAL))
		has_initial = false;
	if (has_initial)
		to->writes[to->count++] = OP_NONE;
	for (uint32_t i = writers[0]; i < writers[1] && !to->is_cut_off; i++)
		add_candidates_of(a, read, &a->h->runs.at[i], to);
}

/* Bind a read to its only candidate, which is in the set. */
static bool bind_read(struct attempt *a, const struct op_access *read, op_id write)
{
	vec_push(&a->set.choices, ((struct op_choice){ read->op, read->variable, write }));
	vec_push(&a->reads, ((struct bound_read){ read, write }));
	a->has_grown = true; /* the rules for bound reads must be applied to it */
	return write == OP_NONE || attempt_order(a, write, read->op);
}

bool attempt_close_choices(struct attempt *a)
{
	size_t kept = 0;
	for (size_t i = 0; i < a->choosers.len; i++) {
		struct candidates c;
		const struct op_access *read = a->choosers.at[i];
		attempt_candidates(a, read, &c);
		if (!attempt_work(a, 1 + c.looked))
			return false;
		bool is_decided = c.count == 1 && !c.is_cut_off;
		if (!c.count && !c.is_cut_off)
			return false;
		if (is_decided && (c.writes[0] == OP_NONE || op_set_has(&a->set, c.writes[0]))) {
			if (!bind_read(a, read, c.writes[0]))
				return false;
			continue;
		}
		if (is_decided)
			vec_push(&a->needed, c.writes[0]);
		a->choosers.at[kept++] = read;
	}
	a->choosers.len = kept;
	return true;
}

const struct op_access *attempt_next_choice(const struct attempt *a, struct candidates *to)
{
	const struct op_access *best = NULL;
	for (size_t i = 0; i < a->choosers.len; i++) {
		struct candidates c;
		attempt_candidates(a, a->choosers.at[i], &c);
		if (c.is_cut_off || (best && c.count >= to->count))
			continue;
		best = a->choosers.at[i];
		*to = c;
	}
	return best;
}
