/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of an exploration, and what is kept of it; see explore.h. */
#include "explore/explore.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "explore/dpor.h"

#define PROGRESS_SECONDS 0.2
#define DIVERGED_MAX 100	/* a program that does not do the same twice is not explored further */
#define CHOICES_MAX 1024	/* alternatives of one choice: more are not all tried */

/* ---- strategies ---- */

static void *new_dpor(const struct explore_config *c)
{
	(void)c;
	struct dpor *d = mem_alloc(sizeof(*d));
	dpor_init(d, false);
	return d;
}

static void *new_dfs(const struct explore_config *c)
{
	(void)c;
	struct dpor *d = mem_alloc(sizeof(*d));
	dpor_init(d, true);
	return d;
}

static void free_dpor(void *state)
{
	dpor_release(state);
	mem_free(state);
}

static const struct plan *plan_dpor(void *state)
{
	return dpor_plan(state);
}

static int take_dpor(void *state, const struct execution *x, bool *is_redundant, struct err *err)
{
	return dpor_take(state, x, is_redundant, err);
}

static uint64_t failed_dpor(const void *state)
{
	const struct dpor *d = state;
	return d->diverged + d->missed;
}

static double progress_dpor(const void *state)
{
	return dpor_progress(state);
}

const struct strategy strategy_dpor = { "dpor", true, new_dpor, free_dpor, plan_dpor, take_dpor, failed_dpor, progress_dpor,
					NULL, NULL };
/* The same search with every two moves dependent. */
const struct strategy strategy_dfs = { "dfs", true, new_dfs, free_dpor, plan_dpor, take_dpor, failed_dpor, progress_dpor,
					NULL, NULL };

const struct strategy *strategy_find(const char *name)
{
	static const struct strategy *const all[] = { &strategy_deepening, &strategy_dpor, &strategy_dfs, &strategy_mcr };
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}

/* ---- what an execution showed ---- */

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

static void note_outcome(struct explore_result *r, const struct execution *x)
{
	struct outcome o = { .end = x->end, .exit_status = x->end == EXPLORE_EXIT ? x->exit_status : 0,
			     .failure = x->end == EXPLORE_FAILURE ? x->failure : 0,
			     .failure_detail = x->end == EXPLORE_FAILURE ? x->failure_detail : 0 };
	collect_output(&o, x);
	uint64_t h = hash_bytes(hash_bytes(1, o.output.at, o.output.len), o.errors.at, o.errors.len);
	h = hash_mix(hash_mix(h, (uint64_t)o.end << 32 | (uint32_t)o.exit_status), o.failure);
	bool is_new;
	uint64_t *at = map_put(&r->outcome_of, h, &is_new);
	if (is_new) {
		*at = r->outcomes.len;
		schedule_of(&o.schedule, x);
		vec_push(&r->outcomes, o);
	} else {
		outcome_release(&o);
	}
	r->outcomes.at[*at].executions++;
}

static uint64_t failure_pc(const struct execution *x)
{
	for (size_t i = x->ops_count; i-- > 0;)
		if (x->ops[i].kind == EV_FAILURE)
			return x->ops[i].pc;
	return 0;
}

static void note_failure(struct explore_result *r, const struct execution *x)
{
	/* A deadlock is no place in the code: which threads wait where tells several apart. */
	struct explore_failure f = { .failure = x->failure, .pc = failure_pc(x) };
	bool is_new;
	uint64_t *at = map_put(&r->failure_of, hash_mix(f.failure, f.pc), &is_new);
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
	g->is_unsupported |= x->end == EXPLORE_UNSUPPORTED;
	if (is_lost && !g->text[0])
		snprintf(g->text, sizeof(g->text), "%s", x->text);
	for (size_t i = 0; i < x->ops_count; i++)
		g->open_choices += (x->ops[i].kind == EV_CHOICE && x->ops[i].size > CHOICES_MAX) ||
				   (x->ops[i].kind == OP_STEP && x->ops[i].flags & OPF_BOUNDED);
}

static void note(const struct explore_config *c, struct explore_result *r, const struct execution *x, bool is_redundant,
		 bool may_diverge)
{
	note_gap(r, x, may_diverge);
	if (is_redundant) {
		r->redundant++;
		return;
	}
	r->executions++;
	r->dropped += x->end == EXPLORE_ASSUMED;
	if (c->finds_races)
		races_find(&r->races, x);
	if (x->end == EXPLORE_FAILURE)
		note_failure(r, x);
	if (c->keeps_outcomes && (x->end == EXPLORE_EXIT || x->end == EXPLORE_FAILURE))
		note_outcome(r, x);
}

/* ---- the loop ---- */

static double seconds_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whether it is time to end, and why. */
static bool should_stop(const struct explore_config *c, struct explore_result *r)
{
	if (c->stop && *c->stop)
		r->stop = STOP_INTERRUPTED;
	else if (r->gaps.is_unsupported)
		r->stop = STOP_UNSUPPORTED;
	else if (r->gaps.diverged > DIVERGED_MAX)
		r->stop = STOP_DIVERGED;
	else if (r->failures.len && !c->goes_on)
		r->stop = STOP_FOUND;
	else if (c->max_executions && r->executions + r->redundant >= c->max_executions)
		r->stop = STOP_EXECUTIONS;
	else if (c->max_seconds && r->seconds >= (double)c->max_seconds)
		r->stop = STOP_SECONDS;
	else
		return false;
	return true;
}

int explore(const struct explore_config *c, struct explore_result *r, struct err *err)
{
	*r = (struct explore_result){0};
	void *state = c->strategy->new(c);
	double start = seconds_now(), told = start;
	int rc = 0;
	while (!rc) {
		const struct plan *plan = c->strategy->plan(state);
		r->stop = STOP_DONE;
		if (!plan) {
			r->progress = 1;
			break;
		}
		if (should_stop(c, r))
			break;
		struct execution x;
		bool is_redundant = false;
		rc = c->run(c->program, plan, &x, err);
		if (!rc)
			rc = c->strategy->take(state, &x, &is_redundant, err);
		if (!rc)
			note(c, r, &x, is_redundant, c->strategy->expects_divergence && c->strategy->expects_divergence(state));
		uint64_t failed = c->strategy->failed_plans ? c->strategy->failed_plans(state) : 0;
		if (failed > r->gaps.diverged)
			r->gaps.diverged = failed;
		double now = seconds_now();
		r->seconds = now - start;
		if (c->tell_progress && now - told >= PROGRESS_SECONDS) {
			told = now;
			r->progress = c->strategy->progress ? c->strategy->progress(state) : 0;
			c->tell_progress(c->tell_arg, r);
		}
	}
	if (c->strategy->sum_up)
		c->strategy->sum_up(state, r);
	c->strategy->end(state);
	return rc;
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
	return r->stop == STOP_DONE && c->strategy->is_exhaustive && !r->is_partial && !r->bounded && !g->step_limit && !g->lost && !g->diverged &&
	       !g->full && !g->outside_writes && !g->open_choices;
}
