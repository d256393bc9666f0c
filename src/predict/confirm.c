/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running witnesses; see confirm.h.
 *
 * What counts as confirmed is what the program did, not what was planned: for a race, the
 * accesses of both threads follow each other and overlap; for deadlocks and violations of order,
 * the runtime has reported the failure; for atomicity, the three accesses happened in the claimed
 * order, with an effect that no serial order has (serial.h).  A plan that cannot be followed, or
 * a program that does something else, does not confirm, and the reason is reported.
 */
#include "predict/confirm.h"

#include <stdio.h>
#include <string.h>

#include "predict/serial.h"

#define TRIES_MAX 6 /* of one witness, each with the steps that the one before showed */

/* ---- a claim ---- */

/* The thread of an operation, as the run numbers it. */
static uint32_t thread_of(const struct confirmer *c, const struct history *h, op_id op)
{
	return c->number_of[c->x->events[h->ops.at[op].event].thread];
}

static uint64_t step_of(const struct confirmer *c, const struct history *h, op_id op)
{
	return c->step_of[h->ops.at[op].event];
}

/*
 * Whether an operation is made together with one that its thread is only about to do: a step is
 * not divided.
 */
static bool is_too_far(const struct confirmer *c, const struct history *h, const struct question *q,
		       op_id op)
{
	for (size_t k = 0; k < q->pending.len; k++)
		if (h->ops.at[q->pending.at[k]].thread == h->ops.at[op].thread &&
		    step_of(c, h, q->pending.at[k]) <= step_of(c, h, op))
			return true;
	return false;
}

/* The witness, then each thread up to its pending operation. */
static void plan_witness(const struct confirmer *c, const struct history *h,
			 const struct claim *claim, struct turns *t, struct queues *queues)
{
	const struct question *q = &claim->question;
	for (size_t i = 0; i < answer_length(&claim->answer); i++) {
		op_id op = answer_op(&claim->answer, i);
		if (is_too_far(c, h, q, op))
			continue;
		turns_add_event(c, t, &c->x->events[h->ops.at[op].event], step_of(c, h, op));
		queues_follow(c, queues, h->ops.at[op].event);
	}
	for (size_t k = 0; k < q->pending.len; k++) {
		op_id op = q->pending.at[k];
		if (step_of(c, h, op))
			turns_add(t, thread_of(c, h, op), step_of(c, h, op) - 1, false);
	}
}

/*
 * The numbers of threads in a run of the witness.  The trace has created[fork] = 1, 2, 3... in
 * its own order, or nothing at all if it numbers threads in another way.  What the witness does
 * not create comes later, in the order of the trace.
 */
static void number_threads(struct confirmer *c, const struct history *h, const struct claim *claim)
{
	uint32_t next = 1;
	memset(c->number_of, 0xff, c->x->threads * sizeof(*c->number_of));
	for (size_t i = 0; c->created.len && i < answer_length(&claim->answer); i++) {
		uint64_t *thread =
			map_get(&c->created, h->ops.at[answer_op(&claim->answer, i)].event);
		if (thread && *thread < c->x->threads)
			c->number_of[*thread] = next++;
	}
	for (uint32_t t = 0; t < c->x->threads; t++) {
		if (!t || !c->created.len)
			c->number_of[t] = t;
		else if (c->number_of[t] == UINT32_MAX)
			c->number_of[t] = next++;
		c->thread_of[c->number_of[t]] = t;
	}
}

/* What a step did, in the list of an execution; NULL if it is not there. */
static const struct wire_op *find_step(const struct execution *run, uint32_t thread, uint64_t step,
				       size_t *place)
{
	size_t number = 0;
	OPS_EACH (op, run->ops, run->ops_count) {
		if (op->kind != OP_STEP)
			continue;
		number++;
		if (op->object == thread && op->value == step) {
			*place = number;
			return op + 1;
		}
	}
	return NULL;
}

static bool is_access(const struct wire_op *op)
{
	return op->kind == EV_READ || op->kind == EV_WRITE || op->kind == EV_RMW;
}

