/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serial orders to compare with; see serial.h.
 *
 * The unit of the first thread begins with its first access, or with the critical section around
 * it if that ends before the second access, and ends with the second access and its section.  The
 * unit of the other one is the intruder with its section, and the read of the variable right
 * before it if it has one, or the write right after it if the intruder reads.  If the trace has
 * no such write, a run may have one, so the thread continues as far as it can.  Both serial orders
 * are made of the witness: what is before the units stays, then comes one unit after the other,
 * with only these two threads running.
 *
 * An interleaving does harm in two ways.
 *
 *   A lost update: both threads write the variable without having looked at it since the other
 *   one's part, and neither serial order has the same effect: it leaves something else there, or
 *   one of the threads does not write, although the interleaving overwrites another value than
 *   the one that is left.  A thread that looks again (by a compare-exchange, or by reading)
 *   decides by what it sees, so what happened after its first look does not matter.  Values are
 *   compared only in runs in which no third thread wrote the variable meanwhile.  And the two
 *   accesses of the first thread belong together: once the intruder has come before both, it
 *   writes something else, or does not write.  If it writes the same, the write does not depend
 *   on the read.
 *
 *   A failure of the program that neither serial order has.  If one has it, too, the program
 *   fails, but not for lack of atomicity.
 *
 * Everything else, other output included, may be intended: a program may say how often it had to
 * try.
 */
#include "predict/serial.h"

#include <stdio.h>

#define UNIT_OPERATIONS 100 /* between an access and the begin or end of its section */

/* As the run numbers it. */
static uint32_t thread_of(const struct confirmer *c, const struct history *h, op_id op)
{
	return c->number_of[c->x->events[h->ops.at[op].event].thread];
}

static uint64_t step_of(const struct confirmer *c, const struct history *h, op_id op)
{
	return c->step_of[h->ops.at[op].event];
}

static const struct index_event *event_of(const struct confirmer *c, const struct history *h,
					  op_id op)
{
	return &c->x->events[h->ops.at[op].event];
}

/* ---- looking at a run ---- */

static bool is_access(const struct wire_op *op)
{
	return op->kind == EV_READ || op->kind == EV_WRITE || op->kind == EV_RMW;
}

static bool is_write(const struct wire_op *op)
{
	return op->kind == EV_WRITE || (op->kind == EV_RMW && !(op->flags & EVF_FAILED));
}

struct looking {
	const struct confirmer *c;
	const struct history *h;
	const struct claim *claim;
	const struct index_event *variable;
	struct serial_view v;
};

static bool is_of(const struct looking *l, op_id op, uint64_t thread, uint64_t step,
		  const struct wire_op *w)
{
	return thread == thread_of(l->c, l->h, op) && step == step_of(l->c, l->h, op) &&
	       turns_is_same(w, event_of(l->c, l->h, op));
}

static bool intruder_writes(const struct claim *claim, const struct history *h)
{
	const struct op_access *a = NULL;
	const struct op *o = &h->ops.at[claim->ops.at[0]];
	for (uint32_t i = 0; i < o->accesses && !a; i++)
		a = history_access(h, claim->ops.at[1],
				   h->accesses.at[o->first_access + i].variable);
	return a && a->writes;
}

/* One access to the variable. */
static void look_at(struct looking *l, uint64_t thread, uint64_t step, const struct wire_op *op,
		    size_t at)
{
	struct serial_view *v = &l->v;
	bool has_begun = v->first || v->intruder;
	if (v->second && v->update)
		return;
	if (!v->first && is_of(l, l->claim->ops.at[0], thread, step, op)) {
		v->first = at;
		return;
	}
	bool is_intruder = !v->intruder && is_of(l, l->claim->ops.at[1], thread, step, op);
	if (is_intruder) {
		v->intruder = at;
		if (!intruder_writes(l->claim, l->h))
			return;
	}
	bool is_first = thread == thread_of(l->c, l->h, l->claim->ops.at[0]);
	bool is_other = thread == thread_of(l->c, l->h, l->claim->ops.at[1]);
	size_t *part = is_first && v->first && !v->second      ? &v->second
		       : is_other && v->intruder && !v->update ? &v->update
							       : NULL;
	/* The intruder itself may read what it writes: that is its own affair. */
	if (part && v->first && v->intruder && !is_intruder && op->kind != EV_WRITE)
		v->is_blind = false;
	if (!is_write(op))
		return;
	if (part) {
		*part = at;
		v->left = op->value;
		if (part == &v->second)
			v->made = op->value;
		else
			v->updated = op->value;
	} else if (has_begun) {
		v->is_disturbed = true;
	}
	v->is_disturbed |=
		has_begun && (op->size != l->variable->size || op->size > sizeof(v->left));
}

