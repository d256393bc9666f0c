/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From candidates to claims, one kind after the other: candidates with the same places are asked
 * together (items.c).  Races come before violations of atomicity, because what is a race already
 * is not reported again.
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

/* Whether two of its places are claimed as a race already: that includes that one can come between
 * the others. */
static bool is_reported_as_race(const struct finder *f, const struct candidate *c)
{
	if (c->kind != FINDING_ATOMICITY)
		return false;
	for (size_t i = 0; i < 3; i += 2) {
		loc_id places[2] = { finder_place(f, c->ops.at[i]), finder_place(f, c->ops.at[1]) };
		if (claim_of(f->out, finder_key(FINDING_RACE, places, 2, true)))
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

/* What a claim says where its witness ends: of a race only that both accesses are about to
 * happen, however it was asked. */
static struct question question_of(const struct candidate *c)
{
	if (c->kind != FINDING_RACE)
		return candidate_question(c);
	struct question q = { 0 };
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
	/* Of what is claimed anyway, it does not matter how many instances were asked about. */
	const uint64_t *left = map_get(&f->left, f->candidates.at[item->first].key);
	if (r->candidate == UINT32_MAX)
		f->out->left_out += r->left_out + (left ? *left : 0);
	if (r->candidate == UINT32_MAX)
		return;
	const struct candidate *c = &f->candidates.at[r->candidate];
	struct claim *claim = vec_add(&f->out->claims);
	*claim = (struct claim){ .kind = c->kind,
				 .key = c->key,
				 .instances = *map_get(&f->seen, c->key),
				 .witnesses = r->witnesses,
				 .tie = c->tie,
				 .tie_from = c->tie_from,
				 .question = question_of(c),
				 .answer = r->answer };
	claim->question.same_values = r->same_values;
	for (size_t i = 0; i < c->ops.len; i++)
		vec_push(&claim->ops, c->ops.at[i]);
	r->answer = (struct answer){ 0 };
}

/* Ask about what the finders have proposed so far; what is found is kept, whatever comes after. */
static void ask_all(struct finder *f)
{
	struct items all = { 0 };
	items_make(&all, f);
	for (size_t i = 0; i < all.list.len; i++)
		all.list.at[i].result.is_asked =
			is_reported_as_race(f, &f->candidates.at[all.list.at[i].first]);
	items_ask(f, &all, 0, all.list.len);
	for (size_t i = 0; i < all.list.len; i++)
		take_claim(f, &all.list.at[i]);
	items_release(&all);
	finder_forget(f);
}

void predict(const struct history *h, const struct trace_index *x, const struct predict_options *o,
	     struct prediction *out)
{
	static const struct {
		unsigned kinds;
		void (*find)(struct finder *f);
	} finders[] = {
		/* atomicity omits races */
		{ PREDICT_RACE | PREDICT_ATOMICITY, find_races },
		{ PREDICT_DEADLOCK, find_deadlocks },
		{ PREDICT_DEADLOCK, find_lost_signals },
		{ PREDICT_ATOMICITY, find_atomicity },
		{ PREDICT_ORDER, find_lifetimes },
	};
	struct finder f = { .h = h, .x = x, .o = o, .out = out };
	*out = (struct prediction){ 0 };
	finder_init(&f);
	for (size_t i = 0; i < sizeof(finders) / sizeof(*finders) && !out->is_cut_off; i++) {
		if (!(o->kinds & finders[i].kinds))
			continue;
		finders[i].find(&f);
		ask_all(&f);
	}
	finder_release(&f);
	/* Races that were only wanted for atomicity. */
	size_t kept = 0;
	for (size_t i = 0; i < out->claims.len; i++) {
		struct claim *c = &out->claims.at[i];
		if (c->kind == FINDING_RACE && !(o->kinds & PREDICT_RACE))
			forget(c);
		else
			out->claims.at[kept++] = *c;
	}
	out->claims.len = kept;
}

void prediction_keep(struct prediction *p, uint64_t key)
{
	size_t kept = 0;
	for (size_t i = 0; i < p->claims.len; i++) {
		if (key && p->claims.at[i].key != key)
			forget(&p->claims.at[i]);
		else
			p->claims.at[kept++] = p->claims.at[i];
	}
	p->claims.len = kept;
}

void prediction_release(struct prediction *p)
{
	for (size_t i = 0; i < p->claims.len; i++)
		forget(&p->claims.at[i]);
	vec_release(&p->claims);
}
