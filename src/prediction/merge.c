/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings of all traces together, each bug once.  A bug is its kind and its places in the source.
 * Of its findings the best one is reported: confirmed in the program, or observed in a run, before
 * predicted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "prediction/prediction.h"

static int by_text(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

/* Kind and places; the order of places matters only where they have different parts. */
static char *key_of(const struct finding *f, const struct names *n)
{
	VEC(char *) places = { 0 };
	struct buf key = { 0 };
	if (f->identity) {
		buf_printf(&key, "interleaving\n%s", f->identity);
		return buf_take(&key);
	}
	bool is_unordered = f->kind == FINDING_RACE || f->kind == FINDING_DEADLOCK;
	for (size_t i = 0; i < f->places.len; i++) {
		const struct location *l =
			names_location(n, names_own(n, f->places.at[i].loc, f->places.at[i].stack));
		struct buf place = { 0 };
		if (l->line)
			buf_printf(&place, "%s:%u", l->file, l->line);
		else if (!l->region && l->function[0])
			buf_str(&place, l->function); /* of a trace that is not ours */
		else
			buf_printf(&place, "%u+%llu", l->region, (unsigned long long)l->offset);
		vec_push(&places, buf_take(&place));
	}
	if (is_unordered && places.len)
		qsort(places.at, places.len, sizeof(*places.at), by_text);
	buf_str(&key, finding_kind_name(f->kind));
	for (size_t i = 0; i < places.len; i++) {
		/* A place twice says no more than once, except that a race of a place with itself
		 * has only one. */
		if (!is_unordered || !i || strcmp(places.at[i], places.at[i - 1]))
			buf_printf(&key, "\n%s", places.at[i]);
	}
	for (size_t i = 0; i < places.len; i++)
		mem_free(places.at[i]);
	vec_release(&places);
	return buf_take(&key);
}

static const struct finding *finding_of(const struct prediction_result *r,
					const struct predicted_bug *t)
{
	return &r->traces.at[t->trace]->findings.list.at[t->finding];
}

static void take_finding(struct prediction_result *r, size_t trace, size_t number)
{
	const struct predicted *p = r->traces.at[trace];
	const struct finding *f = &p->findings.list.at[number];
	char *key = key_of(f, &p->names);
	for (size_t i = 0; i < r->bugs.len; i++) {
		struct predicted_bug *t = &r->bugs.at[i];
		if (strcmp(t->key, key))
			continue;
		mem_free(key);
		t->traces += t->counted != r->taken;
		t->counted = r->taken;
		t->count += f->count;
		const struct finding *best = finding_of(r, t);
		bool is_clearer = f->kind == FINDING_ATOMICITY && best->kind != FINDING_ATOMICITY;
		if ((best->status == FINDING_PREDICTED && f->status != FINDING_PREDICTED) ||
		    is_clearer) {
			t->trace = trace;
			t->finding = number;
		}
		return;
	}
	vec_push(&r->bugs, ((struct predicted_bug){ key, trace, number, f->count, 1, r->taken }));
}

void prediction_result_take(struct prediction_result *r, struct predicted *p)
{
	size_t trace = r->traces.len;
	const struct prediction *q = &p->prediction;
	r->taken++;
	r->assumptions |= p->history.assumptions;
	r->events += p->sieve.events;
	r->kept += p->index.count;
	r->is_short_of_memory |= p->sieve.is_cut_off;
	r->is_cut_off |= p->is_cut_for_time;
	r->is_incomplete |= p->sieve.is_incomplete;
	r->operations += p->history.h.ops.len;
	r->candidates += q->candidates;
	r->questions += q->questions;
	r->infeasible += q->infeasible;
	r->unknown += q->unknown;
	r->left_out += q->left_out;
	r->is_cut_off |= q->is_cut_off || p->unproved.is_cut_off;
	r->has_untried |= q->has_untried;
	predicted_shrink(p);
	vec_push(&r->traces, p);
	for (size_t i = 0; i < p->findings.list.len; i++)
		take_finding(r, trace, i);
	for (size_t i = 0; i < r->bugs.len; i++)
		if (r->bugs.at[i].trace == trace)
			return;
	r->traces.len--;
	predicted_release(p);
	mem_free(p);
}

void prediction_result_release(struct prediction_result *r)
{
	for (size_t i = 0; i < r->traces.len; i++) {
		predicted_release(r->traces.at[i]);
		mem_free(r->traces.at[i]);
	}
	vec_release(&r->traces);
	for (size_t i = 0; i < r->bugs.len; i++)
		mem_free(r->bugs.at[i].key);
	vec_release(&r->bugs);
}

struct finding *prediction_finding(const struct prediction_result *r, size_t bug)
{
	const struct predicted_bug *b = &r->bugs.at[bug];
	struct finding *f = &r->traces.at[b->trace]->findings.list.at[b->finding];
	f->count = b->count;
	return f;
}
