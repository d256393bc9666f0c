/* SPDX-License-Identifier: Apache-2.0 */
/* See deepen.h. */
#include "explore/deepen.h"

#include <time.h>

/* A state space: which points it has, and how far it has been explored. */
struct space {
	struct dpor dpor;
	const struct deepen *of;
	const struct job *job;
	uint64_t failed_plans;	/* that are counted already */
	size_t number;		/* in spaces */
	double seconds;		/* spent on it so far */
	double since;		/* when the last execution of it was planned */
};

/* Whether a step is one that threads may be changed in front of, and behind. */
static bool is_synchronisation(const struct wire_op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		switch (ops[i].kind) {
		case EV_READ:
		case EV_WRITE:
			if (ops[i].mode != MODE_PLAIN)
				return true;
			break;
		case EV_INITIAL:
		case EV_BRANCH:
		case EV_CLOCK:
		case EV_OUTSIDE_WRITE:
			break;
		default:
			return true;
		}
	}
	return false;
}

static point_id sync_point(const struct wire_op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (ops[i].kind == EV_ACQUIRE)
			return POINT_LOCK;
		if (ops[i].kind == EV_RELEASE)
			return POINT_UNLOCK;
	}
	return POINT_SYNC;
}

/* Whether threads may change between two steps of a thread. */
static bool may_switch(void *arg, const struct step_ops *before, const struct step_ops *after)
{
	const struct space *s = arg;
	if (is_synchronisation(before->ops, before->count) &&
	    point_set_has(&s->job->points, sync_point(before->ops, before->count)))
		return true;
	if (is_synchronisation(after->ops, after->count))
		return point_set_has(&s->job->points, sync_point(after->ops, after->count));
	for (size_t i = 0; i < after->count; i++) {
		point_id id = points_find(&s->of->points, after->ops[i].pc);
		if (id != POINT_FORCED && point_set_has(&s->job->points, id))
			return true;
	}
	return false;
}

/* ---- jobs ---- */

static void add_all_points(struct deepen *d, bool with_races)
{
	struct point_set set = { { 0 } };
	for (point_id id = 0; id < (with_races ? d->points.all.len : POINT_FIRST_RACE); id++)
		if (!d->points.all.at[id].is_recycled)
			point_set_add(&set, id);
	jobs_add(&d->jobs, &set, true);
	point_set_release(&set);
}

/* With a budget smaller spaces come first: those that change threads at fewer kinds of synchronisation. */
static void add_initial_jobs(struct deepen *d)
{
	static const unsigned subsets[] = { 0, 1u << POINT_LOCK, 1u << POINT_UNLOCK };
	for (size_t i = 0; d->budget > 0 && i < sizeof(subsets) / sizeof(*subsets); i++) {
		struct point_set set = { { 0 } };
		for (point_id id = 0; id < POINT_FIRST_RACE; id++)
			if (id == POINT_FORCED || subsets[i] >> id & 1)
				point_set_add(&set, id);
		/* The minimal one is tried for what it shows soon; it says nothing about points. */
		jobs_add(&d->jobs, &set, subsets[i] != 0);
		point_set_release(&set);
	}
	add_all_points(d, false);
}

void deepen_init(struct deepen *d, double budget, bool goes_on)
{
	*d = (struct deepen){ .budget = budget, .goes_on = goes_on };
	points_init(&d->points);
	jobs_init(&d->jobs, &d->points);
	add_initial_jobs(d);
}

static void space_release(struct job *job)
{
	struct space *s = job->space;
	if (!s)
		return;
	dpor_release(&s->dpor);
	mem_free(s);
	job->space = NULL;
}

void deepen_release(struct deepen *d)
{
	for (size_t i = 0; i < d->jobs.all.len; i++)
		space_release(d->jobs.all.at[i]);
	jobs_release(&d->jobs);
	points_release(&d->points);
	candidates_release(&d->candidates);
	vec_release(&d->spaces);
}

static struct space *space_of(struct deepen *d, struct job *job)
{
	if (!job->space) {
		struct space *s = mem_zero(1, sizeof(*s));
		dpor_init(&s->dpor, false);
		s->dpor.history.may_switch = may_switch;
		s->dpor.history.may_switch_arg = s;
		s->of = d;
		s->job = job;
		s->number = d->spaces.len;
		job->space = s;
		struct explore_space *told = vec_add(&d->spaces);
		told->races = point_set_count(&job->points);
		for (point_id id = 0; id < POINT_FIRST_RACE; id++)
			told->races -= point_set_has(&job->points, id);
	}
	return job->space;
}

/* ---- the search ---- */

static void choose_job(struct deepen *d)
{
	if (d->job && d->job->state == JOB_CANCELLED) {
		space_release(d->job);
		d->job = NULL;
	}
	if (d->job && d->budget > 0) {
		struct job *better = jobs_instead_of(&d->jobs, d->job, d->budget - d->seconds);
		if (better)
			d->job = better;
	}
	if (!d->job)
		d->job = jobs_next(&d->jobs);
}

