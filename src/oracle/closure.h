/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the closure engine.  An attempt is a set of operations with the partial order that
 * holds in every execution of exactly that set.  Private to src/oracle.
 */
#ifndef HEDDLE_ORACLE_CLOSURE_H
#define HEDDLE_ORACLE_CLOSURE_H

#include "oracle/graph.h"
#include "oracle/set.h"

/* A read that must see one specific write. */
struct bound_read {
	const struct op_access *access;
	op_id write;
};

struct attempt {
	const struct history *h;
	const struct question *q;
	struct op_set set;
	struct order_graph graph;
	VEC(struct bound_read) reads;
	/* reads that may see any of several writes of a value */
	VEC(const struct op_access *) choosers;
	/* acquires in the set, of locks that several of its threads acquire, in trace order */
	VEC(op_id) sections;
	VEC(op_id) needed; /* releases and writes that must be added to the set */
	uint64_t *sweeps;  /* remaining */
	uint64_t *work;	   /* remaining: reads and writes examined in all sweeps */
	bool has_grown;	   /* a read has been bound since the last sweep */
	bool stays_open;   /* open sections are assumed to stay open */
};

/* Order two operations of the set; false if that closes a cycle, or if the order is cut off. */
bool attempt_order(struct attempt *a, op_id before, op_id after);
/* Add the orders of the set and the question, without rules; false on a contradiction. */
bool attempt_begin(struct attempt *a);
void attempt_end(struct attempt *a); /* releases all but the set */
/* Apply all rules to a fixed point; false on a contradiction, or if no sweeps are left. */
bool attempt_saturate(struct attempt *a);
/* Count work; false if none is left, or if a stop is requested.  Then no sweeps are left either. */
bool attempt_work(struct attempt *a, uint64_t steps);
/* Count steps in the order; false if that is cut off (graph.h).  Then no work is left, either. */
bool attempt_goes_on(struct attempt *a, uint64_t steps);
/* Assume that open sections stay open: all conflicting sections of the lock come before them. */
bool attempt_keep_open(struct attempt *a);
/* Order the remaining conflicts as in the trace, with everything that follows. */
bool attempt_complete(struct attempt *a);
/*
 * A sequence that respects the order, otherwise as in the trace.  False if operations that must
 * be adjacent cannot be, or if the order is cut off.
 */
bool attempt_linearise(struct attempt *a, struct answer *to);
/* Whether two sections of a lock exclude each other. */
bool sections_conflict(const struct op *a, const struct op *b);
/* The release of an acquire if it is in the set, or OP_NONE. */
op_id attempt_release_of(const struct attempt *a, op_id acquire);

/* ---- reads that may choose (closure_choice.c) ---- */

#define CANDIDATES_MAX 32      /* of one read; with more it is undecided */
#define CANDIDATES_LOOKED 4096 /* writes of one thread that are examined */

struct candidates {
	op_id writes[CANDIDATES_MAX]; /* OP_NONE: the initial content */
	uint32_t count;
	uint32_t looked; /* writes that were examined */
	bool is_cut_off; /* there may be more */
};

/* The writes that a read can see according to the order. */
void attempt_candidates(const struct attempt *a, const struct op_access *read,
			struct candidates *to);
/* Bind the reads that have one candidate; false if one has none. */
bool attempt_close_choices(struct attempt *a);
/* The read with the fewest candidates, and its candidates; NULL if all have too many. */
const struct op_access *attempt_next_choice(const struct attempt *a, struct candidates *to);

#endif
