/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the closure engine: one attempt is a set of operations with the partial order that holds in
 * every execution of exactly that set.  Private to src/oracle.
 */
#ifndef HEDDLE_ORACLE_CLOSURE_H
#define HEDDLE_ORACLE_CLOSURE_H

#include "oracle/graph.h"
#include "oracle/set.h"

/* A read that must see one certain write. */
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
	VEC(const struct op_access *) choosers;	/* reads that may see any of several writes of a value */
	VEC(op_id)
	sections; /* acquires in the set of locks that several of its threads take, in the trace's order */
	VEC(op_id) needed;		/* releases, and writes, that must be in the set */
	uint64_t *sweeps;		/* left */
	uint64_t *work;			/* left: reads and writes that are looked at in all sweeps */
	bool has_grown;			/* a read has been bound since the last sweep */
	bool stays_open;		/* it is assumed that open sections stay open */
};

/* Order two operations of the set; false if that is a cycle. */
bool attempt_order(struct attempt *a, op_id before, op_id after);
/* Everything that follows from the set and the question without rules; false if it contradicts itself. */
bool attempt_begin(struct attempt *a);
void attempt_end(struct attempt *a);	/* releases all but the set */
/* Apply all rules until nothing is new; false on a contradiction, or if there are no sweeps left. */
bool attempt_saturate(struct attempt *a);
/* Count work; false if there is none left, or if it should stop: then there are no sweeps left either. */
bool attempt_work(struct attempt *a, uint64_t steps);
/* From now on, open sections stay open: all others of the lock come before them. */
bool attempt_keep_open(struct attempt *a);
/* Order what is not ordered yet as it was in the trace, with everything that follows. */
bool attempt_complete(struct attempt *a);
/*
 * A sequence that has the order; the rest as it was in the trace.  False if adjacent operations do not get
 * together.
 */
bool attempt_linearise(const struct attempt *a, struct answer *to);
/* Whether both sections of a lock cannot be held at the same time. */
bool sections_conflict(const struct op *a, const struct op *b);
/* The release of an acquire if it is in the set, or OP_NONE. */
op_id attempt_release_of(const struct attempt *a, op_id acquire);

/* ---- reads that may choose (closure_choice.c) ---- */

#define CANDIDATES_MAX 32	/* of one read; more are not told apart */
#define CANDIDATES_LOOKED 4096	/* writes of one thread that are looked at */

struct candidates {
	op_id writes[CANDIDATES_MAX];	/* OP_NONE: the initial content */
	uint32_t count;
	uint32_t looked;		/* writes that were looked at */
	bool is_cut_off;		/* there may be more */
};

/* The writes that a read can see, as far as the order tells. */
void attempt_candidates(const struct attempt *a, const struct op_access *read, struct candidates *to);
/* Bind the reads that have one candidate; false if one has none. */
bool attempt_close_choices(struct attempt *a);
/* The read with the fewest candidates, and these; NULL if there is none that can be decided. */
const struct op_access *attempt_next_choice(const struct attempt *a, struct candidates *to);

#endif
