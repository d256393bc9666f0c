/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace without what only one thread touches, made as the events come: they are gathered in groups, and of
 * a group that is complete those memory accesses are left out that are to cells (touched.h) which until then
 * only one thread has touched.  Everything else is passed on in order.  So
 *
 *   - from the group on in which a second thread touches a cell, all its accesses are kept;
 *   - what the first thread did to it in earlier groups is not;
 *   - a mark that a branch was passed, on an access that is left out, goes to the next event of the thread;
 *   - a read of something whose write was left out has an outside-write before it, if the trace tells
 *     otherwise.
 *
 * What is left out depends on the events alone: equal runs leave out the same, which is how a replay
 * compares.
 */
#ifndef HEDDLE_TRACE_SPARSE_H
#define HEDDLE_TRACE_SPARSE_H

#include "base/err.h"
#include "trace/event.h"

struct sparse;

/* Who gets what is kept; data of an event is valid during the call. */
typedef int (*sparse_sink)(void *arg, const struct event *e, struct err *err);

struct sparse *sparse_new(sparse_sink sink, void *arg);
void sparse_free(struct sparse *s);	/* accepts NULL */
/* The next event.  Errors: those of the sink. */
int sparse_event(struct sparse *s, const struct event *e, struct err *err);
/* There are no more. */
int sparse_finish(struct sparse *s, struct err *err);

struct sparse_counts {
	uint64_t kept;		/* events passed on, */
	uint64_t added;		/* outside-writes among them that the run did not have */
	uint64_t left_out;
};
struct sparse_counts sparse_counts(const struct sparse *s);

#endif
