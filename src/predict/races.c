/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Candidates for races.  For each variable the accesses of each thread, place and set of locks
 * are one record.  A new access is paired with the latest ones of each record of another thread
 * that it conflicts with, unless both are atomic, a lock excludes them, or they are ordered in
 * every execution.  So the work grows with the number of accesses and different places, not with
 * their square.
 *
 * Of all pairs with the same places the nearest ones are asked about: what is far apart has more
 * between it that must come first.  What is left out is counted.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "predict/finder.h"

#define RECORDS_MAX 8192 /* of one variable */
#define PAIRS_EACH 16	 /* of an access with one record */
#define PAIRS_MAX 256	 /* of two places that are asked about, */
#define PAIRS_ALL 200000 /* of all places together, but */
#define PAIRS_LEAST 6	 /* so many of each */

struct record {
	uint32_t thread;
	loc_id place;
	uint64_t locks; /* number of the set that is held */
	bool writes, is_atomic;
	VEC(op_id) ops; /* ascending */
};

struct variable_records {
	VEC(struct record) list;
};

/* Pairs with the same places. */
struct same_places {
	uint64_t key;
	uint64_t instances, left_out;
	VEC(struct op_order) pairs; /* the nearest, and some more */
};

struct pairs {
	struct finder *f;
	struct map number_of; /* key to index in list */
	VEC(struct same_places) list;
};

/* Locks held at an access, as a list for each different set. */
struct lock_sets {
	struct map number_of; /* hash to number */
	VEC(struct lock_set { VEC(op_id) acquires; }) sets;
};

static uint64_t set_of(struct lock_sets *s, const struct held *l, uint32_t thread)
{
	uint64_t hash = 0;
	for (size_t i = 0; i < l->threads[thread].acquires.len; i++) {
		const struct op *a = &l->h->ops.at[l->threads[thread].acquires.at[i]];
		hash += hash_mix(7, (uint64_t)a->lock << 1 | a->is_shared);
	}
	bool is_new;
	uint64_t *number = map_put(&s->number_of, hash, &is_new);
	if (is_new) {
		*number = s->sets.len;
		struct lock_set *set = vec_add(&s->sets);
		for (size_t i = 0; i < l->threads[thread].acquires.len; i++)
			vec_push(&set->acquires, l->threads[thread].acquires.at[i]);
	}
	return *number;
}

/* Whether a lock of both sets excludes one from the other. */
static bool is_excluded(const struct history *h, const struct lock_sets *s, uint64_t x, uint64_t y)
{
	const struct lock_set *a = &s->sets.at[x], *b = &s->sets.at[y];
	for (size_t i = 0; i < a->acquires.len; i++)
		for (size_t k = 0; k < b->acquires.len; k++) {
			const struct op *p = &h->ops.at[a->acquires.at[i]],
					*q = &h->ops.at[b->acquires.at[k]];
			if (p->lock == q->lock && !(p->is_shared && q->is_shared))
				return true;
		}
	return false;
}

static struct candidate *add(struct finder *f, op_id first, op_id second)
{
	loc_id places[2] = { finder_place(f, first), finder_place(f, second) };
	struct candidate *c =
		finder_add_chosen(f, FINDING_RACE, finder_key(FINDING_RACE, places, 2, true));
	c->distance = first < second ? second - first : first - second;
	vec_push(&c->ops, first);
	vec_push(&c->ops, second);
	return c;
}

/* A read by libc that may stop before it gets there (calls.c): right before the other access, or
 * right after it. */
static void pair_up_call(struct finder *f, op_id read, op_id other)
{
	struct call call = call_of(f, read);
	const struct op *o = &f->h->ops.at[other];
	op_id first = history_op(f->h, call.thread, call.first);
	if (call.end == history_length(f->h, call.thread))
		return;
	op_id next = history_op(f->h, call.thread, call.end);
	struct candidate *c = add(f, read, other);
	vec_push(&c->pending, next);
	vec_push(&c->pending, other);
	if (o->own)
		vec_push(&c->orders,
			 ((struct op_order){ history_op(f->h, o->thread, o->own - 1), first }));
	c = finder_add_way(f);
	vec_push(&c->ops, other);
	vec_push(&c->ops, read);
	vec_push(&c->pending, next);
	vec_push(&c->orders, ((struct op_order){ other, first }));
	vec_push(&c->adjacent, ((struct op_order){ other, first }));
}

static void pair_up(struct finder *f, op_id old, op_id now)
{
	if (finder_event(f, old)->kind == EV_READ && call_is_unsure(f, old, now)) {
		pair_up_call(f, old, now);
	} else if (finder_event(f, now)->kind == EV_READ && call_is_unsure(f, now, old)) {
		pair_up_call(f, now, old);
	} else {
		struct candidate *c = add(f, old, now);
		vec_push(&c->pending, old);
		vec_push(&c->pending, now);
	}
}

/* ---- pairs ---- */

static int by_distance(const void *x, const void *y)
{
	const struct op_order *a = x, *b = y;
	op_id p = a->after - a->before, q = b->after - b->before;
	if (p != q)
		return p < q ? -1 : 1;
	return a->before < b->before ? -1 : a->before > b->before;
}

static void keep_nearest(struct same_places *s, size_t most)
{
	if (s->pairs.len)
		qsort(s->pairs.at, s->pairs.len, sizeof(*s->pairs.at), by_distance);
	if (s->pairs.len <= most)
		return;
	s->left_out += s->pairs.len - most;
	s->pairs.len = most;
}

