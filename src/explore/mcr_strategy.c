/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximal causality reduction as a strategy of heddle check; see mcr.h.
 */
#include "base/alloc.h"
#include "explore/explore.h"
#include "explore/mcr.h"

struct mcr_state {
	struct mcr mcr;
	uint64_t failed_plans;	/* that were told */
};

static struct mcr_state *new_state(enum mcr_classes classes, bool excludes)
{
	struct mcr_state *s = mem_zero(1, sizeof(*s));
	mcr_init(&s->mcr, classes, excludes);
	return s;
}

static void *new_by_writer(const struct explore_config *c)
{
	(void)c;
	return new_state(MCR_BY_WRITER, true);
}

static void *new_by_value(const struct explore_config *c)
{
	(void)c;
	return new_state(MCR_BY_VALUE, true);
}

static void *new_plain(const struct explore_config *c)
{
	(void)c;
	return new_state(MCR_BY_WRITER, false);
}

static void free_mcr(void *state)
{
	mcr_release(&((struct mcr_state *)state)->mcr);
	mem_free(state);
}

static const struct plan *plan_mcr(void *state, unsigned worker, bool *is_over)
{
	(void)worker;
	const struct plan *p = mcr_plan(&((struct mcr_state *)state)->mcr);
	*is_over = !p;
	return p;
}

static int take_mcr(void *state, unsigned worker, const struct execution *x, struct taken *t, struct err *err)
{
	(void)worker;
	struct mcr_state *s = state;
	int rc = mcr_take(&s->mcr, x, &t->is_redundant, err);
	/* A question without an answer may hide something, as a plan that was not followed. */
	t->failed_plans = s->mcr.diverged + s->mcr.unknown - s->failed_plans;
	s->failed_plans = s->mcr.diverged + s->mcr.unknown;
	t->was_test = mcr_expects_divergence(&s->mcr);
	return rc;
}

static double progress_mcr(void *state)
{
	return mcr_progress(&((struct mcr_state *)state)->mcr);
}

static void sum_up_mcr(const void *state, struct explore_result *r)
{
	/* What was explored before classes were known to be others has been explored again. */
	uint64_t wasted = ((const struct mcr_state *)state)->mcr.wasted;
	r->executions -= wasted;
	r->redundant += wasted;
	r->classes_are = mcr_is_by_value(&((const struct mcr_state *)state)->mcr) ? "by value" : "by writer";
}

#define MCR_STRATEGY(word, begin)                                                                                      \
	{                                                                                                              \
		.name = word, .is_exhaustive = true, .is_alone = true, .new = begin, .end = free_mcr, .plan = plan_mcr, \
		.take = take_mcr, .progress = progress_mcr, .sum_up = sum_up_mcr,                                      \
	}

const struct strategy strategy_mcr = MCR_STRATEGY("mcr", new_by_writer);
const struct strategy strategy_mcr_value = MCR_STRATEGY("mcr-value", new_by_value);
/* For comparison: what was explored elsewhere is not left out. */
const struct strategy strategy_mcr_plain = MCR_STRATEGY("mcr-plain", new_plain);
