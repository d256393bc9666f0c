/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds for programs that do not end, as a server or a loop that starts threads.
 *
 * The limits of steps and threads that hold by default are there to notice such a program, not to
 * explore it: executions that long are few, and what a search learns from them lies at their far
 * end.  So if the very first execution reaches one of them, and the user did not choose it, the
 * search begins again with few steps.  When all is explored that they allow, it continues with a
 * quarter more, until there were as many executions as a user waits for.  It ends by counts, so
 * the same search gives the same result on every machine.
 *
 * None of these searches is complete, and the verdict says so.  Not even every schedule of so
 * many steps is known to be covered: a race with a step that lies behind the limit in all
 * executions was not seen.
 *
 * Likewise for loops that poll and are not recognised as waiting (rt/rounds.c): if a search has
 * met one and has made many rounds or executions without an end, it begins again with a bound of
 * few rounds, and then with twice as many each time all is explored that they allow, while that
 * is cheap.  A search in which the bound cut nothing is one without a bound, and may be complete.
 *
 * Likewise for loops that do something in each round, as long as a choice or another thread lets
 * them.  They are known by their effect: executions become longer without an end (STOP_GROWS).
 */
#include "base/alloc.h"
#include "check/check.h"

#define FIRST_STEPS 64
#define FEW_THREADS 32 /* unless the user gave a limit */
/* Without a bound: rounds of loops that poll, and executions of a search that has met some. */
#define MOST_POLLED 5000
#define MOST_WITH_POLLS 20000
#define MOST_GROWING 1000000 /* hooks of a search whose executions become longer and longer */
#define FIRST_ROUNDS 2
#define FEW_ROUNDS 30000 /* executions times rounds that are cheap enough to try more */
#define ALL_EXECUTIONS \
	20000 /* of the searches together, unless the user gave a limit of any kind */

static bool has_limit(const struct check_options *o)
{
	return o->executions || o->seconds;
}

static void limit_threads(struct check *c, struct worker *const *workers, uint64_t threads)
{
	c->options.threads = threads;
	for (uint64_t i = 0; i < c->options.jobs; i++)
		worker_limit_threads(workers[i], threads);
}

static void limit_steps(struct check *c, struct worker *const *workers, uint64_t steps)
{
	c->options.steps = steps;
	for (uint64_t i = 0; i < c->options.jobs; i++)
		worker_limit_steps(workers[i], steps);
}

static void limit_rounds(struct check *c, struct worker *const *workers, uint64_t rounds)
{
	c->options.rounds = rounds;
	for (uint64_t i = 0; i < c->options.jobs; i++)
		worker_limit_rounds(workers[i], rounds);
}

static void limit_loops(struct check *c, struct worker *const *workers, uint64_t rounds)
{
	c->options.loops = rounds;
	for (uint64_t i = 0; i < c->options.jobs; i++)
		worker_limit_loops(workers[i], rounds);
}

static uint64_t made(const struct explore_result *r)
{
	return r->executions + r->redundant + r->drawn;
}

static bool has_found(const struct explore_result *r)
{
	return r->races.found.len || r->failures.len;
}

/* What is left of the limits after `so_far`; false: nothing. */
static bool limit_rest(struct explore_config *config, const struct check_options *o,
		       const struct explore_result *so_far)
{
	uint64_t most = has_limit(o) ? o->executions : ALL_EXECUTIONS;
	uint64_t seconds = (uint64_t)so_far->seconds;
	config->max_executions = most > made(so_far) ? most - made(so_far) : 0;
	config->max_seconds = o->seconds > seconds ? o->seconds - seconds : 0;
	return (!most || config->max_executions) && (!o->seconds || config->max_seconds);
}

/* The result becomes that of both searches, which ended as the later one did. */
static void add_search(struct explore_result *to, struct explore_result *later)
{
	double seconds = to->seconds + later->seconds;
	enum explore_stop stop = later->stop;
	result_merge(later, to);
	explore_result_release(to);
	*to = *later;
	to->stop = stop;
	to->seconds = seconds;
}

/* Searches with more and more steps; all of them make the result. */
static int explore_bounded(struct check *c, struct explore_config *config,
			   struct worker *const *workers, struct err *err)
{
	const struct check_options *o = &c->options;
	struct explore_result *all = &c->result;
	uint64_t steps = FIRST_STEPS;
	*all = (struct explore_result){ 0 };
	config->ledger = NULL;
	config->ends_at_steps = config->ends_at_threads = false;
	if (!o->has_threads)
		limit_threads(c, workers, FEW_THREADS);
	while (steps < CHECK_DEFAULT_STEPS && limit_rest(config, o, all)) {
		struct explore_result later;
		limit_steps(c, workers, steps);
		int rc = explore(config, &later, err);
		if (rc) {
			explore_result_release(&later);
			return rc;
		}
		bool has_more = later.gaps.step_limit;
		add_search(all, &later);
		if (all->stop != STOP_DONE || !has_more)
			break;
		steps += steps / 4;
	}
	if (all->stop == STOP_EXECUTIONS && !o->executions)
		all->stop = STOP_DONE; /* the bounds say it */
	return 0;
}

