// SPDX-License-Identifier: Apache-2.0
/*
 * Depth-first search over states.  A state is how far each thread is, what each variable contains, how far
 * each thread may get at most because of what its reads saw, and which operation must come next because it is
 * to be adjacent.  Who holds which lock follows from how far the threads are.  Executions are closed under
 * prefixes, so the search ends as soon as everything that is asked for has happened.
 */
#include "brute.h"

#include "base/err.h"
#include "base/hash.h"

struct state {
	uint8_t at[BRUTE_THREADS];
	uint8_t limit[BRUTE_THREADS];		/* 255: none */
	uint8_t content[BRUTE_VARIABLES];	/* operation plus one; 0: initial */
	uint8_t next;				/* operation plus one that must come now; 0: any */
};

struct search {
	const struct history *h;
	const struct question *q;
	struct state *seen;
	bool *used;
	size_t cap, len, limit;
	bool is_full;
};

static bool happened(const struct history *h, const struct state *s, op_id op)
{
	return s->at[h->ops.at[op].thread] > h->ops.at[op].own;
}

static bool lock_is_free(const struct history *h, const struct state *s, op_id acquire)
{
	const struct op *a = &h->ops.at[acquire];
	for (op_id id = 0; id < h->ops.len; id++) {
		const struct op *b = &h->ops.at[id];
		if (b->kind != OP_ACQUIRE || b->lock != a->lock || !happened(h, s, id))
			continue;
		bool is_over = b->match != OP_NONE && happened(h, s, b->match);
		if (!is_over && !(a->is_shared && b->is_shared))
			return false;
	}
	return true;
}

static bool reads_right(const struct history *h, const struct question *q, struct state *s,
			const struct op *o, const struct op_access *a)
{
	op_id saw = s->content[a->variable] ? (op_id)(s->content[a->variable] - 1) : OP_NONE;
	uint64_t value = 0;
	bool is_known = h->has_values && history_value_of(h, saw, a->variable, &value);
	for (size_t i = 0; i < q->sights.len; i++) {
		const struct question_sight *w = &q->sights.at[i];
		if (w->read != a->op || w->variable != a->variable)
			continue;
		if (w->by_value ? !is_known || value != w->value : saw != w->write)
			return false;
		if (w->by_value && w->value == a->value)
			return true;
	}
	if (saw == a->seen || (q->same_values && is_known && value == a->value))
		return true;
	for (size_t i = 0; i < q->loose.len; i++)
		if (q->loose.at[i] == a->op)
			return true;
	if (o->guard < s->limit[o->thread])
		s->limit[o->thread] = (uint8_t)o->guard;
	return true;
}

/* Perform an operation; false if it cannot happen now. */
static bool step(const struct history *h, const struct question *q, struct state *s, op_id id)
{
	const struct op *o = &h->ops.at[id];
	if (s->at[o->thread] != o->own || (s->next && s->next != id + 1) || o->own >= s->limit[o->thread])
		return false;
	for (size_t i = 0; i < h->causes.len; i++)
		if (h->causes.at[i].after == id && !happened(h, s, h->causes.at[i].before))
			return false;
	for (size_t i = 0; i < h->orders.len; i++)
		if (h->orders.at[i].before == id && happened(h, s, h->orders.at[i].after))
			return false;
	for (size_t i = 0; i < q->orders.len; i++)
		if (q->orders.at[i].after == id && !happened(h, s, q->orders.at[i].before))
			return false;
	for (size_t i = 0; i < q->pending.len; i++)
		if (h->ops.at[q->pending.at[i]].thread == o->thread &&
		    o->own >= h->ops.at[q->pending.at[i]].own)
			return false;
	if (o->kind == OP_ACQUIRE && !lock_is_free(h, s, id))
		return false;
	for (uint32_t i = 0; i < o->accesses; i++) {
		const struct op_access *a = &h->accesses.at[o->first_access + i];
		if (a->reads && !reads_right(h, q, s, o, a))
			return false;
	}
	if (s->limit[o->thread] <= o->own)
		return false;
	for (uint32_t i = 0; i < o->accesses; i++)
		if (h->accesses.at[o->first_access + i].writes)
			s->content[h->accesses.at[o->first_access + i].variable] = (uint8_t)(id + 1);
	s->at[o->thread]++;
	s->next = 0;
	for (size_t i = 0; i < q->adjacent.len; i++) {
		op_id x = q->adjacent.at[i].before, y = q->adjacent.at[i].after;
		op_id other = x == id ? y : y == id ? x : OP_NONE;
		if (other != OP_NONE && !happened(h, s, other))
			s->next = (uint8_t)(other + 1);
	}
	return true;
}

