/* SPDX-License-Identifier: Apache-2.0 */
/* What an exploration has shown so far; see explore.h. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "explore/explore.h"

#define CHOICES_MAX 1024	/* alternatives of one choice: more are not all tried */

static void collect_output(struct outcome *o, const struct execution *x)
{
	for (size_t i = 0; i < x->ops_count; i++) {
		const struct wire_op *op = &x->ops[i];
		if (op->kind == OP_OUTPUT) {
			buf_add(op->object == 2 ? &o->errors : &o->output, op + 1, op->size);
			i += (op->size + sizeof(*op) - 1) / sizeof(*op);
		} else if (op->kind == OP_AWAIT) {
			i += op->size;
		}
	}
}

static void outcome_release(struct outcome *o)
{
	buf_release(&o->output);
	buf_release(&o->errors);
	schedule_release(&o->schedule);
}

static uint64_t outcome_key(const struct outcome *o)
{
	uint64_t h = hash_bytes(hash_bytes(1, o->output.at, o->output.len), o->errors.at, o->errors.len);
	return hash_mix(hash_mix(h, (uint64_t)o->end << 32 | (uint32_t)o->exit_status), o->failure);
}

static void note_outcome(struct explore_result *r, const struct execution *x)
{
	struct outcome o = { .end = x->end, .exit_status = x->end == EXPLORE_EXIT ? x->exit_status : 0,
			     .failure = x->end == EXPLORE_FAILURE ? x->failure : 0,
			     .failure_detail = x->end == EXPLORE_FAILURE ? x->failure_detail : 0 };
	collect_output(&o, x);
	bool is_new;
	uint64_t *at = map_put(&r->outcome_of, outcome_key(&o), &is_new);
	if (is_new) {
		*at = r->outcomes.len;
		schedule_of(&o.schedule, x);
		vec_push(&r->outcomes, o);
	} else {
		outcome_release(&o);
	}
	r->outcomes.at[*at].executions++;
}

/* A deadlock is no place in the code: which threads wait where tells several apart. */
static uint64_t failure_key(const struct explore_failure *f)
{
	return hash_mix(hash_mix(1, f->failure), f->pc);
}

static void note_failure(struct explore_result *r, const struct execution *x)
{
	struct explore_failure f = {0};
	if (!explore_failure_of(x, &f.failure, &f.pc))
		return;
	bool is_new;
	uint64_t *at = map_put(&r->failure_of, failure_key(&f), &is_new);
	if (is_new) {
		*at = r->failures.len;
		schedule_of(&f.schedule, x);
		vec_push(&r->failures, f);
	}
	r->failures.at[*at].executions++;
}

static void note_gap(struct explore_result *r, const struct execution *x, bool may_diverge)
{
	struct explore_gaps *g = &r->gaps;
	bool is_lost = x->end == EXPLORE_GONE || x->end == EXPLORE_UNSUPPORTED;
	g->step_limit += x->end == EXPLORE_STEP_LIMIT;
	g->full += x->end == EXPLORE_FULL;
	g->diverged += x->end == EXPLORE_DIVERGED && !may_diverge;
	g->lost += is_lost;
	g->outside_writes += x->has_outside_writes;
	g->unstable += x->is_unstable;
	g->is_unsupported |= x->end == EXPLORE_UNSUPPORTED;
	if (is_lost && !g->text[0])
		snprintf(g->text, sizeof(g->text), "%s", x->text);
	for (size_t i = 0; i < x->ops_count; i++) {
		const struct wire_op *op = &x->ops[i];
		g->open_choices += (op->kind == EV_CHOICE && op->size > CHOICES_MAX) ||
				   (op->kind == OP_STEP && op->flags & OPF_BOUNDED);
		if (op->kind == OP_OUTPUT)
			i += (op->size + sizeof(*op) - 1) / sizeof(*op);
		else if (op->kind == OP_AWAIT)
			i += op->size;
	}
}

void result_note(const struct explore_config *c, struct explore_result *r, const struct execution *x,
		 const struct taken *t)
{
	note_gap(r, x, t->was_test);
	r->most_hooks = x->hooks > r->most_hooks ? x->hooks : r->most_hooks;
	r->gaps.failed_plans += t->failed_plans;
	r->bounded += t->is_bounded;
	if (t->is_redundant) {
		r->redundant++;
		return;
	}
	r->executions++;
	r->dropped += x->end == EXPLORE_ASSUMED;
	if (c->finds_races)
		races_find(&r->races, x);
	note_failure(r, x);
	if (c->keeps_outcomes && (x->end == EXPLORE_EXIT || x->end == EXPLORE_FAILURE))
		note_outcome(r, x);
}

/* ---- several into one ---- */

static void merge_gaps(struct explore_gaps *to, struct explore_gaps *from)
{
	to->step_limit += from->step_limit;
	to->lost += from->lost;
	to->diverged += from->diverged;
	to->failed_plans += from->failed_plans;
	to->full += from->full;
	to->outside_writes += from->outside_writes;
	to->unstable += from->unstable;
	to->open_choices += from->open_choices;
	to->is_unsupported |= from->is_unsupported;
	if (!to->text[0])
		memcpy(to->text, from->text, sizeof(to->text));
	*from = (struct explore_gaps){0};
}

void result_merge(struct explore_result *to, struct explore_result *from)
{
	bool is_new;
	for (size_t i = 0; i < from->failures.len; i++) {
		struct explore_failure *f = &from->failures.at[i];
		uint64_t *at = map_put(&to->failure_of, failure_key(f), &is_new);
		if (is_new) {
			*at = to->failures.len;
			vec_push(&to->failures, *f);
		} else {
			to->failures.at[*at].executions += f->executions;
			schedule_release(&f->schedule);
		}
	}
	for (size_t i = 0; i < from->outcomes.len; i++) {
		struct outcome *o = &from->outcomes.at[i];
		uint64_t *at = map_put(&to->outcome_of, outcome_key(o), &is_new);
		if (is_new) {
			*at = to->outcomes.len;
			vec_push(&to->outcomes, *o);
		} else {
			to->outcomes.at[*at].executions += o->executions;
			outcome_release(o);
		}
	}
	from->failures.len = from->outcomes.len = 0;
	map_clear(&from->failure_of);
	map_clear(&from->outcome_of);
	races_merge(&to->races, &from->races);
	merge_gaps(&to->gaps, &from->gaps);
	to->most_hooks = from->most_hooks > to->most_hooks ? from->most_hooks : to->most_hooks;
	to->executions += from->executions;
	to->redundant += from->redundant;
	to->dropped += from->dropped;
	to->bounded += from->bounded;
	from->executions = from->redundant = from->dropped = from->bounded = 0;
}

void explore_result_release(struct explore_result *r)
{
	for (size_t i = 0; i < r->failures.len; i++)
		schedule_release(&r->failures.at[i].schedule);
	for (size_t i = 0; i < r->outcomes.len; i++)
		outcome_release(&r->outcomes.at[i]);
	vec_release(&r->failures);
	vec_release(&r->outcomes);
	vec_release(&r->spaces);
	map_release(&r->outcome_of);
	map_release(&r->failure_of);
	races_release(&r->races);
}

bool explore_is_complete(const struct explore_config *c, const struct explore_result *r)
{
	const struct explore_gaps *g = &r->gaps;
	return r->stop == STOP_DONE && c->strategy->is_exhaustive && !r->is_partial && !r->bounded &&
	       !g->step_limit && !g->lost && !g->diverged && !g->failed_plans && !g->full &&
	       !g->outside_writes && !g->open_choices && !g->unstable && !r->races.left_out;
}
