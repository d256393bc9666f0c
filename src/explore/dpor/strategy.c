/* SPDX-License-Identifier: Apache-2.0 */
/* The strategies dpor and dfs of heddle check; see dpor.h.  dfs is the same search with every two
 * moves dependent. */
#include "base/alloc.h"
#include "explore/dpor/pool.h"

static void *new_dpor(const struct explore_config *c)
{
	struct dpor_pool *p = mem_alloc(sizeof(*p));
	dpor_pool_init(p, c, false);
	return p;
}

static void *new_dfs(const struct explore_config *c)
{
	struct dpor_pool *p = mem_alloc(sizeof(*p));
	dpor_pool_init(p, c, true);
	return p;
}

static void end(void *state)
{
	dpor_pool_release(state);
	mem_free(state);
}

static const struct plan *plan(void *state, unsigned worker, bool *is_over)
{
	return dpor_pool_plan(state, worker, is_over);
}

static int take(void *state, unsigned worker, const struct execution *x, struct taken *t,
		struct err *err)
{
	return dpor_pool_take(state, worker, x, t, err);
}

static double progress(void *state)
{
	return dpor_pool_progress(state);
}

static void save(const void *state, struct buf *out)
{
	dpor_pool_save(state, out);
}

static int load(void *state, struct bytes *in, struct err *err)
{
	return dpor_pool_load(state, in, err);
}

#define DPOR_STRATEGY(begin, knows)                                                                 \
	{                                                                                    \
		.knows_loops = knows, .is_exhaustive = true, .new = begin, .end = end, .plan = plan, .take = take, \
		.progress = progress, .save = save, .load = load,                            \
	}

const struct strategy strategy_dpor = DPOR_STRATEGY(new_dpor, true);
const struct strategy strategy_dfs = DPOR_STRATEGY(new_dfs, false);
