/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long loops within a search come to an end with it: what an execution of hundreds of
 * thousands of moves means is found by comparing moves with each other, which takes longer than a
 * user waits after Ctrl-C.  Such a loop tells how much it has done, and is told from time to time
 * that it is enough.  Then everything is put back to where it was before the execution was taken,
 * which counts as not made.
 *
 * Each worker has one of its own.  The zero state has no end.
 */
#ifndef HEDDLE_EXPLORE_PATIENCE_H
#define HEDDLE_EXPLORE_PATIENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many steps, of some nanoseconds each, are made between two questions. */
#define PATIENCE_STEPS 100000

struct patience {
	bool (*is_over)(void *arg); /* whether the search is to end; NULL: it is not */
	void *arg;
	uint64_t steps; /* since it was asked last */
	bool is_out;	/* it was, during the present execution */
};

/* After `steps` further ones: whether to give up. */
static inline bool patience_is_out(struct patience *p, uint64_t steps)
{
	p->steps += steps;
	if (p->is_over && !p->is_out && p->steps > PATIENCE_STEPS) {
		p->steps = 0;
		p->is_out = p->is_over(p->arg);
	}
	return p->is_out;
}

#endif
