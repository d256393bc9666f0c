/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data races in one execution: two accesses of different threads to common bytes, at least one of
 * them a write, not both atomic, that no synchronisation orders.  This is the order of the
 * language and its library (creation and join, locks, semaphores, barriers, once, atomics with
 * their memory orders, fences), not that of the schedule: so one execution of a class shows the
 * races of all of them.
 */
#ifndef HEDDLE_EXPLORE_EXECUTION_RACES_H
#define HEDDLE_EXPLORE_EXECUTION_RACES_H

#include "base/map.h"
#include "base/vec.h"
#include "exec/execution.h"
#include "explore/schedule.h"
#include "explore/execution/wide.h"

#define RACES_THREADS 256

/*
 * An access of an execution, such that the same execution made again knows it: the so many-th
 * (from 1) that its thread makes with this kind, address and size since the first thread was
 * created.  What comes before that is in no race, and an execution that begins again from a
 * snapshot does not list it.
 */
struct race_access {
	uint32_t thread;
	/* enum event_kind; EV_FAILURE: a use of freed memory, which ended there */
	uint8_t kind;
	uint64_t pc, address, size;
	uint64_t occurrence;
};

/* The executions that showed something new each have one schedule, which their races share. */
struct race_schedule {
	struct schedule schedule; /* up to the last of its races' accesses */
	size_t users;
};

struct race {
	struct race_access first, second; /* in the order in which they were executed */
	uint64_t executions, drawn;	  /* that showed it; those that were drawn */
	struct race_schedule *by;	  /* the first one that did */
	uint64_t shown_in;		  /* private: the last one that did */
};

#define RACES_MAX 20000

struct races {
	/* each pair of places (pc) once, RACES_MAX of them at most */
	VEC(struct race) found;
	uint64_t more;		 /* so often a further pair was seen and not kept */
	struct wide_places wide; /* of accesses that race and are wider than a word */
	uint64_t left_out;	 /* executions with more threads than are looked at */

	/* Private. */
	bool is_drawn; /* the present execution */
	struct map seen;
	struct races_state *state;
};

/* What accesses that differ only in their occurrence have in common. */
uint64_t race_access_key(const struct race_access *a);
void races_find(struct races *r, const struct execution *x, bool is_drawn);
/* Those of one become part of the other, and are taken out of it. */
void races_merge(struct races *to, struct races *from);
void races_release(struct races *r);

#endif
