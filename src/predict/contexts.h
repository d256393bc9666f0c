/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of every access without asking the oracle: the locks that its thread holds, and
 * how many operations of each thread must have happened before it (must.h).
 */
#ifndef HEDDLE_PREDICT_CONTEXTS_H
#define HEDDLE_PREDICT_CONTEXTS_H

#include "predict/finder.h"

/* Locks that a thread holds from one acquire or release to the next one. */
struct context {
	uint32_t first, count; /* their acquires, in `acquires` */
	uint64_t locks;	       /* the same for the same locks in the same modes */
};

struct contexts {
	const struct history *h;
	VEC(struct context) list; /* the first one is that without locks */
	uint32_t *of_op;	  /* by operation: in the list */
	uint32_t *clocks;	  /* by operation, then thread; NULL: too many */
	VEC(op_id) acquires;
};

static inline const struct context *context_of(const struct contexts *c, op_id op)
{
	return &c->list.at[c->of_op[op]];
}

/* All operations are passed once; fewer if the finder is over. */
void contexts_init(struct contexts *c, struct finder *f);
void contexts_release(struct contexts *c);
/*
 * The thread of `first` has done that and is about to do `pending`.  Can `between`, of another
 * thread, come in between?  By locks: the same for all operations of that thread with the same
 * locks.  By orders: those that can are neighbours among the operations of that thread.
 */
bool contexts_exclude_by_locks(const struct contexts *c, op_id first, op_id between, op_id pending);
/* Must one operation precede another one, wherever that happens? */
bool contexts_must_precede(const struct contexts *c, op_id before, op_id after);

#endif
