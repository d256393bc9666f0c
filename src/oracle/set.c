/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closing a set (algorithm 1 of SeqCheck, without its heuristics for locks: closure.c derives
 * them from the order graph).  Everything that is added is necessary: every execution that
 * satisfies the question has done it.  Each operation is added once.  A read is checked again
 * whenever its thread advances, until it is frozen.
 */
#include "oracle/set.h"

#include "base/stop.h"
#include "wire/fault.h"

uint32_t question_guard(const struct question *q, const struct history *h, op_id op)
{
	for (size_t i = 0; i < q->loose.len; i++)
		if (q->loose.at[i] == op)
			return GUARD_NEVER;
	return h->ops.at[op].guard;
}

const struct question_sight *question_sight(const struct question *q, op_id read, uint32_t variable)
{
	for (size_t i = 0; i < q->sights.len; i++)
		if (q->sights.at[i].read == read && q->sights.at[i].variable == variable)
			return &q->sights.at[i];
	return NULL;
}

bool op_set_want(struct op_set *s, op_id op)
{
	const struct op *o = &s->h->ops.at[op];
	if (o->own >= s->ceiling[o->thread])
		return s->is_optional;
	if (s->wanted[o->thread] <= o->own)
		s->wanted[o->thread] = o->own + 1;
	return true;
}

/*
 * If a read must see another value than it saw, its thread does not reach the operations that
 * depend on it.
 */
static bool limit_by_sight(struct op_set *s, const struct question_sight *sight)
{
	const struct op *o = &s->h->ops.at[sight->read];
	const struct op_access *a = history_access(s->h, sight->read, sight->variable);
	if (!a || !a->reads)
		return false;
	uint64_t value = sight->value;
	bool is_same = sight->by_value ? value == a->value : sight->write == a->seen;
	if (!is_same && !sight->by_value && s->q->same_values && s->h->has_values &&
	    history_value_of(s->h, sight->write, sight->variable, &value))
		is_same = value == a->value;
	uint32_t guard = question_guard(s->q, s->h, sight->read);
	if (!is_same && guard < s->ceiling[o->thread]) {
		if (!FAULT(CHANGED_READ_SETS_NO_CEILING))
			s->ceiling[o->thread] = guard;
	}
	return is_same || guard >= s->reached[o->thread];
}

bool op_set_init(struct op_set *s, const struct history *h, const struct question *q)
{
	*s = (struct op_set){ .h = h, .q = q };
	s->done = mem_zero(h->threads + 1ull, sizeof(*s->done));
	s->wanted = mem_zero(h->threads + 1ull, sizeof(*s->wanted));
	s->reached = mem_zero(h->threads + 1ull, sizeof(*s->reached));
	s->ceiling = mem_zero(h->threads + 1ull, sizeof(*s->ceiling));
	s->unfrozen = mem_zero(h->threads + 1ull, sizeof(*s->unfrozen));
	bool fits = true;
	for (uint32_t t = 0; t < h->threads; t++)
		s->ceiling[t] = history_length(h, t);
	for (size_t i = 0; i < q->pending.len; i++) {
		const struct op *o = &h->ops.at[q->pending.at[i]];
		s->ceiling[o->thread] = s->wanted[o->thread] = o->own;
		s->reached[o->thread] = o->own + 1;
	}
	for (size_t i = 0; i < q->sights.len; i++)
		fits &= limit_by_sight(s, &q->sights.at[i]);
	for (size_t i = 0; i < q->sights.len; i++) {
		const struct question_sight *v = &q->sights.at[i];
		fits &= op_set_want(s, v->read) &&
			(v->by_value || v->write == OP_NONE || op_set_want(s, v->write));
	}
	for (size_t i = 0; i < q->include.len; i++)
		fits &= op_set_want(s, q->include.at[i]);
	for (size_t i = 0; i < q->orders.len; i++)
		fits &= q->orders.at[i].before != q->orders.at[i].after &&
			op_set_want(s, q->orders.at[i].before) &&
			op_set_want(s, q->orders.at[i].after);
	for (size_t i = 0; i < q->adjacent.len; i++)
		fits &= op_set_want(s, q->adjacent.at[i].before) &&
			op_set_want(s, q->adjacent.at[i].after);
	for (uint32_t t = 0; t < h->threads; t++)
		fits &= s->wanted[t] <= s->ceiling[t];
	return fits;
}

void op_set_release(struct op_set *s)
{
	for (uint32_t t = 0; s->unfrozen && t < s->h->threads; t++)
		vec_release(&s->unfrozen[t].open);
	vec_release(&s->choices);
	mem_free(s->done);
	mem_free(s->wanted);
	mem_free(s->reached);
	mem_free(s->ceiling);
	mem_free(s->unfrozen);
	*s = (struct op_set){ 0 };
}

static const struct op_choice *choice_of(const struct op_set *s, const struct op_access *a)
{
	for (size_t i = 0; i < s->choices.len; i++)
		if (s->choices.at[i].read == a->op && s->choices.at[i].variable == a->variable)
			return &s->choices.at[i];
	return NULL;
}

/*
 * Whether the read must see a value (required, or the one that it saw) that several writes may have
 * written.
 */
static bool must_see_value(const struct op_set *s, const struct op_access *a,
			   const struct question_sight *sight)
{
	if (sight)
		return sight->by_value;
	return a->has_twin && s->q->same_values &&
	       question_guard(s->q, s->h, a->op) < s->reached[s->h->ops.at[a->op].thread];
}

bool op_set_may_choose(const struct op_set *s, const struct op_access *a)
{
	return s->has_choice && must_see_value(s, a, question_sight(s->q, a->op, a->variable)) &&
	       !choice_of(s, a);
}

