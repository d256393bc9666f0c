/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for an order of calls; see linear.h.
 *
 * The next call of an order is one that has begun before the first return among the completed
 * calls that are not in the order yet.  Calls are tried in the order in which they began, and a
 * call that does not give its results in the state is no next one (Wing, Gong: "Testing and
 * verifying concurrent objects", JPDC 1993).  Two beginnings with the same set of calls and the
 * same state have the same continuations, so the second one is not followed (Lowe: "Testing for
 * linearizability", 2017).  Sets and states are compared by two hashes of 64 bits each.
 *
 * The beginnings of a linearizable history are linearizable: an order of the whole, without the
 * calls that begin later, is one of them, if those that have not returned yet count as pending.
 * So the shortest beginning that is not is found by bisection.
 */
#include "commute/linear.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"

struct step {
	uint32_t call, next; /* in the list; the next one to try after it */
};

struct search {
	const struct call_history *history;
	const struct spec_object *object;
	uint32_t moments;
	uint64_t limit;
	struct linear *out;
	VEC(uint32_t) calls; /* of the instance, by beginning */
	VEC(uint8_t) is_in;  /* of these: in the order */
	uint32_t low;	     /* all before it are in the order */
	VEC(struct step) steps;
	VEC(struct model_value) before; /* the state before each of them */
	struct model_state state;
	struct map seen;     /* first hash: second one */
	uint64_t in, in_too; /* of the set of calls in the order, twice */
	size_t left;	     /* completed calls that are not in it */
	bool is_cut;	     /* the model had no room for some call */
};

static const struct history_call *call_at(const struct search *s, uint32_t i)
{
	return &s->history->calls.at[s->calls.at[i]];
}

static bool is_complete(const struct search *s, uint32_t i)
{
	const struct history_call *c = call_at(s, i);
	return c->end != HISTORY_PENDING && c->end < s->moments;
}

/* The first return among completed calls that are not in the order. */
static uint32_t first_return(const struct search *s)
{
	uint32_t first = HISTORY_PENDING;
	for (uint32_t i = s->low; i < s->calls.len && call_at(s, i)->begin < first; i++)
		if (!s->is_in.at[i] && is_complete(s, i) && call_at(s, i)->end < first)
			first = call_at(s, i)->end;
	return first;
}

static void turn(struct search *s, uint32_t i)
{
	s->is_in.at[i] = !s->is_in.at[i];
	s->in ^= hash_mix(1, i);
	s->in_too ^= hash_mix(2, i);
	s->left += is_complete(s, i) ? (s->is_in.at[i] ? (size_t)-1 : 1) : 0;
}

/* Whether the set of calls and the state were there before. */
static bool was_seen(struct search *s)
{
	uint64_t state = model_hash(s->object, &s->state);
	uint64_t key = hash_mix(s->in, state), check = hash_mix(s->in_too, hash_mix(3, state));
	for (uint64_t tries = 0;; tries++) {
		bool is_new;
		uint64_t *slot = map_put(&s->seen, hash_mix(key, tries), &is_new);
		if (is_new)
			*slot = check;
		if (*slot == check)
			return !is_new;
	}
}

/* Whether the call gives its results in the state, which changes then. */
static bool apply(struct search *s, uint32_t i)
{
	const struct history_call *c = call_at(s, i);
	const struct spec_method *m = &s->object->methods.at[c->method];
	struct model_state after = s->state;
	int64_t fields[SPEC_FIELDS_MAX];
	memcpy(fields, c->fields, sizeof(fields));
	enum model_end end = model_call(s->object, m, &after, fields);
	s->is_cut |= end == MODEL_FULL;
	if (end != MODEL_DONE ||
	    (is_complete(s, i) && memcmp(fields, c->fields, m->fields.len * sizeof(*fields)) != 0))
		return false;
	s->state = after;
	return true;
}

static void keep_order(struct search *s)
{
	s->out->order.len = 0;
	for (size_t i = 0; i < s->steps.len; i++)
		vec_push(&s->out->order, s->calls.at[s->steps.at[i].call]);
	s->out->state = s->state;
}

/* Makes the next call of the order, from number `from` on; false: there is none. */
static bool forward(struct search *s, uint32_t from)
{
	while (s->low < s->calls.len && s->is_in.at[s->low])
		s->low++;
	uint32_t until = first_return(s);
	for (uint32_t i = from > s->low ? from : s->low;
	     i < s->calls.len && call_at(s, i)->begin < until; i++) {
		struct model_state before = s->state;
		if (s->is_in.at[i] || !apply(s, i))
			continue;
		turn(s, i);
		if (!was_seen(s)) {
			vec_push(&s->steps, ((struct step){ i, i + 1 }));
			for (size_t v = 0; v < s->object->state.len; v++)
				vec_push(&s->before, before.at[v]);
			return true;
		}
		turn(s, i);
		s->state = before;
	}
	return false;
}

/* Takes the last call out of the order; gives the next one to try in its place. */
static uint32_t back(struct search *s)
{
	struct step last = s->steps.at[--s->steps.len];
	size_t variables = s->object->state.len;
	turn(s, last.call);
	s->before.len -= variables;
	for (size_t v = 0; v < variables; v++)
		s->state.at[v] = s->before.at[s->before.len + v];
	s->low = last.call < s->low ? last.call : s->low;
	return last.next;
}

static enum linear_end search(struct search *s)
{
	uint32_t from = 0;
	keep_order(s);
	while (s->left) {
		if (s->out->states >= s->limit)
			return LINEAR_UNKNOWN;
		if (forward(s, from)) {
			s->out->states++;
			from = 0;
			if (s->steps.len > s->out->order.len)
				keep_order(s);
			continue;
		}
		if (!s->steps.len)
			return s->is_cut ? LINEAR_UNKNOWN : LINEAR_NO;
		from = back(s);
	}
	keep_order(s);
	return LINEAR_YES;
}

void linear_check(const struct call_history *h, uint32_t instance, uint32_t moments, uint64_t limit,
		  struct linear *out)
{
	struct search s = { .history = h,
			    .object = h->instances.at[instance].object,
			    .moments = moments,
			    .limit = limit,
			    .out = out };
	*out = (struct linear){ 0 };
	for (uint32_t i = 0; i < h->calls.len; i++)
		if (h->calls.at[i].instance == instance && h->calls.at[i].begin < moments)
			vec_push(&s.calls, i);
	vec_grow_zeroed(&s.is_in, s.calls.len);
	for (uint32_t i = 0; i < s.calls.len; i++)
		s.left += is_complete(&s, i);
	model_begin(&s.state);
	out->end = search(&s);
	vec_release(&s.calls);
	vec_release(&s.is_in);
	vec_release(&s.steps);
	vec_release(&s.before);
	map_release(&s.seen);
}

uint32_t linear_shortest(const struct call_history *h, uint32_t instance, uint64_t limit)
{
	uint32_t good = 0, bad = h->moments;
	while (bad - good > 1) {
		uint32_t middle = good + (bad - good) / 2;
		struct linear l;
		linear_check(h, instance, middle, limit, &l);
		if (l.end == LINEAR_NO)
			bad = middle;
		else
			good = middle;
		linear_release(&l);
	}
	return bad;
}

void linear_release(struct linear *l)
{
	vec_release(&l->order);
}
