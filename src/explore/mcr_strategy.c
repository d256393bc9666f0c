/* SPDX-License-Identifier: Apache-2.0 */
/* Maximal causality reduction as a strategy of heddle check; see mcr.h. */
#include "base/alloc.h"
#include "explore/explore.h"
#include "explore/mcr.h"

static void *new_mcr(const struct explore_config *c)
{
	(void)c;
	struct mcr *m = mem_alloc(sizeof(*m));
	mcr_init(m);
	return m;
}

static void free_mcr(void *state)
{
	mcr_release(state);
	mem_free(state);
}

static const struct plan *plan_mcr(void *state)
{
	return mcr_plan(state);
}

static int take_mcr(void *state, const struct execution *x, bool *is_redundant, struct err *err)
{
	return mcr_take(state, x, is_redundant, err);
}

/* A question without an answer may hide something, as a plan that was not followed. */
static uint64_t failed_mcr(const void *state)
{
	const struct mcr *m = state;
	return m->diverged + m->unknown;
}

static bool expects_divergence_mcr(const void *state)
{
	return mcr_expects_divergence(state);
}

static double progress_mcr(const void *state)
{
	return mcr_progress(state);
}

const struct strategy strategy_mcr = { "mcr", true, new_mcr, free_mcr, plan_mcr, take_mcr, failed_mcr, progress_mcr, NULL,
				       expects_divergence_mcr };
