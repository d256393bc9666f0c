// SPDX-License-Identifier: Apache-2.0
/*
 * From candidates to claims: candidates with the same places are asked together (items.c), races before
 * violations of atomicity, because what is a race already is not told again as such.
 */
#include "predict/predict.h"

#include "predict/items.h"

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

/* What a claim says where its witness ends: of a race only that both accesses are about to happen, however it
 * was asked. */
static struct question question_of(const struct candidate *c)
{
	if (c->kind != CLAIM_RACE)
		return candidate_question(c);
	struct question q = {0};
	for (size_t i = 0; i < c->ops.len; i++)
		vec_push(&q.pending, c->ops.at[i]);
	return q;
}

/* The claim of an item that has been asked; its answer moves. */
static void take_claim(struct finder *f, struct item *item)
{
	struct item_result *r = &item->result;
	f->out->questions += r->questions;
	f->out->infeasible += r->infeasible;
	f->out->unknown += r->unknown;
	if (r->candidate == UINT32_MAX)
		return;
	const struct candidate *c = &f->candidates.at[r->candidate];
	struct claim *claim = vec_add(&f->out->claims);
	*claim = (struct claim){ .kind = c->kind, .key = c->key, .instances = *map_get(&f->seen, c->key),
		.witnesses = r->witnesses, .question = question_of(c), .answer = r->answer };
	claim->question.same_values = r->same_values;
	for (size_t i = 0; i < c->ops.len; i++)
		vec_push(&claim->ops, c->ops.at[i]);
	r->answer = (struct answer){0};
}

static void ask_all(struct finder *f)
{
	struct items all = {0};
	size_t races = 0;
	items_make(&all, f);
	while (races < all.list.len && f->candidates.at[all.list.at[races].first].kind == CLAIM_RACE)
		races++;
	items_ask(f, &all, 0, races);
	for (size_t i = 0; i < races; i++)
		take_claim(f, &all.list.at[i]);
	for (size_t i = races; i < all.list.len; i++)
		all.list.at[i].result.is_asked = is_told_as_race(f, &f->candidates.at[all.list.at[i].first]);
	items_ask(f, &all, races, all.list.len);
	for (size_t i = races; i < all.list.len; i++)
		take_claim(f, &all.list.at[i]);
	items_release(&all);
}

void predict(const struct history *h, const struct trace_index *x, const struct predict_options *o,
	     struct prediction *out)
{
	struct finder f = { .h = h, .x = x, .o = o, .out = out };
	*out = (struct prediction){0};
	if (o->kinds & (PREDICT_RACE | PREDICT_ATOMICITY))
		find_races(&f);		/* atomicity leaves out what is a race */
	if (o->kinds & PREDICT_DEADLOCK) {
		find_deadlocks(&f);
		find_lost_signals(&f);
	}
	if (o->kinds & PREDICT_ORDER)
		find_lifetimes(&f);
	if (o->kinds & PREDICT_ATOMICITY)
		find_atomicity(&f);
	ask_all(&f);
	finder_release(&f);
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
