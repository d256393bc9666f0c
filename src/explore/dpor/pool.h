/* SPDX-License-Identifier: Apache-2.0 */
/* One search by dpor with its walkers, one for each worker.  The strategies dpor and dfs are one;
 * deepening has one for each state space. */
#ifndef HEDDLE_EXPLORE_DPOR_POOL_H
#define HEDDLE_EXPLORE_DPOR_POOL_H

#include "explore/dpor/shared.h"
#include "explore/explore.h"

struct dpor_pool {
	struct worktree tree;
	struct dpor_worker {
		struct dpor dpor;
		uint64_t failed_plans, bounded; /* that were reported */
	} * workers;
	unsigned count;
};

void dpor_pool_init(struct dpor_pool *p, const struct explore_config *c, bool is_total);
void dpor_pool_release(struct dpor_pool *p);
/* As in struct strategy. */
const struct plan *dpor_pool_plan(struct dpor_pool *p, unsigned worker, bool *is_over);
int dpor_pool_take(struct dpor_pool *p, unsigned worker, const struct execution *x, struct taken *t,
		   struct err *err);
double dpor_pool_progress(struct dpor_pool *p);
/* The same as far as one worker knows, while others may be in plan or take. */
double dpor_pool_progress_of(struct dpor_pool *p, unsigned worker);
void dpor_pool_save(const struct dpor_pool *p, struct buf *out);
int dpor_pool_load(struct dpor_pool *p, struct bytes *in, struct err *err);

#endif
