/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of a trace that is itself a consistent trace (consistency.h).  The caller selects
 * events.  These are added:
 *
 *   - fork, begin, end, join and names of all threads, and failures;
 *   - before the first event of a range, the acquires of locks that are held there;
 *   - a switch wherever the thread changes, in place of the original ones;
 *   - an outside-write before a read of a value that does not follow from the slice, because the
 *     write was left out.
 *
 * One pass; memory grows with threads, held locks and the bytes that the slice accesses.
 */
#ifndef HEDDLE_TRACE_SLICE_H
#define HEDDLE_TRACE_SLICE_H

#include "trace/trace.h"

struct slice_rules {
	/* Called for every event in order, also outside the range, so that it can keep state. */
	bool (*is_wanted)(void *context, const struct trace_tables *t, const struct event *e);
	void *context;
	uint64_t from, to; /* numbers of events, both included */
	const char *what;  /* value of the fact `slice` */
};

#define SLICE_FACT "slice"

/*
 * The writer is closed, or abandoned if the trace was cut off before `to` or an error occurred.
 * Errors: those of reading and writing.
 */
int slice_copy(struct trace_reader *r, const struct slice_rules *rules, struct trace_writer *w,
	       struct err *err);

#endif
