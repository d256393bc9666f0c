/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All executions of a tiny trace.  Each thread does a prefix of its operations.  A read that sees
 * something else than in the trace lets its thread go no further than to the next operation, or,
 * in a trace with branches, to the next branch: what comes there is not known any more.  In every
 * state that can be reached, what the threads are about to do tells races and deadlocks.
 */
#include "base/hash.h"
#include "base/map.h"
#include "tiny.h"

#define STATES 400000

struct state {
	uint8_t at[TINY_THREADS];	 /* position in the thread */
	uint8_t limit[TINY_THREADS];	 /* that it cannot get to */
	uint8_t content[TINY_VARIABLES]; /* write plus one; 0: initial */
	uint8_t owner[TINY_LOCKS];	 /* thread plus one */
	uint8_t rest[2];
};
_Static_assert(sizeof(struct state) == 16, "states have no gaps");

struct search {
	const struct tiny *t;
	struct tiny_truth *out;
	/* operations of each thread */
	uint8_t own[TINY_THREADS][TINY_OPS], length[TINY_THREADS];
	uint8_t position[TINY_OPS];
	int fork[TINY_THREADS];
	bool is_initial_known[TINY_VARIABLES];
	bool has_branches;
	struct map seen;
};

static const struct tiny_op *next_of(const struct search *s, const struct state *x, uint32_t thread,
				     uint32_t *id)
{
	uint8_t at = x->at[thread];
	if (at >= s->length[thread] || at >= x->limit[thread])
		return NULL;
	*id = s->own[thread][at];
	/* A thread that has not been created is about to do nothing. */
	int fork = s->fork[thread];
	if (fork >= 0 && x->at[s->t->ops[fork].thread] <= s->position[fork])
		return NULL;
	return &s->t->ops[*id];
}

static bool is_done(const struct search *s, const struct state *x, uint32_t id)
{
	return x->at[s->t->ops[id].thread] > s->position[id];
}

/* ---- what can happen ---- */

static bool reads_the_same(const struct search *s, const struct state *x, const struct tiny_op *o)
{
	int content = x->content[o->object] - 1;
	if (content == o->saw)
		return true;
	if (content < 0 && !s->is_initial_known[o->object])
		return false;
	return s->t->has_values && (content < 0 ? 0 : s->t->ops[content].value) == o->value;
}

static uint8_t limit_after(const struct search *s, uint32_t id)
{
	uint32_t thread = s->t->ops[id].thread;
	if (!s->has_branches)
		return (uint8_t)(s->position[id] + 1);
	for (uint8_t p = s->position[id]; p < s->length[thread]; p++)
		if (s->t->ops[s->own[thread][p]].kind == TINY_BRANCH)
			return p;
	return UINT8_MAX;
}

/* The signal that ends a wait; -1: none does. */
static int signal_of(const struct search *s, uint32_t wait)
{
	uint32_t thread = s->t->ops[wait].thread;
	for (uint8_t p = s->position[wait]; p < s->length[thread]; p++)
		if (s->t->ops[s->own[thread][p]].kind == TINY_WAKE)
			return s->t->ops[s->own[thread][p]].saw;
	return -1;
}

static bool step(const struct search *s, struct state *x, const struct tiny_op *o, uint32_t id)
{
	switch (o->kind) {
	case TINY_READ:
		if (!reads_the_same(s, x, o) && limit_after(s, id) < x->limit[o->thread])
			x->limit[o->thread] = limit_after(s, id);
		break;
	case TINY_WRITE:
		x->content[o->object] = (uint8_t)(id + 1);
		break;
	case TINY_ACQUIRE:
		if (x->owner[o->object])
			return false;
		x->owner[o->object] = (uint8_t)(o->thread + 1);
		break;
	case TINY_RELEASE:
		x->owner[o->object] = 0;
		break;
	case TINY_JOIN:
		if (x->at[o->object] < s->length[o->object] ||
		    (s->fork[o->object] >= 0 && !is_done(s, x, (uint32_t)s->fork[o->object])))
			return false;
		break;
	case TINY_WAKE:
		if (!is_done(s, x, (uint32_t)o->saw))
			return false;
		break;
	case TINY_WAIT:
		if (signal_of(s, id) >= 0 && is_done(s, x, (uint32_t)signal_of(s, id)))
			return false;
		break;
	}
	x->at[o->thread]++;
	return true;
}

