/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cancellation of the analysis of an execution (not of a thread: that is pthread_cancel).
 *
 * The analysis of an execution of hundreds of thousands of moves compares moves with each other,
 * which may take longer than a user waits after Ctrl-C.  So its loops count their steps, and ask
 * from time to time whether the search is to end.  If it is, the analysis stops, everything is
 * put back to where it was before the execution was taken, and its plan counts as not run.
 *
 * Each worker has one.  The zero state is never cancelled.
 */
#ifndef HEDDLE_EXPLORE_CANCELLATION_H
#define HEDDLE_EXPLORE_CANCELLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many steps, of some nanoseconds each, are made between two questions. */
#define CANCELLATION_STEPS 100000

struct cancellation {
	bool (*is_requested)(void *arg); /* whether the search is to end; NULL: it is not */
	void *arg;
	uint64_t steps;	   /* since it was asked last */
	bool is_cancelled; /* the analysis of the present execution */
};

/* After `steps` further ones: whether to stop. */
static inline bool cancellation_check(struct cancellation *c, uint64_t steps)
{
	c->steps += steps;
	if (c->is_requested && !c->is_cancelled && c->steps > CANCELLATION_STEPS) {
		c->steps = 0;
		c->is_cancelled = c->is_requested(c->arg);
	}
	return c->is_cancelled;
}

#endif
