/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The witness checker: executes a sequence of operations one by one on an abstract state (the
 * content of each variable, the holders of each lock, the position of each thread) and reports
 * the first impossible one. It is the definition in question.h as a program.  It uses no code of
 * the engines (sets, graphs, closures), so that an error of an engine cannot hide here.
 */
#include "base/map.h"
#include "wire/fault.h"
#include "oracle/question.h"

struct lock_state {
	uint32_t holders;
	bool is_alone;
};

struct run {
	const struct history *h;
	const struct question *q;
	uint32_t *done;	   /* by thread: number of operations done */
	uint32_t *barrier; /* by thread: position that it cannot pass, because of a read */
	op_id *content;	   /* by variable: the last write */
	struct lock_state *locks;
	uint32_t *place; /* by operation: position in the sequence plus 1; 0: has not happened */
};

static bool is_loose(const struct question *q, op_id op)
{
	for (size_t i = 0; i < q->loose.len; i++)
		if (q->loose.at[i] == op)
			return true;
	return false;
}

static const struct question_sight *sight_of(const struct question *q, op_id op, uint32_t variable)
{
	for (size_t i = 0; i < q->sights.len; i++)
		if (q->sights.at[i].read == op && q->sights.at[i].variable == variable)
			return &q->sights.at[i];
	return NULL;
}

static const char *read_variable(struct run *r, const struct op *o, const struct op_access *a)
{
	op_id saw = r->content[a->variable];
	bool is_same = saw == a->seen;
	if (FAULT(CHECKER_IGNORES_SOURCES))
		is_same = true;
	uint64_t value;
	if (!is_same && r->q->same_values && r->h->has_values &&
	    history_value_of(r->h, saw, a->variable, &value))
		is_same = value == a->value;
	const struct question_sight *s = sight_of(r->q, a->op, a->variable);
	if (s && !s->by_value && saw != s->write)
		return "a read sees another write than is required";
	if (s && s->by_value &&
	    !(history_value_of(r->h, saw, a->variable, &value) && value == s->value))
		return "a read sees another value than is required";
	is_same |= s && s->by_value && s->value == a->value;
	if (!is_same && !is_loose(r->q, a->op) && o->guard < r->barrier[o->thread])
		r->barrier[o->thread] = o->guard;
	return NULL;
}

static const char *perform_access(struct run *r, op_id id, const struct op *o)
{
	for (uint32_t i = 0; i < o->accesses; i++) {
		const struct op_access *a = &r->h->accesses.at[o->first_access + i];
		const char *flaw = a->reads ? read_variable(r, o, a) : NULL;
		if (flaw)
			return flaw;
	}
	/* An rmw whose result would differ must not happen. */
	if (r->barrier[o->thread] <= o->own)
		return "a thread does an operation that depends on a read that saw something else";
	for (uint32_t i = 0; i < o->accesses; i++) {
		const struct op_access *a = &r->h->accesses.at[o->first_access + i];
		if (a->writes)
			r->content[a->variable] = id;
	}
	return NULL;
}

static const char *perform_lock(struct run *r, const struct op *o)
{
	struct lock_state *l = &r->locks[o->lock];
	if (o->kind == OP_RELEASE) {
		if (!l->holders || o->match == OP_NONE || !r->place[o->match])
			return "a thread releases a lock that it does not hold";
		l->holders--;
		return NULL;
	}
	bool is_held = l->holders && (l->is_alone || !o->is_shared);
	if (FAULT(CHECKER_IGNORES_HOLDERS))
		is_held = false;
	if (is_held)
		return "a thread acquires a lock that is held";
	l->holders++;
	l->is_alone = !o->is_shared;
	return NULL;
}

