/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depth-first search over states.  A state is which operations have happened, what each variable
 * contains, how far each thread may get at most because of what its reads saw, and which
 * operation must come next because it is to be adjacent.  Executions are closed under prefixes,
 * so the search ends as soon as everything that is asked for has happened.
 *
 * Sets of operations are words of 64 bits, and what an operation needs is worked out once for
 * each question, so that a state costs a few dozen instructions: this is what a million histories
 * take most of their time for.
 */
#include "brute.h"

#include "base/err.h"
#include "base/hash.h"

struct state {
	uint64_t done;			  /* operations that have happened */
	uint8_t limit[BRUTE_THREADS];	  /* 255: none */
	uint8_t content[BRUTE_VARIABLES]; /* operation plus one; 0: initial */
	uint8_t next;			  /* operation plus one that must come now; 0: any */
	uint8_t rest[3];		  /* 0, so that states are words that can be compared */
};
#define STATE_WORDS (sizeof(struct state) / sizeof(uint64_t))
_Static_assert(sizeof(struct state) == STATE_WORDS * sizeof(uint64_t), "states have no gaps");

/* What the question and the history say about each operation. */
struct rules {
	uint64_t before[BRUTE_OPS]; /* must have happened */
	uint64_t after[BRUTE_OPS];  /* must not have happened */
	/* of an acquire: others that exclude it until their release */
	uint64_t rivals[BRUTE_OPS];
	uint64_t partners[BRUTE_OPS]; /* next to it */
	uint64_t threads[BRUTE_THREADS];
	uint64_t wanted, barred; /* must happen, must not */
	/* how far the thread must get: past what is wanted of it, or up to what is pending */
	uint32_t reaches[BRUTE_THREADS];
};

struct search {
	const struct history *h;
	const struct question *q;
	struct rules rules;
	size_t cap, len, limit;
	bool is_full;
};

static uint64_t bit(op_id op)
{
	return 1ull << op;
}

static void add_rule(struct rules *r, op_id before, op_id after)
{
	r->before[after] |= bit(before);
}

static void make_rules(const struct history *h, const struct question *q, struct rules *r)
{
	*r = (struct rules){ 0 };
	ASSERT(h->ops.len <= BRUTE_OPS && h->threads <= BRUTE_THREADS &&
	       h->variables <= BRUTE_VARIABLES);
	for (op_id id = 0; id < h->ops.len; id++) {
		const struct op *o = &h->ops.at[id];
		r->threads[o->thread] |= bit(id);
		for (op_id other = 0; other < h->ops.len && o->kind == OP_ACQUIRE; other++) {
			const struct op *b = &h->ops.at[other];
			if (b->kind == OP_ACQUIRE && b->lock == o->lock &&
			    !(o->is_shared && b->is_shared))
				r->rivals[id] |= bit(other);
		}
	}
	for (size_t i = 0; i < h->causes.len; i++)
		add_rule(r, h->causes.at[i].before, h->causes.at[i].after);
	for (size_t i = 0; i < h->orders.len; i++)
		r->after[h->orders.at[i].before] |= bit(h->orders.at[i].after);
	for (size_t i = 0; i < q->orders.len; i++) {
		add_rule(r, q->orders.at[i].before, q->orders.at[i].after);
		r->wanted |= bit(q->orders.at[i].before) | bit(q->orders.at[i].after);
	}
	for (size_t i = 0; i < q->adjacent.len; i++) {
		op_id x = q->adjacent.at[i].before, y = q->adjacent.at[i].after;
		r->partners[x] |= bit(y);
		r->partners[y] |= bit(x);
		r->wanted |= bit(x) | bit(y);
	}
	for (size_t i = 0; i < q->include.len; i++)
		r->wanted |= bit(q->include.at[i]);
	for (size_t i = 0; i < q->sights.len; i++)
		r->wanted |= bit(q->sights.at[i].read);
	for (size_t i = 0; i < q->pending.len; i++) {
		const struct op *o = &h->ops.at[q->pending.at[i]];
		for (uint32_t p = 0; p < history_length(h, o->thread); p++)
			*(p < o->own ? &r->wanted : &r->barred) |= bit(history_op(h, o->thread, p));
		r->reaches[o->thread] = o->own + 1;
	}
	for (uint64_t rest = r->wanted; rest; rest &= rest - 1) {
		const struct op *o = &h->ops.at[__builtin_ctzll(rest)];
		if (r->reaches[o->thread] <= o->own)
			r->reaches[o->thread] = o->own + 1;
	}
}

