/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of a trace that is a trace again and makes sense by itself (consistency.h).  The caller says which
 * events are wanted; added are
 *
 *   - fork, begin, end, join and names of all threads, and failures: who was there, and what went wrong;
 *   - before the first event of a range, the acquires of locks that are held there;
 *   - a switch wherever the thread changes, in place of the original ones;
 *   - an outside-write before a read that sees something which the slice does not tell, because the write was
 *     left out.
 *
 * One pass; memory grows with threads, held locks and the bytes that the slice touches.
 */
#ifndef HEDDLE_TRACE_SLICE_H
#define HEDDLE_TRACE_SLICE_H

#include "trace/trace.h"

struct slice_rules {
	/* Asked for every event in order, also outside the range, so that it can keep track of things. */
	bool (*is_wanted)(void *context, const struct trace_tables *t, const struct event *e);
	void *context;
	uint64_t from, to;	/* numbers of events, both included */
	const char *what;	/* value of the fact `slice` */
};

#define SLICE_FACT "slice"

/*
 * The writer is closed, or abandoned if the trace was cut off before `to` or something went wrong.  Errors:
 * those of reading and writing.
 */
int slice_copy(struct trace_reader *r, const struct slice_rules *rules, struct trace_writer *w,
	       struct err *err);

#endif