/* Whether two steps have accesses that overlap, one of them a write. */
static bool do_conflict(const struct execution *run, const struct wire_op *x,
			const struct wire_op *y)
{
	const struct wire_op *end = run->ops + run->ops_count;
	for (const struct wire_op *a = x; a < end && a->kind != OP_STEP; a++)
		for (const struct wire_op *b = y; b < end && b->kind != OP_STEP; b++)
			if (is_access(a) && is_access(b) &&
			    (a->kind != EV_READ || b->kind != EV_READ) &&
			    a->object < b->object + b->size && b->object < a->object + a->size)
				return true;
	return false;
}

static bool shows_race(const struct confirmer *c, const struct history *h,
		       const struct claim *claim, const struct execution *run)
{
	op_id x = claim->ops.at[0], y = claim->ops.at[1];
	size_t first, second;
	const struct wire_op *a = find_step(run, thread_of(c, h, x), step_of(c, h, x), &first);
	const struct wire_op *b = find_step(run, thread_of(c, h, y), step_of(c, h, y), &second);
	return a && b && second == first + 1 && do_conflict(run, a, b);
}

static bool shows_atomicity(const struct confirmer *c, const struct history *h,
			    const struct claim *claim, const struct execution *run)
{
	size_t place[3] = { 0 };
	for (size_t i = 0; i < 2; i++) {
		op_id op = claim->ops.at[i];
		if (!find_step(run, thread_of(c, h, op), step_of(c, h, op), &place[i]))
			return false;
	}
	/* The second access may have another number of hooks before it now. */
	bool is_there = find_step(run, thread_of(c, h, claim->ops.at[2]),
				  step_of(c, h, claim->ops.at[2]), &place[2]);
	return place[0] < place[1] && (!is_there || place[1] < place[2]);
}

/* Misuse of an object that has been destroyed does not end the program. */
static bool shows_late_use(const struct confirmer *c, const struct history *h,
			   const struct claim *claim, const struct execution *run)
{
	op_id use = claim->ops.at[0], end = claim->ops.at[1];
	size_t first, second;
	return find_step(run, thread_of(c, h, end), step_of(c, h, end), &first) &&
	       find_step(run, thread_of(c, h, use), step_of(c, h, use), &second) && first < second;
}

/* The use has happened, and the initialisation has not, or later. */
static bool shows_early_use(const struct confirmer *c, const struct history *h,
			    const struct claim *claim, const struct execution *run)
{
	op_id use = claim->ops.at[0], init = claim->ops.at[1];
	size_t first, second;
	return find_step(run, thread_of(c, h, use), step_of(c, h, use), &first) &&
	       (!find_step(run, thread_of(c, h, init), step_of(c, h, init), &second) ||
		first < second);
}

/* After the witness: the operations themselves, in an order in which they show what is claimed. */
static void plan_end(const struct confirmer *c, const struct history *h, const struct claim *claim,
		     struct turns *t)
{
	if (claim->kind == FINDING_ATOMICITY && c->plans_rest) {
		/* The intruder leaves its section; then both threads do what is left of their
		 * units. */
		for (size_t i = 1; i < claim->ops.len; i++) {
			op_id end = serial_section_end(h, claim->ops.at[i]);
			turns_add(t, thread_of(c, h, end), step_of(c, h, end), false);
		}
	}
	size_t count = claim->kind == FINDING_RACE	  ? 2
		       : claim->kind == FINDING_DEADLOCK  ? claim->ops.len
		       : claim->kind == FINDING_ATOMICITY ? 0
							  : 1;
	for (size_t i = 0; i < count; i++)
		turns_add(t, thread_of(c, h, claim->ops.at[i]), step_of(c, h, claim->ops.at[i]),
			  false);
}

/* Where the program failed; 0 if it does not say. */
static uint64_t failure_pc(const struct execution *run)
{
	uint64_t pc = 0;
	OPS_EACH (op, run->ops, run->ops_count)
		if (op->kind == EV_FAILURE)
			pc = op->pc;
	return pc;
}

