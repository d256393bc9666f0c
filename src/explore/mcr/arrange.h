/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Can a part of an execution be put into an order in which every move sees what it saw, and one
 * move, the *target*, sees something else?
 *
 * A part is the beginnings of threads: so many moves of each.  It contains the past of each of
 * its moves (sources.h).  What must be found is an order in which no other change of a spot comes
 * between what a move sees and the move; by value (values.h), one in which the last change before
 * the move is any of those that are the same to it.  Where one side of that is excluded the other
 * follows, and what follows from that; where both are left, the order of the execution is tried
 * first, and then each side in turn.  The answer is exact: that question is NP-complete in
 * general (Gibbons and Korach, "Testing shared memories", 1997), but an execution decides nearly
 * everything about its parts.
 */
#ifndef HEDDLE_EXPLORE_MCR_ARRANGE_H
#define HEDDLE_EXPLORE_MCR_ARRANGE_H

#include "explore/mcr/sources.h"

struct target {
	uint32_t move; /* its number in the history, where it has other sources */
	size_t enabled_by;
	const struct touch *touches;
	size_t touches_count;
	size_t decided;	       /* sources of so many touches are fixed */
	const uint32_t *added; /* moves whose additions it sees */
	size_t added_count;
	bool only_sees; /* it changes nothing this time */
	uint32_t waker; /* comes after it; NOBODY: there is none */
	/* ends everything: if it is in the part, it comes after all others; NOBODY */
	uint32_t end;
};

/* By value: a touch that may have any source of its group. */
struct open_touch {
	struct touch touch;
	size_t enabled_by;
	bool is_settled;
};

struct arrangement {
	VEC(uint32_t) order; /* the answer: moves */
	double seconds;	     /* that all answers took */

	/* Private. */
	const struct moves *real;
	struct moves view;	     /* with firm clocks (values.h) */
	const struct moves *history; /* that one */
	VEC(struct open_touch) open;
	VEC(uint32_t) before;
	const struct sources *sources;
	const struct target *target;
	const uint32_t *lengths;
	VEC(uint32_t) clocks, saved, places;
	VEC(struct apart) aparts;
	uint64_t tries;
};

enum arranged { ARRANGED_NOT, ARRANGED, ARRANGED_UNKNOWN };

void arrangement_release(struct arrangement *a);
/* `lengths`: moves of each column; the last one of the target's is the target.  No target: all as
 * it was. */
enum arranged arrange(struct arrangement *a, const struct moves *h, const struct sources *s,
		      const uint32_t *lengths, const struct target *target);

#endif