static const char *perform(struct run *r, op_id id, uint32_t place)
{
	if (id >= r->h->ops.len)
		return "there is no such operation";
	const struct op *o = &r->h->ops.at[id];
	if (r->done[o->thread] != o->own)
		return "a thread does not do its operations in their order";
	if (r->barrier[o->thread] <= o->own)
		return "a thread does an operation that depends on a read that saw something else";
	for (uint32_t i = 0; i < o->causes; i++) {
		if (FAULT(CHECKER_IGNORES_CAUSES))
			break;
		if (!r->place[r->h->causes.at[o->first_cause + i].before])
			return "an operation comes before its cause";
	}
	const char *flaw = NULL;
	if (o->kind == OP_ACCESS)
		flaw = perform_access(r, id, o);
	else if (o->kind == OP_ACQUIRE || o->kind == OP_RELEASE)
		flaw = perform_lock(r, o);
	r->done[o->thread]++;
	r->place[id] = place;
	return flaw;
}

static const char *check_demands(const struct run *r)
{
	const struct question *q = r->q;
	for (size_t i = 0; i < r->h->orders.len; i++) {
		const struct op_order *o = &r->h->orders.at[i];
		if (FAULT(CHECKER_IGNORES_ORDERS))
			break;
		if (r->place[o->before] && r->place[o->after] &&
		    r->place[o->before] > r->place[o->after])
			return "two operations happen in the wrong order";
	}
	for (size_t i = 0; i < q->include.len; i++)
		if (!r->place[q->include.at[i]])
			return "a required operation does not happen";
	for (size_t i = 0; i < q->orders.len; i++) {
		uint32_t before = r->place[q->orders.at[i].before],
			 after = r->place[q->orders.at[i].after];
		if (!before || !after || before >= after)
			return "a required order does not hold";
	}
	for (size_t i = 0; i < q->adjacent.len; i++) {
		uint32_t x = r->place[q->adjacent.at[i].before],
			 y = r->place[q->adjacent.at[i].after];
		if (!x || !y || (x > y ? x - y : y - x) != 1)
			return "two operations that must be adjacent are not";
	}
	for (size_t i = 0; i < q->sights.len; i++)
		if (!r->place[q->sights.at[i].read])
			return "a required read does not happen";
	for (size_t i = 0; i < q->pending.len; i++) {
		const struct op *o = &r->h->ops.at[q->pending.at[i]];
		if (r->done[o->thread] != o->own)
			return "a thread is not at its pending operation";
		if (FAULT(CHECKER_IGNORES_PENDING_READS))
			continue;
		if (r->barrier[o->thread] <= o->own)
			return "a pending operation depends on a read that saw something else";
	}
	return NULL;
}

const char *witness_flaw(const struct history *h, const struct question *q, const op_id *sequence,
			 size_t count)
{
	return witness_flaw_after(h, q, 0, sequence, count);
}

const char *witness_flaw_after(const struct history *h, const struct question *q, op_id prefix,
			       const op_id *sequence, size_t count)
{
	struct run r = { .h = h, .q = q };
	const char *flaw = NULL;
	r.done = mem_zero(h->threads + 1ull, sizeof(*r.done));
	r.barrier = mem_alloc((h->threads + 1ull) * sizeof(*r.barrier));
	for (uint32_t t = 0; t < h->threads; t++)
		r.barrier[t] = GUARD_NEVER;
	r.content = mem_alloc((h->variables + 1ull) * sizeof(*r.content));
	for (uint32_t x = 0; x < h->variables; x++)
		r.content[x] = OP_NONE;
	r.locks = mem_zero(h->locks + 1ull, sizeof(*r.locks));
	r.place = mem_zero(h->ops.len + 1, sizeof(*r.place));
	for (op_id i = 0; i < prefix && !flaw; i++)
		flaw = perform(&r, i, i + 1);
	for (size_t i = 0; i < count && !flaw; i++)
		flaw = perform(&r, sequence[i], prefix + (uint32_t)i + 1);
	if (!flaw)
		flaw = check_demands(&r);
	mem_free(r.done);
	mem_free(r.barrier);
	mem_free(r.content);
	mem_free(r.locks);
	mem_free(r.place);
	return flaw;
}