static bool is_fulfilled(const struct history *h, const struct question *q, const struct state *s)
{
	for (size_t i = 0; i < q->include.len; i++)
		if (!happened(h, s, q->include.at[i]))
			return false;
	for (size_t i = 0; i < q->orders.len; i++)
		if (!happened(h, s, q->orders.at[i].before) || !happened(h, s, q->orders.at[i].after))
			return false;
	for (size_t i = 0; i < q->adjacent.len; i++)
		if (!happened(h, s, q->adjacent.at[i].before) || !happened(h, s, q->adjacent.at[i].after))
			return false;
	for (size_t i = 0; i < q->sights.len; i++)
		if (!happened(h, s, q->sights.at[i].read))
			return false;
	for (size_t i = 0; i < q->pending.len; i++) {
		const struct op *o = &h->ops.at[q->pending.at[i]];
		if (s->at[o->thread] != o->own || s->limit[o->thread] <= o->own)
			return false;
	}
	return !s->next;
}

static struct state first_state(const struct history *h)
{
	struct state s;
	ASSERT(h->ops.len <= BRUTE_OPS && h->threads <= BRUTE_THREADS && h->variables <= BRUTE_VARIABLES);
	memset(&s, 0, sizeof(s));
	memset(s.limit, 255, sizeof(s.limit));
	return s;
}

/* Whether the state is new; remembers it. */
static bool is_new(struct search *b, const struct state *s)
{
	size_t at = hash_bytes(1, s, sizeof(*s)) & (b->cap - 1);
	for (; b->used[at]; at = (at + 1) & (b->cap - 1))
		if (!memcmp(&b->seen[at], s, sizeof(*s)))
			return false;
	b->used[at] = true;
	b->seen[at] = *s;
	b->is_full |= ++b->len >= b->limit;
	return true;
}

static bool find(struct search *b, const struct state *s)
{
	if (is_fulfilled(b->h, b->q, s))
		return true;
	if (!is_new(b, s) || b->is_full)
		return false;
	for (uint32_t t = 0; t < b->h->threads; t++) {
		struct state next = *s;
		if (s->at[t] < history_length(b->h, t) &&
		    step(b->h, b->q, &next, history_op(b->h, t, s->at[t])) && find(b, &next))
			return true;
	}
	return false;
}

enum verdict brute_ask(const struct history *h, const struct question *q, size_t states)
{
	static struct state *seen;
	static bool *used;
	static size_t cap;
	if (!cap) {
		while (cap < 2 * states + 2)
			cap = cap ? 2 * cap : 64;
		seen = mem_zero(cap, sizeof(*seen));
		used = mem_zero(cap, sizeof(*used));
	}
	memset(used, 0, cap * sizeof(*used));
	struct search b = { .h = h, .q = q, .seen = seen, .used = used, .cap = cap, .limit = states };
	struct state s = first_state(h);
	bool found = find(&b, &s);
	return found ? VERDICT_FEASIBLE : b.is_full ? VERDICT_UNKNOWN : VERDICT_INFEASIBLE;
}

bool brute_accepts(const struct history *h, const struct question *q, const op_id *sequence, size_t count)
{
	struct state s = first_state(h);
	for (size_t i = 0; i < count; i++)
		if (sequence[i] >= h->ops.len || !step(h, q, &s, sequence[i]))
			return false;
	return is_fulfilled(h, q, &s);
}
