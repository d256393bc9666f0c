// SPDX-License-Identifier: Apache-2.0
/*
 * Candidates for races.  For each variable the last access of each thread, place and set of locks is
 * remembered; a new access is paired with those of other threads that it conflicts with, unless both are
 * atomic, a lock excludes them, or they are ordered in every execution.  So the work grows with the number of
 * accesses and different places, not with their square.
 */
#include "base/hash.h"
#include "predict/finder.h"

#define RECORDS_MAX 256		/* of one variable */

struct record {
	uint32_t thread;
	loc_id place;
	uint64_t locks;		/* hash of what is held */
	op_id op;
	bool writes, is_atomic;
};

struct variable_records {
	VEC(struct record) list;
};

/* Locks held at an access, as a list for each different set. */
struct lock_sets {
	struct map number_of;		/* hash to number */
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
	struct candidate *c = finder_add(f, CLAIM_RACE, finder_key(CLAIM_RACE, places, 2, true));
	if (!c)
		return NULL;
	c->distance = first < second ? second - first : first - second;
	vec_push(&c->ops, first);
	vec_push(&c->ops, second);
	return c;
}

/* A read by libc that may stop before it gets there (calls.c): right before the other access, or right after
 * it. */
static void pair_up_call(struct finder *f, op_id read, op_id other)
{
	struct call call = call_of(f, read);
	const struct op *o = &f->h->ops.at[other];
	op_id first = history_op(f->h, call.thread, call.first);
	if (call.end == history_length(f->h, call.thread))
		return;
	op_id next = history_op(f->h, call.thread, call.end);
	struct candidate *c = add(f, read, other);
	if (!c)
		return;
	vec_push(&c->pending, next);
	vec_push(&c->pending, other);
	if (o->own)
		vec_push(&c->orders, ((struct op_order){ history_op(f->h, o->thread, o->own - 1), first }));
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
		if (!c)
			return;
		vec_push(&c->pending, old);
		vec_push(&c->pending, now);
	}
}

static void look_at(struct finder *f, struct variable_records *v, const struct record *now,
		    const uint32_t *clock, const struct lock_sets *sets)
{
	struct record *same = NULL;
	for (size_t i = 0; i < v->list.len; i++) {
		struct record *r = &v->list.at[i];
		if (r->thread == now->thread) {
			if (r->place == now->place && r->locks == now->locks && r->writes == now->writes)
				same = r;
			continue;
		}
		bool is_ordered = f->h->ops.at[r->op].own < clock[r->thread];
		if ((r->writes || now->writes) && !(r->is_atomic && now->is_atomic) && !is_ordered &&
		    r->op != now->op && !is_excluded(f->h, sets, r->locks, now->locks))
			pair_up(f, r->op, now->op);
	}
	if (same)
		same->op = now->op;
	else if (v->list.len < RECORDS_MAX)
		vec_push(&v->list, *now);
}

/* pthread_create stores the thread's name before the thread runs, whatever the order of their events. */
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
	struct lock_sets sets = {0};
	struct variable_records *records = mem_zero(f->h->variables + 1ull, sizeof(*records));
	must_init(&must, f->h);
	held_init(&held, f->h);
	for (op_id id = 0; id < f->h->ops.len; id++) {
		const struct op *o = &f->h->ops.at[id];
		const uint32_t *clock = must_step(&must, id);
		const struct index_event *e = finder_event(f, id);
		held_step(&held, id);
		if ((e->kind != EV_READ && e->kind != EV_WRITE && e->kind != EV_RMW) || is_of_fork(f, id))
			continue;
		uint64_t locks = set_of(&sets, &held, o->thread);
		for (uint32_t i = 0; i < o->accesses; i++) {
			const struct op_access *a = &f->h->accesses.at[o->first_access + i];
			struct record now = {
				o->thread, e->loc, locks, id, a->writes, e->mode != MODE_PLAIN
			};
			look_at(f, &records[a->variable], &now, clock, &sets);
		}
	}
	for (uint32_t x = 0; x < f->h->variables; x++)
		vec_release(&records[x].list);
	for (size_t i = 0; i < sets.sets.len; i++)
		vec_release(&sets.sets.at[i].acquires);
	vec_release(&sets.sets);
	map_release(&sets.number_of);
	mem_free(records);
	must_release(&must);
	held_release(&held);
}