struct serial_view serial_look(const struct confirmer *c, const struct history *h,
			       const struct claim *claim, const struct execution *run)
{
	struct looking l = { c, h, claim, event_of(c, h, claim->ops.at[0]), { .is_blind = true } };
	const struct wire_op *first = NULL;
	uint64_t thread = 0, step = 0;
	for (unsigned pass = 0; pass < 2; pass++)
		OPS_EACH (op, run->ops, run->ops_count) {
			if (op->kind == OP_STEP) {
				thread = op->object;
				step = op->value;
			}
			if (!is_access(op))
				continue;
			/* The address of a library differs from that of its event. */
			if (!pass && !first && is_of(&l, claim->ops.at[0], thread, step, op))
				first = op;
			if (pass && first && op->object < first->object + first->size &&
			    first->object < op->object + op->size)
				look_at(&l, thread, step, op, (size_t)(op - run->ops) + 1);
		}
	return l.v;
}

bool serial_shows_update(const struct serial_view *v)
{
	return v->first && v->first < v->intruder && v->intruder < v->second && v->update &&
	       v->is_blind && !v->is_disturbed;
}

/* ---- units ---- */

op_id serial_section_end(const struct history *h, op_id op)
{
	const struct op *o = &h->ops.at[op];
	op_id end = op;
	uint32_t least = o->own > UNIT_OPERATIONS ? o->own - UNIT_OPERATIONS : 0;
	for (uint32_t p = least; p < o->own; p++) {
		const struct op *x = &h->ops.at[history_op(h, o->thread, p)];
		if (x->kind == OP_ACQUIRE && x->match != OP_NONE && x->match > end &&
		    h->ops.at[x->match].own - o->own <= UNIT_OPERATIONS)
			end = x->match;
	}
	return end;
}

/* The first operation of the sections around an operation that end before another one of its
 * thread. */
static op_id section_start(const struct history *h, op_id op, op_id before)
{
	const struct op *o = &h->ops.at[op];
	uint32_t p = o->own > UNIT_OPERATIONS ? o->own - UNIT_OPERATIONS : 0;
	for (; p < o->own; p++) {
		op_id id = history_op(h, o->thread, p);
		const struct op *x = &h->ops.at[id];
		if (x->kind == OP_ACQUIRE && x->match != OP_NONE && x->match > op &&
		    x->match < before)
			return id;
	}
	return op;
}

/* The access that the intruder's unit begins with. */
static op_id intruder_start(const struct history *h, const struct claim *claim)
{
	op_id b = claim->ops.at[1];
	const struct op *o = &h->ops.at[b], *first = &h->ops.at[claim->ops.at[0]];
	for (uint32_t p = o->own; p-- > 0 && o->own - p <= UNIT_OPERATIONS;) {
		op_id id = history_op(h, o->thread, p);
		for (uint32_t i = 0; i < first->accesses; i++) {
			const struct op_access *a = history_access(
				h, id, h->accesses.at[first->first_access + i].variable);
			if (a)
				return a->writes ? b : id;
		}
	}
	return b;
}

/* ---- serial orders ---- */

struct order {
	struct confirmer *c;
	const struct history *h;
	struct turns turns;
	struct queues queues;
};

static void add_op(struct order *o, op_id op)
{
	const struct index_event *e = event_of(o->c, o->h, op);
	turns_add_event(o->c, &o->turns, e, step_of(o->c, o->h, op));
	queues_follow(o->c, &o->queues, o->h->ops.at[op].event);
}

static void run_to(struct order *o, op_id op)
{
	turns_add(&o->turns, thread_of(o->c, o->h, op), step_of(o->c, o->h, op), false);
}

static bool is_from(const struct history *h, op_id op, op_id start)
{
	return h->ops.at[op].thread == h->ops.at[start].thread &&
	       h->ops.at[op].own >= h->ops.at[start].own;
}

/* The unit of the first thread, then that of the intruder. */
static void plan_first(struct order *o, const struct claim *claim, op_id first, op_id intruder)
{
	const struct answer *w = &claim->answer;
	size_t i = 0;
	for (; i < answer_length(w) && answer_op(w, i) != claim->ops.at[0]; i++)
		if (!is_from(o->h, answer_op(w, i), intruder) &&
		    !is_from(o->h, answer_op(w, i), first))
			add_op(o, answer_op(w, i));
	run_to(o, serial_section_end(o->h, claim->ops.at[2]));
	for (i = 0; i < answer_length(w); i++) {
		op_id op = answer_op(w, i);
		if (is_from(o->h, op, intruder) &&
		    o->h->ops.at[op].own <= o->h->ops.at[claim->ops.at[1]].own)
			add_op(o, op);
	}
	run_to(o,
	       serial_section_end(o->h, claim->ops.len > 3 ? claim->ops.at[3] : claim->ops.at[1]));
}

/* Whether the trace shows where the unit of the intruder ends. */
static bool has_end(const struct history *h, const struct claim *claim)
{
	return claim->ops.len > 3 || intruder_writes(claim, h);
}

/* The unit of the intruder, then that of the first thread. */
static void plan_second(struct order *o, const struct claim *claim, op_id first)
{
	const struct answer *w = &claim->answer;
	for (size_t i = 0; i < answer_length(w); i++)
		if (!is_from(o->h, answer_op(w, i), first))
			add_op(o, answer_op(w, i));
	run_to(o,
	       serial_section_end(o->h, claim->ops.len > 3 ? claim->ops.at[3] : claim->ops.at[1]));
	if (has_end(o->h, claim))
		run_to(o, claim->ops.at[0]);
}

