/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schedule of an execution, and a shorter one with the same failure.
 *
 * A schedule is the list of steps in their order, also of waits that were not satisfied.  The free
 * run after a plan changes threads only where it must, so a prefix of the schedule that still
 * fails has fewer preemptions.
 */
#include <time.h>

#include "base/clock.h"

#include "explore/explore.h"

void schedule_of(struct schedule *s, const struct execution *x)
{
	*s = (struct schedule){ 0 };
	uint32_t running = 0;
	uint64_t hook = 0;
	bool can_go_on = true, waits = false;
	OPS_EACH (op, x->ops, x->ops_count) {
		/* What a thread does after a wait is another turn, also where no other thread came
		 * between. */
		if (waits && op->kind != OP_STEP && op->kind != EV_FAILURE)
			vec_push(&s->turns, ((struct wire_turn){ running, TURN_STEP, hook }));
		waits = op->kind == OP_BLOCKED || op->kind == OP_AWAIT;
		if (op->kind == OP_STEP && op->flags & OPF_FLUSH) {
			vec_push(&s->turns, ((struct wire_turn){ (uint32_t)op->object, TURN_FLUSH,
								 op->value }));
		} else if (op->kind == OP_STEP) {
			s->preemptions += op->object != running && can_go_on;
			running = (uint32_t)op->object;
			hook = op->value;
			can_go_on = true;
			vec_push(&s->turns, ((struct wire_turn){ running, TURN_STEP, hook }));
		} else if (op->kind == EV_CHOICE) {
			vec_push(&s->choices, (uint32_t)op->value);
		} else if (waits || op->kind == EV_END) {
			can_go_on = false;
		}
	}
}

uint64_t schedule_preemptions(const struct execution *x)
{
	struct schedule s;
	schedule_of(&s, x);
	schedule_release(&s);
	return s.preemptions;
}

void schedule_release(struct schedule *s)
{
	vec_release(&s->turns);
	vec_release(&s->choices);
}

struct plan schedule_plan(const struct schedule *s, size_t turns)
{
	return (struct plan){ .turns = s->turns.at,
			      .turns_count = turns,
			      .choices = s->choices.at,
			      .choices_count = s->choices.len };
}

/* ---- failures ---- */

bool explore_failure_of(const struct execution *x, uint32_t *failure, uint64_t *pc)
{
	bool is_end = x->end == EXPLORE_FAILURE;
	if (!is_end && x->end != EXPLORE_EXIT)
		return false;
	const struct wire_op *found = NULL;
	OPS_EACH (op, x->ops, x->ops_count) {
		if (op->kind == EV_FAILURE && (is_end || !found))
			found = op;
	}
	if (!is_end && !found)
		return false;
	*failure = is_end ? x->failure : (uint32_t)found->value;
	*pc = found ? found->pc : 0;
	return true;
}

/* ---- fewer preemptions ---- */

struct shortening {
	const struct explore_config *config;
	const struct explore_failure *wanted;
	struct schedule *best;
	uint64_t tries; /* left */
	double seconds; /* 0: no limit */
	double start;	/* clock_now_seconds() */
};

static bool may_try(const struct shortening *s)
{
	double spent = clock_now_seconds() - s->start;
	bool is_interrupted = s->config->stop && *s->config->stop;
	return s->tries && !is_interrupted && (s->seconds == 0 || spent < s->seconds);
}

/* Run a plan; if it fails in the same way at the same place with fewer preemptions, it is the
 * best so far. */
static int attempt(struct shortening *s, const struct plan *plan, bool *is_better, struct err *err)
{
	struct execution x;
	*is_better = false;
	s->tries--;
	int rc = s->config->run(s->config->programs[0], plan, &x, err);
	uint32_t failure;
	uint64_t pc;
	if (rc || !explore_failure_of(&x, &failure, &pc) || failure != s->wanted->failure ||
	    pc != s->wanted->pc)
		return rc;
	struct schedule found;
	schedule_of(&found, &x);
	*is_better = found.preemptions < s->best->preemptions;
	if (*is_better) {
		schedule_release(s->best);
		*s->best = found;
	} else {
		schedule_release(&found);
	}
	return 0;
}

/* Ends of stretches of one thread: where a plan may stop. */
static size_t next_end(const struct schedule *s, size_t from)
{
	size_t i = from;
	while (i < s->turns.len && s->turns.at[i].thread == s->turns.at[from].thread)
		i++;
	return i;
}

/* Without the stretch [from, to): its thread goes on later. */
static int attempt_without(struct shortening *s, size_t from, size_t to, bool *is_better,
			   struct err *err)
{
	struct schedule without = { 0 };
	for (size_t i = 0; i < s->best->turns.len; i++)
		if (i < from || i >= to)
			vec_push(&without.turns, s->best->turns.at[i]);
	struct plan plan = schedule_plan(&without, without.turns.len);
	plan.choices = s->best->choices.at;
	plan.choices_count = s->best->choices.len;
	int rc = attempt(s, &plan, is_better, err);
	schedule_release(&without);
	return rc;
}

int explore_shorten(const struct explore_config *c, const struct explore_failure *f,
		    struct schedule *best, uint64_t tries, double seconds, struct err *err)
{
	struct shortening s = { c, f, best, tries, seconds, clock_now_seconds() };
	bool is_better = true;
	int rc = 0;
	while (is_better && best->preemptions && may_try(&s) && !rc) {
		is_better = false;
		for (size_t end = 0; end < best->turns.len && may_try(&s) && !is_better && !rc;) {
			struct plan plan = schedule_plan(best, end);
			rc = attempt(&s, &plan, &is_better, err);
			if (!is_better)
				end = next_end(best, end);
		}
		for (size_t from = 0; from < best->turns.len && may_try(&s) && !is_better && !rc;) {
			size_t to = next_end(best, from);
			rc = attempt_without(&s, from, to, &is_better, err);
			from = to;
		}
	}
	return rc;
}
