/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Optimal dynamic partial order reduction: of all executions that differ only in the order of independent moves, one.
 *
 * The search is a path of nodes, one before each move of the current execution.  A node knows what is asleep there (moves
 * after which everything has been explored) and what is still to be explored from there (a wake-up tree).  A plan is
 * made from the deepest node that has something left; what the execution did is given back, its races are reversed,
 * which fills the trees of nodes above.
 */
#ifndef HEDDLE_EXPLORE_DPOR_H
#define HEDDLE_EXPLORE_DPOR_H

#include "explore/wakeup.h"

struct dpor_node {
	VEC(struct branch) asleep;
	struct wakeup tree;		/* what comes after the branch that is being explored */
	uint32_t finished;		/* branches that were explored from here */
	bool reopens;			/* once its tree is empty, others run here while what was explored sleeps */
};

struct dpor_plan {
	struct plan plan;
	size_t shared;		/* moves that must be the same as before */
	VEC(struct wire_turn) turns;
	VEC(uint32_t) choices;
	VEC(struct wire_sleeper) sleepers;
	VEC(struct wire_op) sleeper_ops;
};

struct dpor {
	struct moves history;
	VEC(struct dpor_node) nodes;	/* at least one more than moves that are shared */
	struct dpor_plan next;
	VEC(struct branch) path;	/* of the plan below `next.shared` */
	VEC(uint32_t) scratch;		/* a clock */
	struct sequence sequence;
	bool has_begun;
	bool ends_by_move;		/* the last move of the execution ended it */

	/* Counted. */
	uint64_t diverged;		/* executions that did not follow their plan as they had before */
	uint64_t missed;		/* plans whose last move could not be made */
};

/* is_total: every two moves count as dependent, so every order of moves is explored. */
void dpor_init(struct dpor *d, bool is_total);
void dpor_release(struct dpor *d);
/* The next plan; NULL: everything has been explored.  Valid until dpor_take(). */
const struct plan *dpor_plan(struct dpor *d);
/*
 * What came of it.  *is_redundant: nothing can come of this execution that another one does not show.
 * Errors: ERR_FORMAT as from moves_read().
 */
int dpor_take(struct dpor *d, const struct execution *x, bool *is_redundant, struct err *err);

/* Add the turns that make a move, and its choices. */
void dpor_plan_branch(struct dpor_plan *p, const struct moves *h, const struct branch *b);

/*
 * An estimate of the part of the search that is behind: at each node of the path, branches that are done among those known
 * so far, each taken for equally large (Knuth's estimator along the current path).
 */
double dpor_progress(const struct dpor *d);

#endif