struct serial_result {
	bool is_known, fails; /* fails: as the interleaving does */
	bool has_second, has_update;
	uint64_t left, made;
};

/* Whether a serial order has the effect of the interleaving. */
static bool is_like(const struct serial_result *r, const struct serial_view *shown)
{
	uint64_t overwritten = shown->second < shown->update ? shown->made : shown->updated;
	return r->is_known && r->left == shown->left &&
	       ((r->has_second && r->has_update) || overwritten == shown->left);
}

static int make_order(struct confirmer *c, const struct history *h, const struct claim *claim,
		      bool is_first, enum free_run_kind free_run, const struct confirmation *shown,
		      struct serial_result *out, struct err *err)
{
	struct order o = { .c = c, .h = h };
	struct execution run;
	op_id first = section_start(h, claim->ops.at[0], claim->ops.at[2]);
	op_id begin = intruder_start(h, claim);
	if (is_first)
		plan_first(&o, claim, first, section_start(h, begin, OP_NONE));
	else
		plan_second(&o, claim, first);
	struct plan plan = turns_plan(o.turns.list.at, o.turns.list.len, o.queues.choices.at,
				      o.queues.choices.len);
	plan.free_run = free_run;
	int rc = worker_run(&c->worker, &plan, &run, err);
	if (!rc) {
		struct serial_view v = serial_look(c, h, claim, &run);
		bool is_in_order = is_first ? v.second && (!v.intruder || v.second < v.intruder)
					    : v.update && v.update < v.first;
		/* A thread that does not write has come to its end without it. */
		bool has_ended = (v.second && v.update) || run.end == EXPLORE_EXIT;
		out->is_known = is_in_order && has_ended && !v.is_disturbed;
		out->has_update = v.update != 0;
		out->left = v.left;
		out->has_second = v.second != 0;
		out->made = v.made;
		out->fails = run.end == EXPLORE_FAILURE && run.failure == shown->failure;
	}
	turns_release(&o.turns);
	queues_release(&o.queues);
	return rc;
}

/*
 * Whether a serial order fails as the interleaving did, however it continues.  The units would be
 * serial only by chance if the plan does not say where the first one ends.
 */
static int fails_likewise(struct confirmer *c, const struct history *h, const struct claim *claim,
			  const struct confirmation *shown, bool *fails, struct err *err)
{
	int rc = 0;
	*fails = false;
	for (unsigned k = 0; k < 4 && !rc && !*fails; k++) {
		struct serial_result r = { 0 };
		if (k == 2 && !has_end(h, claim))
			continue;
		rc = make_order(c, h, claim, k & 1,
				k & 2 ? FREE_RUN_RANDOM : FREE_RUN_NONPREEMPTIVE, shown, &r, err);
		*fails = r.fails;
	}
	return rc;
}

/* What is left in the variable, and what the second access writes, compared with both serial
 * orders. */
static int compare_values(struct confirmer *c, const struct history *h, const struct claim *claim,
			  const struct serial_view *shown, struct confirmation *out,
			  struct err *err)
{
	struct serial_result one = { 0 }, two = { 0 };
	out->effect = EFFECT_NONE;
	if (!serial_shows_update(shown))
		return 0;
	int rc = make_order(c, h, claim, true, FREE_RUN_NONPREEMPTIVE, out, &one, err);
	if (!rc)
		rc = make_order(c, h, claim, false, FREE_RUN_NONPREEMPTIVE, out, &two, err);
	out->left = shown->left;
	out->serial[0] = one.left;
	out->serial[1] = two.left;
	if (is_like(&one, shown) || is_like(&two, shown))
		return rc;
	if (two.is_known && two.has_second && two.made == shown->made)
		return rc;
	if (!one.is_known || !two.is_known) {
		out->effect = EFFECT_UNKNOWN;
		snprintf(out->why, sizeof(out->why), "there is no serial order to compare it with");
		return rc;
	}
	out->effect = EFFECT_LOST_UPDATE;
	out->tie = two.has_second ? TIE_DATA : TIE_CONTROL;
	out->made[0] = shown->made;
	out->made[1] = two.made;
	out->is_alone[0] = !one.has_update;
	out->is_alone[1] = !two.has_second;
	return rc;
}

int serial_compare(struct confirmer *c, const struct history *h, const struct claim *claim,
		   const struct serial_view *shown, struct confirmation *out, struct err *err)
{
	bool fails = false;
	int rc = compare_values(c, h, claim, shown, out, err);
	if (rc || !out->failure || out->effect == EFFECT_LOST_UPDATE)
		return rc;
	rc = fails_likewise(c, h, claim, out, &fails, err);
	out->effect = fails ? EFFECT_OTHER_FAILURE : EFFECT_FAILURE;
	return rc;
}
