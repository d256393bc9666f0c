/* SPDX-License-Identifier: Apache-2.0 */
/* A whole execution as a plan: every turn that it took. */
#ifndef HEDDLE_EXPLORE_SCHEDULE_H
#define HEDDLE_EXPLORE_SCHEDULE_H

#include "base/vec.h"
#include "exec/execution.h"

struct schedule {
	VEC(struct wire_turn) turns;
	VEC(uint32_t) choices;
	uint64_t preemptions; /* turns that were taken from a thread that could have gone on */
};

void schedule_of(struct schedule *s, const struct execution *x);
uint64_t schedule_preemptions(const struct execution *x);
void schedule_release(struct schedule *s);
/* its first turns */
struct plan schedule_plan(const struct schedule *s, size_t turns);

#endif
