/* SPDX-License-Identifier: Apache-2.0 */
/* Iterative deepening: races found in one state space give the next ones; see deepen.h. */
#include "explore/deepening/deepen.h"

#include <time.h>

#include "base/clock.h"
#include "wire/fault.h"

#define SMALLER_AFTER 8 /* part of the budget, before which no smaller space is tried */

/* Any kind but those that are named: a point too many costs time, one too few loses executions. */
static bool op_synchronises(const struct wire_op *op)
{
	if (op->kind == EV_FAILURE) {
		if (FAULT(FAILED_ACCESS_SYNCHRONISES))
			return true;
		return op->mode != FAILED_PLAIN_ACCESS;
	}
	bool is_access = op->kind == EV_READ || op->kind == EV_WRITE;
	bool is_own = op->kind == EV_INITIAL || op->kind == EV_BRANCH || op->kind == EV_CLOCK ||
		      op->kind == EV_OUTSIDE_WRITE;
	return is_access ? op->mode != MODE_PLAIN : !is_own;
}

/*
 * Whether a step is one that threads may be changed in front of, and behind.  It must not matter
 * whether an access in it fails, which is up to others: where a thread may be interrupted would
 * be different for the same steps of it, and what was planned with one division could not be made
 * with the other.  Accesses that fail are points of their own instead (candidates.h), in all
 * executions of the spaces that have them.  Of a function of libc, other than those of memory and
 * strings, it is not known what else it would have done: its failure is synchronisation.
 */
static bool is_synchronisation(const struct wire_op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (op_synchronises(&ops[i]))
			return true;
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

/*
 * A step with a choice is a move of its own.  The answers to several would be alternatives of
 * one node, and their number grows exponentially; one after the other they are a tree of nodes,
 * of which only the path that is being explored is kept.  Steps behind a choice may be made by
 * another move in another execution (wakeup.c), which does not choose again.
 */
static bool has_choice(const struct step_ops *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->ops[i].kind == EV_CHOICE)
			return true;
	return false;
}