static void judge(const struct confirmer *c, const struct history *h, const struct claim *claim,
		  const struct execution *run, struct confirmation *out)
{
	bool has_failed = run->end == EXPLORE_FAILURE;
	out->failure = has_failed ? run->failure : 0;
	out->failure_object = run->failure_object;
	out->failure_detail = run->failure_detail;
	out->failure_pc = has_failed ? failure_pc(run) : 0;
	switch (claim->kind) {
	case FINDING_RACE:
		out->is_confirmed = shows_race(c, h, claim, run);
		break;
	case FINDING_ATOMICITY:
		out->is_confirmed =
			shows_atomicity(c, h, claim, run) && run->end != EXPLORE_DIVERGED;
		break;
	case FINDING_LOCK_MISUSE:
		out->is_confirmed = has_failed || shows_late_use(c, h, claim, run);
		break;
	case FINDING_ORDER:
		out->is_confirmed = shows_early_use(c, h, claim, run);
		break;
	default:
		out->is_confirmed = has_failed;
	}
	if (out->is_confirmed)
		return;
	if (run->end == EXPLORE_DIVERGED)
		snprintf(out->why, sizeof(out->why),
			 "the program did something else at step %llu of the witness",
			 (unsigned long long)run->diverged_turn);
	else if (run->end == EXPLORE_STEP_LIMIT)
		snprintf(out->why, sizeof(out->why), "the run reached its limit of steps");
	else if (run->end == EXPLORE_UNSUPPORTED || run->end == EXPLORE_GONE)
		snprintf(out->why, sizeof(out->why), "%.200s", run->text);
	else
		snprintf(out->why, sizeof(out->why), "%s",
			 run->has_outside_writes ? "memory changed out of sight"
						 : "the program did not get there");
}

/* The plan of the run, so that it can be repeated. */
static void keep_plan(struct confirmation *out, const struct turns *turns,
		      const struct queues *queues)
{
	for (size_t i = 0; i < turns->list.len; i++)
		vec_push(&out->turns, turns->list.at[i]);
	for (size_t i = 0; i < queues->choices.len; i++)
		vec_push(&out->choices, queues->choices.at[i]);
}

struct plan confirmation_plan(const struct confirmation *c)
{
	struct plan plan = turns_plan(c->turns.at, c->turns.len, c->choices.at, c->choices.len);
	plan.spins = c->spins;
	return plan;
}

void confirmation_release(struct confirmation *c)
{
	vec_release(&c->ops);
	vec_release(&c->turns);
	vec_release(&c->choices);
}

static void keep_op(const struct history *h, const struct wire_op **done, op_id op, bool is_certain,
		    struct confirmation *out)
{
	const struct wire_op *w = done[h->ops.at[op].event];
	if (w || is_certain)
		vec_push(&out->ops, ((struct shown_op){ op, w && is_access(w), w ? w->value : 0 }));
}

/* How far a thread has come in the list of what is kept. */
static uint32_t position_in(const struct history *h, const struct claim *claim,
			    const struct confirmation *out, uint32_t thread)
{
	uint32_t next = 0;
	for (size_t i = 0; i < answer_length(&claim->answer); i++)
		if (h->ops.at[answer_op(&claim->answer, i)].thread == thread)
			next = h->ops.at[answer_op(&claim->answer, i)].own + 1;
	for (size_t i = 0; i < out->ops.len; i++)
		if (h->ops.at[out->ops.at[i].op].thread == thread &&
		    h->ops.at[out->ops.at[i].op].own >= next)
			next = h->ops.at[out->ops.at[i].op].own + 1;
	return next;
}