const struct plan *deepen_plan(struct deepen *d)
{
	for (;;) {
		choose_job(d);
		if (!d->job)
			return NULL;
		struct space *s = space_of(d, d->job);
		const struct plan *p = dpor_plan(&s->dpor);
		if (p) {
			s->since = d->seconds;
			return p;
		}
		d->spaces.at[s->number].is_complete = true;
		jobs_completed(&d->jobs, d->job);
		space_release(d->job);
		d->job = NULL;
		/* What this space showed is part of the next one. */
		if (!(d->budget > 0) && !jobs_are_saturated(&d->jobs))
			add_all_points(d, true);
	}
}

/* What an execution showed becomes points, and with a budget spaces of their own. */
static void use_candidates(struct deepen *d)
{
	for (; d->candidates_used < d->candidates.found.len; d->candidates_used++) {
		const struct candidate *c = &d->candidates.found.at[d->candidates_used];
		for (int later = 0; later < 2; later++) {
			bool is_new;
			point_id id = points_add(&d->points, later ? c->later : c->earlier, !later, c->is_recycled, &is_new);
			if (d->budget > 0)
				jobs_candidate(&d->jobs, d->job, id, is_new);
		}
	}
}

static void estimate(struct deepen *d, struct space *s)
{
	s->seconds += d->seconds - s->since;
	s->since = d->seconds;
	double done = dpor_progress(&s->dpor);
	d->job->eta = done > 0 ? s->seconds / done - s->seconds : 1e18;
}

int deepen_take(struct deepen *d, const struct execution *x, bool *is_redundant, struct err *err)
{
	struct space *s = d->job->space;
	candidates_collect(&d->candidates, x);
	int rc = dpor_take(&s->dpor, x, is_redundant, err);
	if (rc)
		return rc;
	d->failed_plans += s->dpor.diverged + s->dpor.missed - s->failed_plans;
	s->failed_plans = s->dpor.diverged + s->dpor.missed;
	struct explore_space *told = &d->spaces.at[s->number];
	told->executions += !*is_redundant;
	told->redundant += *is_redundant;
	d->job->executions++;
	use_candidates(d);
	if (d->budget > 0)
		estimate(d, s);
	if (x->end == EXPLORE_FAILURE && !d->goes_on)
		jobs_found_bug(&d->jobs, d->job);
	return 0;
}

bool deepen_is_complete(const struct deepen *d)
{
	return !d->job && jobs_are_saturated(&d->jobs);
}

static bool has_pair(const struct deepen *d, uint64_t earlier, uint64_t later)
{
	for (size_t i = 0; i < d->candidates.found.len; i++) {
		const struct candidate *c = &d->candidates.found.at[i];
		if (c->earlier == earlier && c->later == later && !c->is_recycled)
			return true;
	}
	return false;
}

struct deepen_classes deepen_classify(const struct deepen *d)
{
	struct deepen_classes n = { 0 };
	for (size_t i = 0; i < d->candidates.found.len; i++) {
		const struct candidate *c = &d->candidates.found.at[i];
		if (c->is_recycled) {
			n.recycled += !has_pair(d, c->earlier, c->later);
			continue;
		}
		if (c->earlier == c->later || !has_pair(d, c->later, c->earlier))
			n.one_order += c->earlier != c->later;
		else if (c->earlier < c->later)
			n.both_orders++;
		n.both_orders += c->earlier == c->later;
	}
	return n;
}

/* ---- as a strategy ---- */

struct timed {
	struct deepen deepen;
	struct timespec start;
};

static void *new_deepening(const struct explore_config *c)
{
	struct timed *t = mem_zero(1, sizeof(*t));
	deepen_init(&t->deepen, (double)c->max_seconds, c->goes_on);
	clock_gettime(CLOCK_MONOTONIC, &t->start);
	return t;
}

static void free_deepening(void *state)
{
	struct timed *t = state;
	deepen_release(&t->deepen);
	mem_free(t);
}

static void look_at_clock(struct timed *t)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	t->deepen.seconds = (double)(now.tv_sec - t->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - t->start.tv_nsec);
}

static const struct plan *plan_deepening(void *state)
{
	struct timed *t = state;
	if (t->deepen.budget > 0)
		look_at_clock(t);
	return deepen_plan(&t->deepen);
}

static int take_deepening(void *state, const struct execution *x, bool *is_redundant, struct err *err)
{
	struct timed *t = state;
	if (t->deepen.budget > 0)
		look_at_clock(t);
	return deepen_take(&t->deepen, x, is_redundant, err);
}

static uint64_t failed_deepening(const void *state)
{
	return ((const struct timed *)state)->deepen.failed_plans;
}

/* Of the present space: what comes after it is not known. */
static double progress_deepening(const void *state)
{
	const struct deepen *d = &((const struct timed *)state)->deepen;
	return d->job && d->job->space ? dpor_progress(&((const struct space *)d->job->space)->dpor) : 0;
}

static void sum_up_deepening(const void *state, struct explore_result *r)
{
	const struct deepen *d = &((const struct timed *)state)->deepen;
	for (size_t i = 0; i < d->spaces.len; i++)
		vec_push(&r->spaces, d->spaces.at[i]);
	struct deepen_classes classes = deepen_classify(d);
	r->races_both_orders = classes.both_orders;
	r->races_one_order = classes.one_order;
	r->is_partial = !deepen_is_complete(d);
}

const struct strategy strategy_deepening = { "deepening", true, new_deepening, free_deepening, plan_deepening,
					     take_deepening, failed_deepening, progress_deepening, sum_up_deepening,
					     NULL };