bool op_set_is_bound(const struct op_set *s, const struct op_access *a, op_id *write)
{
	const struct question_sight *sight = question_sight(s->q, a->op, a->variable);
	*write = sight && !sight->by_value ? sight->write : a->seen;
	if (must_see_value(s, a, sight)) {
		const struct op_choice *choice = choice_of(s, a);
		if (choice)
			*write = choice->write;
		return choice || (!s->has_choice && (!sight || sight->value == a->value));
	}
	return sight || question_guard(s->q, s->h, a->op) < s->reached[s->h->ops.at[a->op].thread];
}

/* The source of a frozen read must be in the set. */
static bool freeze(struct op_set *s, op_id read)
{
	const struct op *o = &s->h->ops.at[read];
	for (uint32_t i = 0; i < o->accesses; i++) {
		const struct op_access *a = &s->h->accesses.at[o->first_access + i];
		op_id write;
		if (!a->reads)
			continue;
		bool by_value = must_see_value(s, a, question_sight(s->q, a->op, a->variable));
		s->has_twins |= by_value && !choice_of(s, a);
		bool is_bound = op_set_is_bound(s, a, &write) && write != OP_NONE;
		if (FAULT(SET_WITHOUT_SOURCES))
			is_bound = false;
		if (is_bound && !op_set_want(s, write))
			return false;
	}
	return true;
}

static bool freeze_reached(struct op_set *s, uint32_t thread)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->unfrozen[thread].open.len; i++) {
		op_id read = s->unfrozen[thread].open.at[i];
		if (question_guard(s->q, s->h, read) >= s->reached[thread])
			s->unfrozen[thread].open.at[kept++] = read;
		else if (!freeze(s, read))
			return false;
	}
	s->unfrozen[thread].open.len = kept;
	return true;
}

static bool advance(struct op_set *s, uint32_t thread)
{
	while (s->done[thread] < s->wanted[thread]) {
		op_id id = history_op(s->h, thread, s->done[thread]++);
		const struct op *o = &s->h->ops.at[id];
		for (uint32_t i = 0; i < o->causes; i++) {
			if (FAULT(SET_WITHOUT_CAUSES))
				break;
			if (!op_set_want(s, s->h->causes.at[o->first_cause + i].before))
				return false;
		}
		if (o->kind == OP_ACCESS)
			vec_push(&s->unfrozen[thread].open, id);
		if (s->reached[thread] < s->done[thread])
			s->reached[thread] = s->done[thread];
		if (s->unfrozen[thread].open.len && !freeze_reached(s, thread))
			return false;
	}
	return freeze_reached(s, thread);
}

bool op_set_close(struct op_set *s)
{
	for (bool grew = true; grew;) {
		grew = false;
		for (uint32_t t = 0; t < s->h->threads; t++) {
			if (s->done[t] >= s->wanted[t])
				continue;
			grew = true;
			if (!advance(s, t))
				return false;
		}
	}
	return true;
}

uint64_t op_set_size(const struct op_set *s)
{
	uint64_t size = 0;
	for (uint32_t t = 0; t < s->h->threads; t++)
		size += s->done[t];
	return size;
}

/* ---- bounds for the solver ---- */

bool op_set_smallest(struct op_set *s, const struct history *h, const struct question *q)
{
	bool fits = op_set_init(s, h, q);
	s->has_choice = true;
	return fits && op_set_close(s);
}

/* Add the writes that a read with a choice may see. */
static void want_choices(struct op_set *s, const struct op_access *a)
{
	const struct question_sight *sight = question_sight(s->q, a->op, a->variable);
	bool by_value = sight && sight->by_value;
	if (!a->reads || !(by_value || (s->q->same_values && a->has_twin)))
		return;
	uint64_t value = by_value ? sight->value : a->value;
	for (uint32_t i = s->h->writers[a->variable]; i < s->h->writers[a->variable + 1]; i++) {
		const struct history_run *run = &s->h->runs.at[i];
		for (uint32_t k = 0; k < run->count; k++) {
			op_id w = history_op(s->h, run->thread, s->h->positions.at[run->first + k]);
			if (history_access(s->h, w, a->variable)->written == value)
				op_set_want(s, w);
		}
	}
}

/*
 * The smallest set, with the releases of all sections that it begins and the writes that its
 * reads may choose, and everything that those need, to a fixed point.  An execution of any other
 * set, restricted to this one, is an execution: each of its reads still sees the same write, and
 * no section that was closed is open.  So no operation outside is needed.
 */
bool op_set_largest(struct op_set *s, const struct history *h, const struct question *q,
		    uint64_t limit)
{
	uint32_t rounds = 0;
	uint32_t *looked = mem_zero(h->threads + 1ull, sizeof(*looked));
	bool fits = op_set_init(s, h, q);
	s->is_optional = true;
	for (bool grew = true; fits && grew && !s->is_cut_off;) {
		fits = op_set_close(s);
		grew = false;
		s->is_cut_off = op_set_size(s) > limit;
		for (uint32_t t = 0; t < h->threads && !s->is_cut_off; t++)
			for (; looked[t] < s->done[t] && !s->is_cut_off; looked[t]++) {
				const struct op *o = &h->ops.at[history_op(h, t, looked[t])];
				if (o->kind == OP_ACQUIRE && o->match != OP_NONE) {
					if (!FAULT(LARGEST_SET_WITHOUT_RELEASES))
						op_set_want(s, o->match);
				}
				for (uint32_t i = 0; i < o->accesses; i++)
					want_choices(s, &h->accesses.at[o->first_access + i]);
				grew = true;
				s->is_cut_off = stop_is_requested_sampled(&rounds);
			}
	}
	mem_free(looked);
	return fits;
}