static bool lock_is_free(const struct history *h, const struct rules *r, const struct state *s,
			 op_id acquire)
{
	for (uint64_t others = r->rivals[acquire] & s->done; others; others &= others - 1) {
		op_id release = h->ops.at[__builtin_ctzll(others)].match;
		if (release == OP_NONE || !(s->done & bit(release)))
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

/* Perform an operation whose thread is there; false if it cannot happen now. */
static bool step(const struct search *b, struct state *s, op_id id)
{
	const struct history *h = b->h;
	const struct rules *r = &b->rules;
	const struct op *o = &h->ops.at[id];
	if ((s->next && s->next != id + 1) || o->own >= s->limit[o->thread] ||
	    r->before[id] & ~s->done || r->after[id] & s->done || r->barred & bit(id))
		return false;
	if (o->kind == OP_ACQUIRE && !lock_is_free(h, r, s, id))
		return false;
	for (uint32_t i = 0; i < o->accesses; i++) {
		const struct op_access *a = &h->accesses.at[o->first_access + i];
		if (a->reads && !reads_right(h, b->q, s, o, a))
			return false;
	}
	/* It must not happen itself, or what is asked for cannot any more. */
	if (s->limit[o->thread] <= o->own || s->limit[o->thread] < r->reaches[o->thread])
		return false;
	for (uint32_t i = 0; i < o->accesses; i++)
		if (h->accesses.at[o->first_access + i].writes)
			s->content[h->accesses.at[o->first_access + i].variable] =
				(uint8_t)(id + 1);
	s->done |= bit(id);
	uint64_t partners = r->partners[id] & ~s->done;
	s->next = partners ? (uint8_t)(64 - __builtin_clzll(partners)) : 0;
	return true;
}

static bool is_fulfilled(const struct search *b, const struct state *s)
{
	return !(b->rules.wanted & ~s->done) && !s->next;
}

static struct state first_state(void)
{
	struct state s;
	memset(&s, 0, sizeof(s));
	memset(s.limit, 255, sizeof(s.limit));
	return s;
}

/* ---- states that were seen ---- */

struct entry {
	struct state state;
	uint64_t stamp; /* of the question that has seen it */
};

static struct entry *table;
static size_t table_cap;
static uint64_t stamp;

static bool is_equal(const struct state *x, const struct state *y)
{
	return !memcmp(x, y, sizeof(*x));
}

static struct entry *find_entry(size_t cap, const struct state *s)
{
	uint64_t words[STATE_WORDS], hash = 1;
	memcpy(words, s, sizeof(words));
	for (size_t i = 0; i < STATE_WORDS; i++)
		hash = hash_mix(hash, words[i]);
	size_t at = hash & (cap - 1);
	while (table[at].stamp == stamp && !is_equal(&table[at].state, s))
		at = (at + 1) & (cap - 1);
	return &table[at];
}

/* Whether the state is new; remembers it.  The table begins small, so that it stays in the
 * processor's cache. */
static bool is_new(struct search *b, const struct state *s)
{
	struct entry *e = find_entry(b->cap, s);
	if (e->stamp == stamp)
		return false;
	*e = (struct entry){ *s, stamp };
	b->is_full |= ++b->len >= b->limit;
	if (2 * b->len < b->cap)
		return true;
	struct entry *old = mem_alloc(b->cap * sizeof(*old));
	size_t cap = b->cap;
	memcpy(old, table, cap * sizeof(*old));
	uint64_t before = stamp++;
	b->cap *= 2;
	for (size_t i = 0; i < cap; i++)
		if (old[i].stamp == before) {
			e = find_entry(b->cap, &old[i].state);
			*e = (struct entry){ old[i].state, stamp };
		}
	mem_free(old);
	return true;
}

static bool find(struct search *b, const struct state *s)
{
	if (is_fulfilled(b, s))
		return true;
	if (!is_new(b, s) || b->is_full)
		return false;
	for (uint32_t t = 0; t < b->h->threads; t++) {
		struct state next = *s;
		uint64_t rest = b->rules.threads[t] & ~s->done;
		/* Operations have the order of the trace, so the first that has not happened is
		 * the thread's next. */
		if (rest && step(b, &next, (op_id)__builtin_ctzll(rest)) && find(b, &next))
			return true;
	}
	return false;
}

enum verdict brute_ask(const struct history *h, const struct question *q, size_t states)
{
	struct search b = { .h = h, .q = q, .cap = 256, .limit = states };
	struct state s = first_state();
	if (!table_cap) {
		for (table_cap = b.cap; table_cap < 4 * states; table_cap *= 2)
			;
		table = mem_zero(table_cap, sizeof(*table));
	}
	ASSERT(table_cap >= 4 * states);
	stamp++;
	make_rules(h, q, &b.rules);
	bool found = find(&b, &s);
	return found ? VERDICT_FEASIBLE : b.is_full ? VERDICT_UNKNOWN : VERDICT_INFEASIBLE;
}

bool brute_accepts(const struct history *h, const struct question *q, const op_id *sequence,
		   size_t count)
{
	struct search b = { .h = h, .q = q };
	struct state s = first_state();
	make_rules(h, q, &b.rules);
	for (size_t i = 0; i < count; i++) {
		op_id id = sequence[i];
		if (id >= h->ops.len)
			return false;
		uint64_t rest = b.rules.threads[h->ops.at[id].thread] & ~s.done;
		if (!(rest & bit(id)) || rest & (bit(id) - 1) || !step(&b, &s, id))
			return false;
	}
	return is_fulfilled(&b, &s);
}
