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

static void *new_mcr(const struct explore_config *c)
{
	(void)c;
	struct mcr_state *s = mem_zero(1, sizeof(*s));
	mcr_init(&s->mcr);
	return s;
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

const struct strategy strategy_mcr = { .name = "mcr", .is_exhaustive = true, .is_alone = true, .new = new_mcr, .end = free_mcr, .plan = plan_mcr,
				       .take = take_mcr, .progress = progress_mcr };