/* Bounds the rounds of polling loops, or of all loops. */
static void limit_kind(struct check *c, struct worker *const *workers, bool is_of_all,
		       uint64_t rounds)
{
	if (is_of_all)
		limit_loops(c, workers, rounds);
	else
		limit_rounds(c, workers, rounds);
}

/*
 * A search whose loops, those that poll or all, make too many rounds, with bounds of rounds; all
 * of the searches make the result.  The first one may take as long as any search; a further one
 * that takes longer than the user waits for is cut off.  Gives STOP_ENDLESS as it is if the
 * program has no end with such a bound, either, and STOP_GROWS if bounded polling loops do not
 * make an end.
 */
static int explore_rounds(struct check *c, struct explore_config *config,
			  struct worker *const *workers, bool is_of_all, struct err *err)
{
	const struct check_options *o = &c->options;
	struct explore_result *all = &c->result;
	bool was_endless = all->stop == STOP_ENDLESS;
	uint64_t *bound = is_of_all ? &c->loops : &c->rounds;
	config->ledger = NULL;
	config->max_polled = config->max_with_polls = 0;
	for (uint64_t rounds = FIRST_ROUNDS;; rounds *= 2) {
		struct explore_result later;
		if (has_limit(o) && !limit_rest(config, o, all))
			break;
		if (!has_limit(o))
			config->max_executions = config->max_seconds = 0;
		bool is_capped = *bound && (!config->max_executions ||
					    config->max_executions > ALL_EXECUTIONS);
		if (is_capped)
			config->max_executions = ALL_EXECUTIONS;
		if (is_of_all || *bound)
			config->max_growing = 0; /* a bound holds; more is an extra */
		limit_kind(c, workers, is_of_all, rounds);
		int rc = explore(config, &later, err);
		if (rc) {
			explore_result_release(&later);
			return rc;
		}
		uint64_t cost = made(&later) * rounds;
		bool is_cut = later.gaps.round_limit, is_done = later.stop == STOP_DONE;
		if (later.stop == STOP_ENDLESS && !*bound) {
			explore_result_release(&later);
			limit_kind(c, workers, is_of_all, 0);
			return 0;
		}
		if (is_done || !*bound)
			*bound = rounds;
		if (was_endless && rounds == FIRST_ROUNDS)
			all->gaps.step_limit = all->gaps.thread_limit = 0;
		add_search(all, &later);
		if (is_done && !is_cut)
			all->gaps.round_limit = 0;
		if (is_capped && all->stop == STOP_EXECUTIONS)
			all->stop = STOP_DONE; /* the bound says it */
		if (!is_done || !is_cut || cost > FEW_ROUNDS)
			break;
	}
	/* What was found with any bound is shown without one, unless there is no end without. */
	if (!was_endless)
		limit_kind(c, workers, is_of_all, 0);
	return 0;
}

/* The search in which executions become longer without an end, with all loops bounded. */
static int explore_loops(struct check *c, struct explore_config *config,
			 struct worker *const *workers, struct err *err)
{
	/* Bounds of polling loops, and what they cut, are part of the new ones. */
	limit_rounds(c, workers, 0);
	c->rounds = 0;
	c->result.gaps.round_limit = c->result.gaps.step_limit = 0;
	c->result.is_partial = false;
	for (size_t i = 0; i < c->result.polls.len; i++)
		c->result.polls.at[i].cut = 0;
	return explore_rounds(c, config, workers, true, err);
}

int check_explore(struct check *c, struct explore_config *config, struct worker *const *workers,
		  struct err *err)
{
	const struct check_options *o = &c->options;
	bool may_choose = config->strategy->is_exhaustive && !o->has_steps;
	config->ends_at_steps = may_choose;
	config->ends_at_threads = may_choose && !o->has_threads;
	if (config->strategy->is_exhaustive && !o->has_rounds) {
		config->max_polled = MOST_POLLED;
		config->max_with_polls = MOST_WITH_POLLS;
	}
	config->max_growing = may_choose && !o->has_loops && !o->has_rounds ? MOST_GROWING : 0;
	c->rounds = o->rounds;
	c->loops = o->loops;
	int rc = explore(config, &c->result, err);
	bool polls = !o->has_rounds && config->strategy->is_exhaustive && c->result.polls.len;
	if (!rc && (c->result.stop == STOP_POLLS || (c->result.stop == STOP_ENDLESS && polls)))
		rc = explore_rounds(c, config, workers, false, err);
	if (!rc && c->result.stop == STOP_GROWS)
		rc = explore_loops(c, config, workers, err);
	if (rc || c->result.stop != STOP_ENDLESS)
		return rc;
	struct explore_result first = c->result;
	c->is_endless = true;
	rc = explore_bounded(c, config, workers, err);
	/* What only a long execution shows is found in as many steps. */
	if (!rc && has_found(&first) && !has_found(&c->result)) {
		first.seconds = 0;
		enum explore_stop stop = c->result.stop;
		result_merge(&c->result, &first);
		c->result.stop = stop;
		limit_steps(c, workers, CHECK_DEFAULT_STEPS);
		if (!o->has_threads)
			limit_threads(c, workers, CHECK_DEFAULT_THREADS);
	}
	explore_result_release(&first);
	return rc;
}
