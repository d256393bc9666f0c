/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking about candidates.  Near ones are asked first; the first feasible one of a set of places
 * makes the claim, and one more is asked for a shorter witness.  Reads must see what they saw
 * first; only if that is impossible may they see other writes of the same values, which costs
 * more.
 *
 * An undecided question has used up its budget of work.  Several in a row say that the next ones,
 * which are larger, will not be decided either: they are left out, and counted.  So the work for
 * a set of places has a bound.
 */
#include "predict/items.h"

#include <stdlib.h>

#define WITNESSES 2 /* of a claim that are compared */
#define UNDECIDED 8 /* questions in a row, after which the rest of the places is left out */
#define VALUES_OPERATIONS 20000 /* how many operations the solver may look at when values count */
#define VALUES_PROPAGATIONS 20000000 /* and its work then */

/* ---- making items ---- */

static int by_distance(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	return a->ops.at[0] < b->ops.at[0] ? -1 : a->ops.at[0] > b->ops.at[0];
}

static int by_item(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;
	return a->item != b->item ? (a->item < b->item ? -1 : 1) : by_distance(x, y);
}

void items_make(struct items *all, struct finder *f)
{
	struct map item_of = { 0 };
	if (f->candidates.len)
		qsort(f->candidates.at, f->candidates.len, sizeof(*f->candidates.at), by_distance);
	for (size_t i = 0; i < f->candidates.len; i++) {
		bool is_new;
		uint64_t *item = map_put(&item_of, f->candidates.at[i].key, &is_new);
		if (is_new)
			*item = item_of.len - 1;
		f->candidates.at[i].item = (uint32_t)*item;
	}
	map_release(&item_of);
	if (f->candidates.len)
		qsort(f->candidates.at, f->candidates.len, sizeof(*f->candidates.at), by_item);
	for (size_t i = 0; i < f->candidates.len; i++) {
		if (!i || f->candidates.at[i].item != f->candidates.at[i - 1].item) {
			struct item *new = vec_add(&all->list);
			new->first = i;
			new->result.candidate = UINT32_MAX;
		}
		vec_last(&all->list).count++;
	}
}

void items_release(struct items *all)
{
	for (size_t i = 0; i < all->list.len; i++)
		answer_release(&all->list.at[i].result.answer);
	vec_release(&all->list);
}

/* ---- asking ---- */

static void ask(const struct finder *f, struct question *q, struct answer *a)
{
	oracle_ask_near(f->h, q, &f->o->limits, a);
	if (a->verdict == VERDICT_FEASIBLE || !f->h->has_values)
		return;
	struct oracle_limits limits = f->o->limits;
	limits.operations = limits.operations ? limits.operations : VALUES_OPERATIONS;
	limits.propagations = limits.propagations ? limits.propagations : VALUES_PROPAGATIONS;
	q->same_values = true;
	oracle_ask_near(f->h, q, &limits, a);
}

static void ask_candidate(const struct finder *f, uint32_t number, struct item_result *r)
{
	struct question q = candidate_question(&f->candidates.at[number]);
	struct answer a = { 0 };
	ask(f, &q, &a);
	if (a.verdict == VERDICT_FEASIBLE &&
	    !call_settle(f, &f->candidates.at[number], q.same_values, &a))
		a.verdict = VERDICT_UNKNOWN;
	r->questions++;
	r->infeasible += a.verdict == VERDICT_INFEASIBLE;
	r->unknown += a.verdict == VERDICT_UNKNOWN;
	r->witnesses += a.verdict == VERDICT_FEASIBLE;
	if (a.verdict == VERDICT_FEASIBLE &&
	    (r->candidate == UINT32_MAX || answer_length(&a) < answer_length(&r->answer))) {
		answer_release(&r->answer);
		r->answer = a;
		r->candidate = number;
		r->same_values = q.same_values;
	} else {
		answer_release(&a);
	}
	question_release(&q);
}

bool item_ask(struct finder *f, struct item *item)
{
	struct item_result *r = &item->result;
	uint32_t undecided = 0;
	for (size_t i = 0; i < item->count && r->witnesses < WITNESSES; i++) {
		if (f->o->is_over && f->o->is_over(f->o->arg))
			return false;
		if (undecided == UNDECIDED) {
			r->left_out = item->count - i;
			break;
		}
		uint64_t unknown = r->unknown;
		ask_candidate(f, (uint32_t)(item->first + i), r);
		undecided = r->unknown == unknown ? 0 : undecided + 1;
	}
	item->result.is_asked = true;
	return true;
}
