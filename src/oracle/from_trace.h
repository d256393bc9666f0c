/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace as a history.  Operations are the events that order or exclude others: accesses to memory that
 * several threads use, of which at least one writes, and synchronisation.  Bytes that are always accessed
 * together are one variable, so two accesses conflict exactly if their bytes overlap.  Threads have new
 * numbers, in the order of their first operations.
 *
 * doc/PREDICT.md says for every kind of event what is assumed of it.  In short: a read is frozen by the next
 * operation of its thread, because nobody knows what depends on it, unless the trace says where branches are
 * (STD with `br`); an rmw is frozen at once; condition variables, barriers and semaphores keep their observed
 * partners; objects whose state was looked at (a failed try of a semaphore, a timeout) keep the order of all
 * their events, and so does what libc shares without showing it, and input.
 */
#ifndef HEDDLE_ORACLE_FROM_TRACE_H
#define HEDDLE_ORACLE_FROM_TRACE_H

#include "base/err.h"
#include "oracle/history.h"
#include "trace/index.h"
#include "trace/trace.h"

/* What a trace showed that a prediction rests on, as bits. */
enum history_assumption {
	HISTORY_CLOCK = 1,	/* the program looked at clocks, whose values depend on the order */
	HISTORY_OUTSIDE = 2,	/* memory changed out of sight */
	HISTORY_SIGNALS = 4,	/* handlers ran */
	HISTORY_BRANCHES = 8,	/* branches are where the trace says */
};

enum history_guards {
	GUARDS_ALL, /* everything after a read may depend on it */
	/* only branches do, as far as callbacks show them: what follows from this is not proved */
	GUARDS_BRANCHES,
};

struct history_source {
	struct history h;
	unsigned assumptions;
	/* has read all of the trace and has its tables; who takes it closes it */
	struct trace_reader *reader;
};

/* Errors: those of reading the trace; ERR_SUPPORT if it has too many operations. */
int history_from_trace(struct history_source *s, const char *trace, const struct trace_index *x,
		       enum history_guards guards, struct err *err);
void history_source_release(struct history_source *s);	/* accepts the zero state */
/* The operation of an event, OP_NONE if it is none. */
op_id history_op_of(const struct history *h, ev_id event);

#endif
