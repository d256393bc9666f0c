/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What finders share: places and keys, locks held.
 */
#include "predict/finder.h"

#include "base/hash.h"

#define INSTANCES_DEFAULT 64

void finder_init(struct finder *f)
{
	f->number_of = mem_alloc((f->x->threads + 1ull) * sizeof(*f->number_of));
	memset(f->number_of, 0xff, f->x->threads * sizeof(*f->number_of));
	for (uint32_t t = 0; t < f->h->threads; t++)
		f->number_of[finder_event(f, history_op(f->h, t, 0))->thread] = t;
}

uint32_t finder_joined(const struct finder *f, op_id op)
{
	const struct index_event *e = finder_event(f, op);
	if (e->kind != EV_JOIN || e->link == EVENT_NONE)
		return UINT32_MAX;
	return f->number_of[f->x->events[e->link].thread];
}

uint64_t finder_key(enum finding_kind kind, const loc_id *places, size_t count, bool is_unordered)
{
	uint64_t key = hash_mix(1, kind), sum = count;
	for (size_t i = 0; i < count; i++) {
		key = hash_mix(key, places[i]);
		sum += hash_mix(2, places[i]);
	}
	return is_unordered ? hash_mix(hash_mix(3, kind), sum) : key;
}

uint64_t finder_instances(const struct finder *f)
{
	return f->o->instances ? f->o->instances : INSTANCES_DEFAULT;
}

struct candidate *finder_add(struct finder *f, enum finding_kind kind, uint64_t key)
{
	uint64_t *count = map_put(&f->seen, key, NULL);
	if (++*count > finder_instances(f)) {
		f->out->candidates++;
		++*map_put(&f->left, key, NULL);
		return NULL;
	}
	return finder_add_chosen(f, kind, key);
}

void finder_count(struct finder *f, uint64_t key, uint64_t instances, uint64_t left_out)
{
	*map_put(&f->seen, key, NULL) = instances;
	*map_put(&f->left, key, NULL) = left_out;
}

struct candidate *finder_add_chosen(struct finder *f, enum finding_kind kind, uint64_t key)
{
	f->out->candidates++;
	struct candidate *c = vec_add(&f->candidates);
	c->kind = kind;
	c->key = key;
	return c;
}

struct candidate *finder_add_way(struct finder *f)
{
	struct candidate last = vec_last(&f->candidates), *c = vec_add(&f->candidates);
	c->kind = last.kind;
	c->key = last.key;
	c->distance = last.distance;
	return c;
}

struct question candidate_question(const struct candidate *c)
{
	struct question q = { 0 };
	for (size_t i = 0; i < c->include.len; i++)
		vec_push(&q.include, c->include.at[i]);
	for (size_t i = 0; i < c->pending.len; i++)
		vec_push(&q.pending, c->pending.at[i]);
	for (size_t i = 0; i < c->orders.len; i++)
		vec_push(&q.orders, c->orders.at[i]);
	for (size_t i = 0; i < c->adjacent.len; i++)
		vec_push(&q.adjacent, c->adjacent.at[i]);
	return q;
}

void finder_progress(const struct finder *f, uint64_t done, uint64_t total, uint64_t found)
{
	if (f->o->progress)
		f->o->progress(f->o->arg, done, total, found);
}

void finder_forget(struct finder *f)
{
	for (size_t i = 0; i < f->candidates.len; i++) {
		vec_release(&f->candidates.at[i].ops);
		vec_release(&f->candidates.at[i].include);
		vec_release(&f->candidates.at[i].pending);
		vec_release(&f->candidates.at[i].orders);
		vec_release(&f->candidates.at[i].adjacent);
	}
	vec_release(&f->candidates);
	map_release(&f->seen);
	map_release(&f->left);
}

void finder_release(struct finder *f)
{
	finder_forget(f);
	mem_free(f->number_of);
}

/* ---- locks ---- */

void held_init(struct held *l, const struct history *h)
{
	*l = (struct held){ .h = h };
	l->threads = mem_zero(h->threads + 1ull, sizeof(*l->threads));
}

void held_release(struct held *l)
{
	for (uint32_t t = 0; t < l->h->threads; t++)
		vec_release(&l->threads[t].acquires);
	mem_free(l->threads);
	*l = (struct held){ 0 };
}

void held_step(struct held *l, op_id op)
{
	const struct op *o = &l->h->ops.at[op];
	if (o->kind == OP_ACQUIRE)
		vec_push(&l->threads[o->thread].acquires, op);
	size_t kept = 0;
	for (size_t i = 0; o->kind == OP_RELEASE && i < l->threads[o->thread].acquires.len; i++)
		if (l->threads[o->thread].acquires.at[i] != o->match)
			l->threads[o->thread].acquires.at[kept++] =
				l->threads[o->thread].acquires.at[i];
	if (o->kind == OP_RELEASE)
		l->threads[o->thread].acquires.len = kept;
}
