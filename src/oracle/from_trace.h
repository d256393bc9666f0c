/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace as a history.  Operations are the events that constrain the order: synchronisation, and
 * accesses to memory that several threads use and at least one writes.  Bytes that are always
 * accessed together are one variable, so two accesses conflict exactly if their bytes overlap.
 * Threads are renumbered in the order of their first operations.
 *
 * doc/internals/PREDICT.md lists the assumptions for every kind of event.  In short:
 *   - A read is frozen by the next operation of its thread, since anything may depend on it,
 *     unless the trace has branches (STD with `br`).  An rmw is frozen at once.
 *   - Condition variables, barriers and semaphores keep their observed partners.
 *   - Objects whose state was observed (a failed try of a semaphore, a timeout) keep the order of
 *     all their
 *     events.  So do hidden objects of libc, and input.
 */
#ifndef HEDDLE_ORACLE_FROM_TRACE_H
#define HEDDLE_ORACLE_FROM_TRACE_H

#include "base/err.h"
#include "oracle/history.h"
#include "trace/index.h"
#include "trace/trace.h"

/* Assumptions of predictions from a trace, as bits. */
enum history_assumption {
	HISTORY_CLOCK = 1,    /* the program read clocks, whose values depend on the order */
	HISTORY_OUTSIDE = 2,  /* memory was changed by code without hooks */
	HISTORY_SIGNALS = 4,  /* signal handlers ran */
	HISTORY_BRANCHES = 8, /* the trace has all branches */
};

enum history_guards {
	GUARDS_ALL, /* everything after a read may depend on it */
	/* only what follows the next branch callback does; results are not proved */
	GUARDS_BRANCHES,
};

struct history_source {
	struct history h;
	unsigned assumptions;
	/* at the end of the trace, with its tables; a caller that takes it must close it */
	struct trace_reader *reader;
};

/* Errors: those of reading the trace; ERR_SUPPORT if it has too many operations. */
int history_from_trace(struct history_source *s, const char *trace, const struct trace_index *x,
		       enum history_guards guards, struct err *err);
void history_source_release(struct history_source *s); /* accepts the zero state */
/* The operation of an event, OP_NONE if it is none. */
op_id history_op_of(const struct history *h, ev_id event);

#endif