/* What the operations of the witness, and those that follow it for this claim, read and wrote. */
static void keep_ops(const struct confirmer *c, const struct history *h, const struct claim *claim,
		     const struct execution *run, struct confirmation *out)
{
	const struct wire_op **done = turns_match(c, run);
	size_t length = answer_length(&claim->answer);
	for (size_t i = length > SHOWN_OPS ? length - SHOWN_OPS : 0; i < length; i++)
		keep_op(h, done, answer_op(&claim->answer, i), true, out);
	for (size_t i = 1; c->plans_rest && i < claim->ops.len; i++) {
		op_id end = serial_section_end(h, claim->ops.at[i]);
		uint32_t thread = h->ops.at[end].thread;
		for (uint32_t p = position_in(h, claim, out, thread); p <= h->ops.at[end].own; p++)
			keep_op(h, done, history_op(h, thread, p), false, out);
	}
	mem_free(done);
}

/* One run of the witness, with what is known about steps. */
static int try_once(struct confirmer *c, const struct history *h, const struct claim *claim,
		    struct confirmation *out, struct execution *run, struct serial_view *view,
		    struct err *err)
{
	struct turns turns = { 0 };
	struct queues queues = { 0 };
	confirmation_release(out);
	*out = (struct confirmation){ 0 };
	number_threads(c, h, claim);
	plan_witness(c, h, claim, &turns, &queues);
	plan_end(c, h, claim, &turns);
	int rc = turns_run(c, &turns, queues.choices.at, queues.choices.len, run, err);
	if (!rc)
		judge(c, h, claim, run, out);
	out->spins = c->spins;
	*view = (struct serial_view){ 0 };
	if (!rc && out->is_confirmed && claim->kind == FINDING_ATOMICITY)
		*view = serial_look(c, h, claim, run);
	if (!rc && out->is_confirmed && (run->end == EXPLORE_EXIT || run->end == EXPLORE_FAILURE))
		keep_plan(out, &turns, &queues);
	if (!rc && out->is_confirmed)
		keep_ops(c, h, claim, run, out);
	turns_release(&turns);
	queues_release(&queues);
	return rc;
}

/* Run the witness, and again with the steps that the run before showed. */
static int try_often(struct confirmer *c, const struct history *h, const struct claim *claim,
		     struct confirmation *out, struct err *err)
{
	struct execution run;
	struct serial_view view;
	memcpy(c->step_of, c->recorded_of, c->x->count * sizeof(*c->step_of));
	int rc = try_once(c, h, claim, out, &run, &view, err);
	for (unsigned tries = 1; tries < TRIES_MAX && !rc && !out->is_confirmed && run.ops_count;
	     tries++) {
		if (!turns_learn(c, &run))
			break;
		rc = try_once(c, h, claim, out, &run, &view, err);
	}
	if (!rc && out->is_confirmed && claim->kind == FINDING_ATOMICITY) {
		rc = serial_compare(c, h, claim, &view, out, err);
		out->is_confirmed = out->effect > EFFECT_NONE;
	}
	return rc;
}

/* Once more in another way; that an interleaving has no effect stays known. */
static int try_again(struct confirmer *c, const struct history *h, const struct claim *claim,
		     struct confirmation *out, struct err *err)
{
	enum effect before = out->effect;
	int rc = try_often(c, h, claim, out, err);
	if (out->effect == EFFECT_UNKNOWN)
		out->effect = before;
	return rc;
}

/*
 * A thread that spins is held back until something changes, so that the run ends.  If the witness
 * needs another iteration of its loop, no thread is held back.
 */
int confirmer_try(struct confirmer *c, const struct history *h, const struct claim *claim,
		  bool is_proved, struct confirmation *out, struct err *err)
{
	*out = (struct confirmation){ 0 };
	if (c->why[0]) {
		snprintf(out->why, sizeof(out->why), "%s", c->why);
		return 0;
	}
	c->plans_rest = claim->kind == FINDING_ATOMICITY;
	int rc = try_often(c, h, claim, out, err);
	if (!rc && !out->is_confirmed && c->plans_rest) {
		c->plans_rest = false;
		rc = try_again(c, h, claim, out, err);
	}
	if (!rc && !out->is_confirmed && is_proved) {
		c->spins = true;
		rc = try_again(c, h, claim, out, err);
		c->spins = false;
	}
	return rc;
}
