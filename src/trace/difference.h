/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first difference between two traces.  Events are compared by what they mean: ids of
 * locations and call stacks may differ between traces, the places that they stand for may not.
 */
#ifndef HEDDLE_TRACE_DIFFERENCE_H
#define HEDDLE_TRACE_DIFFERENCE_H

#include "trace/trace.h"

struct difference_side {
	struct trace_reader *reader; /* opened and closed by the caller */
	struct event event;	     /* the current one */
	bool has_event;		     /* false: the trace has ended */
};

/*
 * Take the next event of both traces.  1 if both have one and they are equal; 0 if they differ, or
 * one trace is at its end, or both are; or an error of reading.
 */
int difference_next(struct difference_side *a, struct difference_side *b, struct err *err);

#endif