/* Whether threads may change between two steps of a thread. */
static bool may_switch(void *arg, const struct step_ops *before, const struct step_ops *after)
{
	const struct space *s = arg;
	if (has_choice(before) || has_choice(after))
		return true;
	if (is_synchronisation(before->ops, before->count) &&
	    point_set_has(&s->job->points, sync_point(before->ops, before->count)))
		return true;
	if (is_synchronisation(after->ops, after->count))
		return point_set_has(&s->job->points, sync_point(after->ops, after->count));
	for (size_t i = 0; i < after->count; i++)
		if (map_get(&s->racing, after->ops[i].pc))
			return true;
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

/* A space that has, beside the forced changes of threads, kinds of synchronisation and one racing
 * instruction (0: none). */
static void add_smaller(struct deepen *d, unsigned kinds, point_id race, bool may_spawn)
{
	struct point_set set = { { 0 } };
	for (point_id id = 0; id < POINT_FIRST_RACE; id++)
		if (id == POINT_FORCED || kinds >> id & 1)
			point_set_add(&set, id);
	if (race)
		point_set_add(&set, race);
	jobs_add(&d->jobs, &set, may_spawn);
	point_set_release(&set);
}

/*
 * The budget does not suffice for the space with everything, so smaller ones are worth their
 * executions: those that change threads at fewer kinds of synchronisation, and at one racing
 * instruction each.  Spaces that would be equal because the program has no locks are added once.
 * The present space is suspended.
 */
void deepen_try_smaller(struct deepen *d)
{
	static const unsigned locks = 1u << POINT_LOCK, unlocks = 1u << POINT_UNLOCK;
	static const unsigned all = (1u << POINT_FIRST_RACE) - 1;
	d->tries_smaller = true;
	/* The minimal one is tried for what it shows soon; it does not spawn jobs. */
	add_smaller(d, 0, 0, false);
	if (d->has_locks) {
		add_smaller(d, locks, 0, true);
		add_smaller(d, unlocks, 0, true);
	}
	add_smaller(d, all, 0, true);
	for (point_id id = POINT_FIRST_RACE; id < d->points.all.len; id++) {
		if (d->points.all.at[id].is_recycled)
			continue;
		add_smaller(d, 0, id, false);
		add_smaller(d, all, id, true);
	}
	if (d->job)
		d->job->state = JOB_SUSPENDED;
	d->job = NULL;
}

void deepen_init(struct deepen *d, const struct explore_config *c)
{
	*d = (struct deepen){ .config = c,
			      .lock = PTHREAD_MUTEX_INITIALIZER,
			      .budget = (double)c->max_seconds };
	d->workers = mem_zero(c->workers, sizeof(*d->workers));
	for (unsigned i = 0; i < c->workers; i++)
		d->workers[i].candidates.cancellation = c->cancellation;
	points_init(&d->points);
	jobs_init(&d->jobs, &d->points);
	add_all_points(d, false);
}

static void space_release(struct job *job)
{
	struct space *s = job->space;
	if (!s)
		return;
	dpor_pool_release(&s->pool);
	map_release(&s->racing);
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
	for (unsigned i = 0; i < d->config->workers; i++)
		candidates_release(&d->workers[i].candidates);
	mem_free(d->workers);
	vec_release(&d->spaces);
	pthread_mutex_destroy(&d->lock);
}

struct space *space_new(struct deepen *d, struct job *job, size_t number)
{
	struct space *s = mem_zero(1, sizeof(*s));
	dpor_pool_init(&s->pool, d->config, false);
	for (unsigned i = 0; i < d->config->workers; i++) {
		struct moves *h = &s->pool.workers[i].dpor.history;
		h->may_switch = may_switch;
		h->may_switch_arg = s;
	}
	/* What is a point may become more while others search; the space keeps what it has. */
	for (point_id id = POINT_FIRST_RACE; id < d->points.all.len; id++)
		if (point_set_has(&job->points, id))
			map_put(&s->racing, d->points.all.at[id].pc, NULL);
	s->job = job;
	s->number = number;
	job->space = s;
	return s;
}

static struct space *space_of(struct deepen *d, struct job *job)
{
	if (job->space)
		return job->space;
	struct space *s = space_new(d, job, d->spaces.len);
	vec_add(&d->spaces)->races = s->racing.len;
	return s;
}

/* ---- the search ---- */

/*
 * Smaller spaces repeat executions of the larger ones, so they are tried only where the larger
 * one seems to be out of reach, and an estimate is trusted only after a good part of the budget:
 * a search that ends before does the same with and without a limit of time.
 */
static void suspend_too_long(struct deepen *d)
{
	const struct space *s = d->job->space;
	double left = d->budget - d->seconds;
	if (!s || s->seconds < d->budget / SMALLER_AFTER || !jobs_is_too_long(d->job, left))
		return;
	if (!d->tries_smaller) {
		deepen_try_smaller(d);
		return;
	}
	struct job *better = jobs_instead_of(&d->jobs, d->job, left);
	if (better)
		d->job = better;
}

static void choose_job(struct deepen *d)
{
	if (d->job && d->job->state == JOB_CANCELLED)
		d->job = NULL;
	if (d->job && d->budget > 0)
		suspend_too_long(d);
	if (!d->job)
		d->job = jobs_next(&d->jobs);
	/* All smaller spaces are over, and there is time left for the one that has everything. */
	bool needs_whole = !d->job && d->tries_smaller && !jobs_are_saturated(&d->jobs);
	if (FAULT(DEEPENING_SKIPS_WHOLE_SPACE))
		needs_whole = false;
	if (needs_whole) {
		add_all_points(d, true);
		d->job = jobs_next(&d->jobs);
	}
}

/* A space that is over or cancelled is released with the last worker that is in it. */
static void leave_space(struct job *job)
{
	struct space *s = job->space;
	if (!--s->users && (job->state == JOB_COMPLETED || job->state == JOB_CANCELLED))
		space_release(job);
}

/* The space has been explored to its end; the first worker that sees it marks it. */
static void complete(struct deepen *d, struct job *job)
{
	if (job->state == JOB_COMPLETED || job->state == JOB_CANCELLED)
		return;
	d->spaces.at[((struct space *)job->space)->number].is_complete = true;
	jobs_completed(&d->jobs, job);
	if (d->job == job)
		d->job = NULL;
	/* What this space showed is part of the next one. */
	if (!d->tries_smaller && !jobs_are_saturated(&d->jobs))
		add_all_points(d, true);
}

const struct plan *deepen_plan(struct deepen *d, unsigned worker, bool *is_over)
{
	struct deepen_worker *w = &d->workers[worker];
	const struct plan *p = NULL;
	bool is_waiting = false;
	pthread_mutex_lock(&d->lock);
	if (w->space) {
		/* It has one that was not run. */
		bool ignored;
		p = dpor_pool_plan(&w->space->pool, worker, &ignored);
	}
	while (!p && !is_waiting) {
		choose_job(d);
		struct job *job = d->job;
		if (!job)
			break;
		struct space *s = space_of(d, job);
		s->users++;
		pthread_mutex_unlock(&d->lock);
		bool space_is_over;
		p = dpor_pool_plan(&s->pool, worker, &space_is_over);
		pthread_mutex_lock(&d->lock);
		if (p) {
			w->space = s;
			w->job = job;
			w->since = d->seconds;
			break;
		}
		/* Another one may have its turn by now. */
		is_waiting = !space_is_over && d->job == job;
		if (space_is_over)
			complete(d, job);
		leave_space(job);
	}
	*is_over = !p && !is_waiting;
	pthread_mutex_unlock(&d->lock);
	return p;
}

/* What an execution showed becomes points, and where smaller spaces are tried, spaces of their own.
 */
static void use_candidates(struct deepen *d, struct deepen_worker *w, const struct job *job)
{
	candidates_merge(&d->candidates, &w->candidates, w->merged);
	w->merged = w->candidates.found.len;
	for (; d->candidates_used < d->candidates.found.len; d->candidates_used++) {
		const struct candidate *c = &d->candidates.found.at[d->candidates_used];
		for (int later = c->is_failure; later < 2; later++) {
			bool is_new;
			point_id id = points_add(&d->points, later ? c->later : c->earlier, !later,
						 c->is_recycled, &is_new);
			if (job && d->tries_smaller)
				jobs_candidate(&d->jobs, job, id, is_new);
		}
	}
}

static void cancel(struct deepen *d, struct job *job)
{
	if (job->state != JOB_COMPLETED)
		job->state = JOB_CANCELLED;
	if (d->job == job)
		d->job = NULL;
}

/*
 * What counts is the space with all points, unless it takes too long.  One that lacks some is
 * explored for what it shows with few changes of threads, and for points; when it has been quiet
 * for a while it is left for the larger one, which contains it.  Executions that other workers
 * have under way in it are still made, so how many it has may depend on the number of workers.
 * The space with all points does not.
 */
static void leave_for_larger(struct deepen *d, struct deepen_worker *w)
{
	struct space *s = w->space;
	if (s->points_known != d->points.all.len) {
		s->points_known = d->points.all.len;
		s->quiet_since = w->job->executions;
	}
	if (d->tries_smaller || w->job->state != JOB_RUNNING ||
	    jobs_has_every_point(&d->jobs, w->job) ||
	    w->job->executions - s->quiet_since < JOBS_MIN_EXECUTIONS)
		return;
	cancel(d, w->job);
	add_all_points(d, true);
}

/* Seconds of several workers count together: so long would one take. */
static void estimate(struct deepen *d, struct deepen_worker *w)
{
	struct space *s = w->space;
	s->seconds += d->seconds - w->since;
	double done = dpor_pool_progress_of(&s->pool, (unsigned)(w - d->workers));
	w->job->eta = done > 0 ? (s->seconds / done - s->seconds) / d->config->workers : 1e18;
}

static bool uses_locks(const struct execution *x)
{
	OPS_EACH (op, x->ops, x->ops_count) {
		if (op->kind == EV_ACQUIRE || op->kind == EV_RELEASE)
			return true;
	}
	return false;
}

/* Whether threads change at all synchronisation: only such a space can be the one that has
 * everything. */
static bool has_all_synchronisation(const struct job *job)
{
	for (point_id id = 0; id < POINT_FIRST_RACE; id++)
		if (!point_set_has(&job->points, id))
			return false;
	return true;
}

int deepen_take(struct deepen *d, unsigned worker, const struct execution *x, struct taken *t,
		struct err *err)
{
	struct deepen_worker *w = &d->workers[worker];
	t->is_given_up = !candidates_collect(&w->candidates, x);
	int rc = t->is_given_up ? 0 : dpor_pool_take(&w->space->pool, worker, x, t, err);
	if (rc || t->is_given_up)
		return rc;
	/*
	 * Where few points are, a move may be so coarse that another thread keeps it from being
	 * made again as a whole.  Then the space is left: what it has is in the one that has
	 * everything, too.
	 */
	bool is_left =
		!has_all_synchronisation(w->job) && (t->failed_plans || x->end == EXPLORE_DIVERGED);
	if (is_left) {
		t->was_test = true;
		t->failed_plans = 0;
	}
	pthread_mutex_lock(&d->lock);
	struct explore_space *space = &d->spaces.at[w->space->number];
	space->executions += !t->is_redundant;
	space->redundant += t->is_redundant;
	w->job->executions++;
	use_candidates(d, w, w->job);
	if (d->budget > 0) {
		d->has_locks = d->has_locks || uses_locks(x);
		estimate(d, w);
	}
	if (explore_ends_with(d->config, x))
		jobs_found_bug(&d->jobs, w->job);
	if (is_left)
		cancel(d, w->job);
	leave_for_larger(d, w);
	leave_space(w->job);
	w->space = NULL;
	pthread_mutex_unlock(&d->lock);
	return 0;
}

/*
 * An execution of no space.  What races in it is a point: a candidate is a property of the
 * execution, in whatever way its threads were changed, and the theorem asks for all that are
 * known.
 */
void deepen_observe(struct deepen *d, unsigned worker, const struct execution *x, struct taken *t)
{
	struct deepen_worker *w = &d->workers[worker];
	t->is_given_up = !candidates_collect(&w->candidates, x);
	if (t->is_given_up)
		return;
	pthread_mutex_lock(&d->lock);
	use_candidates(d, w, NULL);
	pthread_mutex_unlock(&d->lock);
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
		if (c->is_failure)
			continue;
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