/* ---- what goes wrong ---- */

static void note_races(const struct search *s, const struct state *x)
{
	for (uint32_t i = 0; i < s->t->threads; i++)
		for (uint32_t k = 0; k < i; k++) {
			uint32_t first, second;
			const struct tiny_op *a = next_of(s, x, i, &first),
					     *b = next_of(s, x, k, &second);
			if (!a || !b || a->kind > TINY_WRITE || b->kind > TINY_WRITE ||
			    a->object != b->object ||
			    (a->kind == TINY_READ && b->kind == TINY_READ))
				continue;
			s->out->races[first] |= 1ull << second;
			s->out->races[second] |= 1ull << first;
		}
}

/* The thread that a thread waits for; TINY_THREADS: none. */
static uint32_t waits_for(const struct search *s, const struct state *x, uint32_t thread,
			  uint32_t *id)
{
	const struct tiny_op *o = next_of(s, x, thread, id);
	if (o && o->kind == TINY_ACQUIRE && x->owner[o->object])
		return x->owner[o->object] - 1u;
	if (o && o->kind == TINY_JOIN && x->at[o->object] < s->length[o->object])
		return o->object;
	return TINY_THREADS;
}

static void note_deadlocks(const struct search *s, const struct state *x)
{
	for (uint32_t i = 0; i < s->t->threads; i++) {
		uint64_t cycle = 0;
		uint32_t at = i, id, n = 0;
		for (; n < s->t->threads; n++) {
			uint32_t next = waits_for(s, x, at, &id);
			if (next == TINY_THREADS)
				break;
			cycle |= 1ull << id;
			at = next;
			if (at == i)
				break;
		}
		if (at != i || !(cycle & (cycle - 1)))
			continue;
		size_t known = 0;
		while (known < s->out->deadlocks.len && s->out->deadlocks.at[known] != cycle)
			known++;
		if (known == s->out->deadlocks.len)
			vec_push(&s->out->deadlocks, cycle);
	}
}

static void explore(struct search *s, const struct state *x)
{
	uint64_t words[2];
	bool is_new;
	memcpy(words, x, sizeof(words));
	map_put(&s->seen, hash_mix(hash_mix(1, words[0]), words[1]), &is_new);
	s->out->is_full |= s->seen.len > STATES;
	if (!is_new || s->out->is_full)
		return;
	note_races(s, x);
	note_deadlocks(s, x);
	for (uint32_t i = 0; i < s->t->threads; i++) {
		uint32_t id;
		struct state next = *x;
		const struct tiny_op *o = next_of(s, x, i, &id);
		if (o && step(s, &next, o, id))
			explore(s, &next);
	}
}

void tiny_truth(const struct tiny *t, struct tiny_truth *out)
{
	struct search s = { .t = t, .out = out };
	struct state first;
	memset(out, 0, sizeof(*out));
	memset(&first, 0, sizeof(first));
	memset(first.limit, 255, sizeof(first.limit));
	for (uint32_t i = 0; i < TINY_THREADS; i++)
		s.fork[i] = -1;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct tiny_op *o = &t->ops[i];
		s.position[i] = s.length[o->thread];
		s.own[o->thread][s.length[o->thread]++] = (uint8_t)i;
		if (o->kind == TINY_FORK)
			s.fork[o->object] = (int)i;
		s.has_branches |= o->kind == TINY_BRANCH;
		if (o->kind == TINY_READ && o->saw < 0)
			s.is_initial_known[o->object] = true;
	}
	explore(&s, &first);
	map_release(&s.seen);
}
