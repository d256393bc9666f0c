/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state while a trace is converted to a history, event by event.  from_trace.c handles
 * memory, setup and completion; trace_sync.c handles synchronisation, threads, signals and input.
 * Private to src/oracle.
 */
#ifndef HEDDLE_ORACLE_READING_H
#define HEDDLE_ORACLE_READING_H

#include "base/map.h"
#include "oracle/from_trace.h"
#include "oracle/variables.h"

/* A synchronisation object. */
struct object {
	op_id last; /* the last operation on it */
	op_id init, change, once_end;
	VEC(op_id) posts, ins, ins_before, reads;
	uint64_t waits, tokens; /* semaphore: waits so far, and its initial value */
	/* threads with an operation that is ordered after `init`, as bits */
	uint64_t ordered;
	bool is_fixed;	 /* all its operations keep their order */
	bool has_tokens; /* tokens is known */
	/* semaphore: after each wait its thread posts, before the next wait */
	bool has_pairs;
};

struct thread {
	op_id last, fork, cancel, wait;
	uint32_t number; /* in the history, plus one; 0: it has no operations yet */
};

/* A try that failed because of a section that had not ended. */
struct failed_try {
	op_id op, acquire;
};

/* A signal: the kill, and its target, a thread plus one, or the process (0). */
struct sent {
	op_id op;
	uint64_t signal, to;
};

struct reading {
	struct history *h;
	struct history_source *s;
	const struct trace_index *x;
	struct variables variables;
	struct variable_parts parts;
	struct object *objects;
	struct thread *threads;
	op_id *writer; /* by variable */
	bool *is_written;
	struct map open; /* lock and thread to acquire */
	VEC(struct failed_try) tries;
	VEC(op_id) frees, destroys;
	VEC(struct sent) sent; /* signals that were not taken yet */
	op_id input;
	bool has_channels; /* the program has made descriptors */
	bool has_branches;
};

/* Add an operation for an event; a cause; an order between operations that both happen.  Causes
 * and orders within one thread are redundant and not added. */
op_id reading_add(struct reading *r, const struct event *e, enum op_kind kind);
void reading_cause(struct reading *r, op_id before, op_id after);
void reading_order(struct reading *r, op_id before, op_id after);

/* Handlers by kind of event. */
void reading_follow_object(struct reading *r, const struct event *e);
void reading_follow_thread(struct reading *r, const struct event *e);
void reading_follow_signal(struct reading *r, const struct event *e);
void reading_follow_input(struct reading *r, const struct event *e);
void reading_follow_end(struct reading *r, const struct event *e);

#endif
