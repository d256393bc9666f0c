// SPDX-License-Identifier: Apache-2.0
/*
 * What finders share: places and keys, orders that must hold, locks held.
 *
 * The orders: a clock for each thread counts how many operations of every thread must have happened.  A cause
 * passes its clock to its effect.  A read owes the clock of the write that it saw, due when its thread gets
 * to what depends on the read; a write of a value that others write, too, is owed by nobody.  So an ordered
 * pair can be left out before the oracle is asked.
 */
#include "predict/finder.h"

#include "base/hash.h"

#define INSTANCES_DEFAULT 6

uint64_t finder_key(enum claim_kind kind, const loc_id *places, size_t count, bool is_unordered)
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

struct candidate *finder_add(struct finder *f, enum claim_kind kind, uint64_t key)
{
	uint64_t *count = map_put(&f->seen, key, NULL);
	f->out->candidates++;
	if (++*count > finder_instances(f))
		return NULL;
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
	struct question q = {0};
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

void finder_tell(const struct finder *f, uint64_t done, uint64_t total, uint64_t found)
{
	if (f->o->tell)
		f->o->tell(f->o->arg, done, total, found);
}

void finder_release(struct finder *f)
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
}

/* ---- orders that must hold ---- */

void must_init(struct must *m, const struct history *h)
{
	*m = (struct must){ .h = h };
	m->clock = mem_zero(h->threads + 1ull, sizeof(*m->clock));
	for (uint32_t t = 0; t < h->threads; t++)
		m->clock[t] = mem_zero(h->threads + 1ull, sizeof(**m->clock));
	m->written = mem_zero(h->variables + 1ull, sizeof(*m->written));
	m->snapshot = mem_zero(h->ops.len + 1, sizeof(*m->snapshot));
	m->threads = mem_zero(h->threads + 1ull, sizeof(*m->threads));
	for (size_t i = 0; i < h->causes.len; i++)
		if (!m->snapshot[h->causes.at[i].before])
			m->snapshot[h->causes.at[i].before] = mem_zero(h->threads, sizeof(**m->snapshot));
}

void must_release(struct must *m)
{
	for (uint32_t t = 0; t < m->h->threads; t++) {
		mem_free(m->clock[t]);
		for (size_t i = 0; i < m->threads[t].debts.len; i++)
			mem_free(m->threads[t].debts.at[i].clock);
		vec_release(&m->threads[t].debts);
	}
	for (uint32_t x = 0; x < m->h->variables; x++)
		mem_free(m->written[x]);
	for (size_t i = 0; i < m->h->ops.len; i++)
		mem_free(m->snapshot[i]);
	mem_free(m->clock);
	mem_free(m->written);
	mem_free(m->snapshot);
	mem_free(m->threads);
	*m = (struct must){0};
}

static void join(const struct must *m, uint32_t *to, const uint32_t *from)
{
	for (uint32_t t = 0; t < m->h->threads; t++)
		if (to[t] < from[t])
			to[t] = from[t];
}

static uint32_t *copy_of(const struct must *m, uint32_t *to, const uint32_t *from)
{
	if (!to)
		to = mem_alloc(m->h->threads * sizeof(*to));
	memcpy(to, from, m->h->threads * sizeof(*to));
	return to;
}

static void pay_debts(struct must *m, const struct op *o, uint32_t *clock)
{
	size_t kept = 0;
	for (size_t i = 0; i < m->threads[o->thread].debts.len; i++) {
		struct must_debt *d = &m->threads[o->thread].debts.at[i];
		if (d->guard > o->own) {
			m->threads[o->thread].debts.at[kept++] = *d;
			continue;
		}
		join(m, clock, d->clock);
		mem_free(d->clock);
	}
	m->threads[o->thread].debts.len = kept;
}

static void owe(struct must *m, const struct op *o, const struct op_access *a)
{
	const struct op *w = a->seen == OP_NONE ? NULL : &m->h->ops.at[a->seen];
	if (!w || w->thread == o->thread || o->guard == GUARD_NEVER || a->has_twin ||
	    !m->written[a->variable])
		return;
	struct must_debt d = { o->guard, copy_of(m, NULL, m->written[a->variable]) };
	vec_push(&m->threads[o->thread].debts, d);
}

const uint32_t *must_step(struct must *m, op_id op)
{
	const struct op *o = &m->h->ops.at[op];
	uint32_t *clock = m->clock[o->thread];
	pay_debts(m, o, clock);
	for (uint32_t i = 0; i < o->causes; i++)
		join(m, clock, m->snapshot[m->h->causes.at[o->first_cause + i].before]);
	for (uint32_t i = 0; i < o->accesses; i++)
		if (m->h->accesses.at[o->first_access + i].reads)
			owe(m, o, &m->h->accesses.at[o->first_access + i]);
	clock[o->thread] = o->own + 1;
	for (uint32_t i = 0; i < o->accesses; i++) {
		const struct op_access *a = &m->h->accesses.at[o->first_access + i];
		if (a->writes)
			m->written[a->variable] = copy_of(m, m->written[a->variable], clock);
	}
	if (m->snapshot[op])
		copy_of(m, m->snapshot[op], clock);
	return clock;
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
	*l = (struct held){0};
}

void held_step(struct held *l, op_id op)
{
	const struct op *o = &l->h->ops.at[op];
	if (o->kind == OP_ACQUIRE)
		vec_push(&l->threads[o->thread].acquires, op);
	size_t kept = 0;
	for (size_t i = 0; o->kind == OP_RELEASE && i < l->threads[o->thread].acquires.len; i++)
		if (l->threads[o->thread].acquires.at[i] != o->match)
			l->threads[o->thread].acquires.at[kept++] = l->threads[o->thread].acquires.at[i];
	if (o->kind == OP_RELEASE)
		l->threads[o->thread].acquires.len = kept;
}
