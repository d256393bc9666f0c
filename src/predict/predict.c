// SPDX-License-Identifier: Apache-2.0
/*
 * From candidates to claims.  Near candidates are asked first; the first feasible one of a set of places
 * makes the claim, and a few more are asked for a shorter witness.  Reads must see what they saw first; only
 * if that is impossible may they see other writes of the same values, which is the solver's business and
 * costs more.
 */
#include "predict/predict.h"

#include <stdlib.h>

#include "predict/finder.h"

#define WITNESSES 2			/* of a claim that are compared */
#define VALUES_OPERATIONS 20000		/* how many operations the solver may look at when values count */

static int by_distance(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	return a->ops.at[0] < b->ops.at[0] ? -1 : a->ops.at[0] > b->ops.at[0];
}

static void ask(struct finder *f, struct question *q, struct answer *a)
{
	f->out->questions++;
	oracle_ask(f->h, q, &f->o->limits, a);
	if (a->verdict != VERDICT_FEASIBLE && f->h->has_values) {
		struct oracle_limits limits = f->o->limits;
		limits.operations = limits.operations ? limits.operations : VALUES_OPERATIONS;
		q->same_values = true;
		oracle_ask(f->h, q, &limits, a);
	}
	f->out->infeasible += a->verdict == VERDICT_INFEASIBLE;
	f->out->unknown += a->verdict == VERDICT_UNKNOWN;
}

static struct question question_of(const struct candidate *c)
{
	struct question q = {0};
	for (size_t i = 0; i < c->include.len; i++)
		vec_push(&q.include, c->include.at[i]);
	for (size_t i = 0; i < c->pending.len; i++)
		vec_push(&q.pending, c->pending.at[i]);
	for (size_t i = 0; i < c->orders.len; i++)
		vec_push(&q.orders, c->orders.at[i]);
	return q;
}

static struct claim *claim_of(struct prediction *p, uint64_t key)
{
	for (size_t i = 0; i < p->claims.len; i++)
		if (p->claims.at[i].key == key)
			return &p->claims.at[i];
	return NULL;
}

/* Whether two of its places are a race already: then it is no news that something may come in between. */
static bool is_told_as_race(const struct finder *f, const struct candidate *c)
{
	if (c->kind != CLAIM_ATOMICITY)
		return false;
	for (size_t i = 0; i < 3; i += 2) {
		loc_id places[2] = { finder_place(f, c->ops.at[i]), finder_place(f, c->ops.at[1]) };
		if (claim_of(f->out, finder_key(CLAIM_RACE, places, 2, true)))
			return true;
	}
	return false;
}

static void forget(struct claim *c)
{
	vec_release(&c->ops);
	question_release(&c->question);
	answer_release(&c->answer);
}

static void try_candidate(struct finder *f, struct candidate *c)
{
	struct claim *old = claim_of(f->out, c->key);
	if (is_told_as_race(f, c) || (old && old->witnesses >= WITNESSES))
		return;
	struct claim new = {
		.kind = c->kind, .key = c->key, .instances = *map_get(&f->seen, c->key), .witnesses = 1
	};
	new.question = question_of(c);
	ask(f, &new.question, &new.answer);
	for (size_t i = 0; i < c->ops.len; i++)
		vec_push(&new.ops, c->ops.at[i]);
	if (new.answer.verdict != VERDICT_FEASIBLE) {
		forget(&new);
	} else if (!old) {
		vec_push(&f->out->claims, new);
	} else {
		new.witnesses = old->witnesses + 1;
		struct claim *longer = new.answer.witness.len < old->answer.witness.len ? old : &new;
		unsigned witnesses = new.witnesses;
		forget(longer);
		if (longer == old)
			*old = new;
		old->witnesses = witnesses;
	}
}

void predict(const struct history *h, const struct trace_index *x, const struct predict_options *o,
	     struct prediction *out)
{
	struct finder f = { .h = h, .x = x, .o = o, .out = out };
	*out = (struct prediction){0};
	if (o->kinds & (PREDICT_RACE | PREDICT_ATOMICITY))
		find_races(&f);		/* atomicity leaves out what is a race */
	if (o->kinds & PREDICT_DEADLOCK)
		find_deadlocks(&f);
	if (o->kinds & PREDICT_ORDER)
		find_lifetimes(&f);
	if (o->kinds & PREDICT_ATOMICITY)
		find_atomicity(&f);
	if (f.candidates.len)
		qsort(f.candidates.at, f.candidates.len, sizeof(*f.candidates.at), by_distance);
	for (size_t i = 0; i < f.candidates.len; i++) {
		out->is_cut_off |= o->is_over && o->is_over(o->arg);
		if (!out->is_cut_off)
			try_candidate(&f, &f.candidates.at[i]);
	}
	for (size_t i = 0; i < f.candidates.len; i++) {
		vec_release(&f.candidates.at[i].ops);
		vec_release(&f.candidates.at[i].include);
		vec_release(&f.candidates.at[i].pending);
		vec_release(&f.candidates.at[i].orders);
	}
	vec_release(&f.candidates);
	map_release(&f.seen);
	/* Races that were only wanted for atomicity. */
	size_t kept = 0;
	for (size_t i = 0; i < out->claims.len; i++) {
		struct claim *c = &out->claims.at[i];
		if (c->kind == CLAIM_RACE && !(o->kinds & PREDICT_RACE))
			forget(c);
		else
			out->claims.at[kept++] = *c;
	}
	out->claims.len = kept;
}

void prediction_release(struct prediction *p)
{
	for (size_t i = 0; i < p->claims.len; i++)
		forget(&p->claims.at[i]);
	vec_release(&p->claims);
}