static struct same_places *places_of(struct pairs *p, op_id old, op_id now)
{
	loc_id places[2] = { finder_place(p->f, old), finder_place(p->f, now) };
	uint64_t key = finder_key(FINDING_RACE, places, 2, true);
	bool is_new;
	uint64_t *number = map_put(&p->number_of, key, &is_new);
	if (is_new) {
		*number = p->list.len;
		vec_add(&p->list)->key = key;
	}
	return &p->list.at[*number];
}

/* An access with those of a record that come after `ordered` operations of their thread. */
static void propose(struct pairs *p, const struct record *r, op_id now, uint32_t ordered)
{
	const struct history *h = p->f->h;
	struct same_places *s = places_of(p, vec_last(&r->ops), now);
	size_t low = 0, high = r->ops.len;
	s->instances++;
	for (size_t i = r->ops.len; i-- > 0 && h->ops.at[r->ops.at[i]].own >= ordered; high = i) {
		if (r->ops.len - i > PAIRS_EACH)
			break;
		vec_push(&s->pairs, ((struct op_order){ r->ops.at[i], now }));
	}
	for (size_t end = high; low < end;) {
		size_t middle = low + (end - low) / 2;
		if (h->ops.at[r->ops.at[middle]].own < ordered)
			low = middle + 1;
		else
			end = middle;
	}
	s->left_out += high - low;
	if (s->pairs.len > 4 * PAIRS_MAX)
		keep_nearest(s, PAIRS_MAX);
}

static void make_candidates(struct pairs *p)
{
	size_t most = p->list.len ? PAIRS_ALL / p->list.len : 0;
	most = most > PAIRS_MAX ? PAIRS_MAX : most < PAIRS_LEAST ? PAIRS_LEAST : most;
	if (p->f->o->instances)
		most = p->f->o->instances;
	for (size_t i = 0; i < p->list.len; i++) {
		struct same_places *s = &p->list.at[i];
		keep_nearest(s, most);
		for (size_t k = 0; k < s->pairs.len; k++)
			pair_up(p->f, s->pairs.at[k].before, s->pairs.at[k].after);
		finder_count(p->f, s->key, s->instances, s->left_out);
		vec_release(&s->pairs);
	}
	vec_release(&p->list);
	map_release(&p->number_of);
}

static void look_at(struct pairs *p, struct variable_records *v, const struct record *now, op_id op,
		    const uint32_t *clock, const struct lock_sets *sets)
{
	const struct history *h = p->f->h;
	struct record *same = NULL;
	for (size_t i = 0; i < v->list.len; i++) {
		struct record *r = &v->list.at[i];
		if (r->thread == now->thread) {
			if (r->place == now->place && r->locks == now->locks &&
			    r->writes == now->writes && r->is_atomic == now->is_atomic)
				same = r;
			continue;
		}
		bool is_ordered = h->ops.at[vec_last(&r->ops)].own < clock[r->thread];
		if ((r->writes || now->writes) && !(r->is_atomic && now->is_atomic) &&
		    !is_ordered && !is_excluded(h, sets, r->locks, now->locks))
			propose(p, r, op, clock[r->thread]);
	}
	if (!same && v->list.len < RECORDS_MAX) {
		vec_push(&v->list, *now);
		same = &vec_last(&v->list);
	}
	if (same)
		vec_push(&same->ops, op);
	else
		p->f->out->left_out++; /* nothing is paired with it later */
}

/* pthread_create stores the thread's name before the thread runs, whatever the order of their
 * events. */
static bool is_of_fork(const struct finder *f, op_id id)
{
	const struct index_event *e = finder_event(f, id);
	uint64_t count;
	const ev_id *own = index_of_thread(f->x, e->thread, &count);
	return e->kind == EV_WRITE && e->flags & EVF_LIBC && e->own &&
	       f->x->events[own[e->own - 1]].kind == EV_FORK;
}

void find_races(struct finder *f)
{
	struct must must;
	struct held held;
	struct lock_sets sets = { 0 };
	struct pairs pairs = { .f = f };
	struct variable_records *records = mem_zero(f->h->variables + 1ull, sizeof(*records));
	must_init(&must, f->h);
	held_init(&held, f->h);
	for (op_id id = 0; id < f->h->ops.len && !finder_is_over(f); id++) {
		const struct op *o = &f->h->ops.at[id];
		const uint32_t *clock = must_step(&must, id);
		const struct index_event *e = finder_event(f, id);
		held_step(&held, id);
		if ((e->kind != EV_READ && e->kind != EV_WRITE && e->kind != EV_RMW) ||
		    is_of_fork(f, id))
			continue;
		uint64_t locks = set_of(&sets, &held, o->thread);
		for (uint32_t i = 0; i < o->accesses; i++) {
			const struct op_access *a = &f->h->accesses.at[o->first_access + i];
			struct record now = { .thread = o->thread,
					      .place = e->loc,
					      .locks = locks,
					      .writes = a->writes,
					      .is_atomic = e->mode != MODE_PLAIN };
			look_at(&pairs, &records[a->variable], &now, id, clock, &sets);
		}
	}
	make_candidates(&pairs);
	for (uint32_t x = 0; x < f->h->variables; x++) {
		for (size_t i = 0; i < records[x].list.len; i++)
			vec_release(&records[x].list.at[i].ops);
		vec_release(&records[x].list);
	}
	for (size_t i = 0; i < sets.sets.len; i++)
		vec_release(&sets.sets.at[i].acquires);
	vec_release(&sets.sets);
	map_release(&sets.number_of);
	mem_free(records);
	must_release(&must);
	held_release(&held);
}
