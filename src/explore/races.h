/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data races in one execution: two accesses of different threads to common bytes, at least one of them a
 * write, not both atomic, that no synchronisation orders.  This is the order of the language and its library
 * (creation and join, locks, semaphores, barriers, once, atomics with their memory orders, fences), not that
 * of the schedule: so one execution of a class shows the races of all of them.
 */
#ifndef HEDDLE_EXPLORE_RACES_H
#define HEDDLE_EXPLORE_RACES_H

#include "base/map.h"
#include "base/vec.h"
#include "exec/execution.h"
#include "explore/schedule.h"

#define RACES_THREADS 256

struct race {
	uint64_t first_pc, second_pc;	/* in the order in which they were executed */
	uint64_t address;
	uint32_t first_thread, second_thread;
	uint8_t first_kind, second_kind;	/* enum event_kind */
	uint64_t executions;
	uint64_t second_hook;
	struct schedule schedule;	/* of the first execution that showed it, up to the second access */
};

struct races {
	VEC(struct race) found;		/* each pair of places once */
	uint64_t left_out;		/* executions with more threads than are looked at */

	/* Private. */
	struct map seen;
	struct races_state *state;
};

void races_find(struct races *r, const struct execution *x);
/* Those of one become part of the other, and are taken out of it. */
void races_merge(struct races *to, struct races *from);
void races_release(struct races *r);

#endif
