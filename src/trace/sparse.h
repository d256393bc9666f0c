/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Online removal of thread-private accesses from a trace.  Events are collected in groups.  When
 * a group is complete, accesses are left out whose cells (touched.h) only one thread has accessed
 * so far.  All other events are passed on in order.  So
 *
 *   - from the group on in which a second thread accesses a cell, all accesses to it are kept;
 *   - accesses of the first thread in earlier groups are not;
 *   - the branch mark of an omitted access goes to the thread's next event;
 *   - a read whose value does not follow from the trace, because the write was left out, gets an
 *     outside-write before it.
 *
 * What is left out depends on the events alone, so equal runs leave out the same.  Replay relies
 * on this when it compares.
 */
#ifndef HEDDLE_TRACE_SPARSE_H
#define HEDDLE_TRACE_SPARSE_H

#include "base/err.h"
#include "trace/event.h"

struct sparse;

/* The receiver of the events that are kept; data of an event is valid during the call. */
typedef int (*sparse_sink)(void *arg, const struct event *e, struct err *err);

struct sparse *sparse_new(sparse_sink sink, void *arg);
void sparse_free(struct sparse *s); /* accepts NULL */
/* The next event.  Errors: those of the sink. */
int sparse_event(struct sparse *s, const struct event *e, struct err *err);
/* Process the last group. */
int sparse_finish(struct sparse *s, struct err *err);

struct sparse_counts {
	uint64_t kept;	/* events passed on */
	uint64_t added; /* those of them that were inserted: outside-writes */
	uint64_t left_out;
};
struct sparse_counts sparse_counts(const struct sparse *s);

#endif
