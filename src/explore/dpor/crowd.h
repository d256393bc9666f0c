/* SPDX-License-Identifier: Apache-2.0 */
/* One search and its walkers, one for each worker: what the strategies of reduction, each state
 * space of deepening included, have. */
#ifndef HEDDLE_EXPLORE_DPOR_CROWD_H
#define HEDDLE_EXPLORE_DPOR_CROWD_H

#include "explore/explore.h"
#include "explore/dpor/share.h"

struct crowd {
	struct search search;
	struct crowd_walker {
		struct dpor dpor;
		uint64_t failed_plans, bounded; /* that were told */
	} * walkers;
	unsigned count;
};

void crowd_init(struct crowd *c, const struct explore_config *config, bool is_total);
void crowd_release(struct crowd *c);
/* As in struct strategy. */
const struct plan *crowd_plan(struct crowd *c, unsigned worker, bool *is_over);
int crowd_take(struct crowd *c, unsigned worker, const struct execution *x, struct taken *t,
	       struct err *err);
double crowd_progress(struct crowd *c);
/* The same as far as one worker knows, which may be in plan or take. */
double crowd_progress_of(struct crowd *c, unsigned worker);
void crowd_save(const struct crowd *c, struct buf *out);
int crowd_load(struct crowd *c, struct bytes *in, struct err *err);

#endif
