/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximal causality reduction as a strategy of heddle check; see mcr.h.
 */
#include "base/alloc.h"
#include "explore/explore.h"
#include "explore/mcr/mcr.h"

struct mcr_worker {
	struct mcr mcr;
	uint64_t failed_plans; /* that were reported */
};

struct mcr_state {
	struct mcr_tree tree;
	unsigned count;
	struct mcr_worker *workers;
};

static struct mcr_state *new_state(const struct explore_config *c, bool by_value, bool excludes)
{
	struct mcr_state *s = mem_zero(1, sizeof(*s));
	mcr_tree_init(&s->tree, c->workers, by_value, excludes);
	s->tree.work.wake = c->wake;
	s->tree.work.wake_arg = c->wake_arg;
	s->count = c->workers;
	s->workers = mem_zero(s->count, sizeof(*s->workers));
	for (unsigned i = 0; i < s->count; i++) {
		mcr_init(&s->workers[i].mcr, &s->tree);
		s->workers[i].mcr.sources.depends = c->depends;
		s->workers[i].mcr.cancellation = c->cancellation;
	}
	return s;
}

static void *new_by_writer(const struct explore_config *c)
{
	return new_state(c, false, true);
}

static void *new_by_value(const struct explore_config *c)
{
	return new_state(c, true, true);
}

static void *new_plain(const struct explore_config *c)
{
	return new_state(c, false, false);
}

static void free_mcr(void *state)
{
	struct mcr_state *s = state;
	for (unsigned i = 0; i < s->count; i++)
		mcr_release(&s->workers[i].mcr);
	mem_free(s->workers);
	mcr_tree_release(&s->tree);
	mem_free(s);
}

static const struct plan *plan_mcr(void *state, unsigned worker, bool *is_over)
{
	struct mcr_state *s = state;
	const struct plan *p = mcr_plan(&s->workers[worker].mcr);
	*is_over = !p && worktree_is_over(&s->tree.work);
	return p;
}

static int take_mcr(void *state, unsigned worker, const struct execution *x, struct taken *t,
		    struct err *err)
{
	struct mcr_worker *w = &((struct mcr_state *)state)->workers[worker];
	int rc = mcr_take(&w->mcr, x, &t->is_redundant, err);
	/* A question without an answer may hide something, as a plan that was not followed. */
	t->failed_plans = w->mcr.diverged + w->mcr.unknown - w->failed_plans;
	w->failed_plans = w->mcr.diverged + w->mcr.unknown;
	t->is_given_up = w->mcr.cancellation.is_cancelled && !rc;
	t->was_test = mcr_expects_divergence(&w->mcr);
	return rc;
}

static double progress_mcr(void *state)
{
	return worktree_progress(&((struct mcr_state *)state)->tree.work);
}

static void sum_up_mcr(const void *state, struct explore_result *r)
{
	const struct mcr_state *s = state;
	/* What was explored before classes were known to be others has been explored again. */
	r->executions -= s->tree.wasted;
	r->redundant += s->tree.wasted;
	for (unsigned i = 0; i < s->count; i++)
		r->order_seconds += s->workers[i].mcr.arrangement.seconds;
	r->classes_are = s->tree.by_value ? "by value" : "by writer";
}

static void save_mcr(const void *state, struct buf *out)
{
	mcr_tree_save(&((const struct mcr_state *)state)->tree, out);
}

static int load_mcr(void *state, struct bytes *in, struct err *err)
{
	return mcr_tree_load(&((struct mcr_state *)state)->tree, in, err);
}

#define MCR_STRATEGY(begin)                                                             \
	{                                                                               \
		.is_exhaustive = true, .new = begin, .end = free_mcr, .plan = plan_mcr, \
		.take = take_mcr, .progress = progress_mcr, .sum_up = sum_up_mcr,       \
		.save = save_mcr, .load = load_mcr,                                     \
	}

const struct strategy strategy_mcr = MCR_STRATEGY(new_by_writer);
const struct strategy strategy_mcr_value = MCR_STRATEGY(new_by_value);
/* For comparison: what was explored elsewhere is not left out. */
const struct strategy strategy_mcr_plain = MCR_STRATEGY(new_plain);
