/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Optimal dynamic partial order reduction: of all executions that differ only in the order of
 * independent moves, one.
 *
 * The search is a path of nodes, one before each move of the current execution.  A node knows
 * what is asleep there (moves after which everything has been explored) and what is still to be
 * explored from there (a wake-up tree).  A plan is made from the deepest node that has something
 * left.  The races of its execution are reversed, which fills the wake-up trees of nodes above.
 */
#ifndef HEDDLE_EXPLORE_DPOR_DPOR_H
#define HEDDLE_EXPLORE_DPOR_DPOR_H

#include "explore/execution/conflicts.h"
#include "explore/execution/objects.h"
#include "explore/cancellation.h"
#include "explore/dpor/wakeup.h"
#include "explore/worktree.h"

struct shared_node;

struct dpor_node {
	/* others are below it, too: the rest is there (shared.h); NULL: it is the walker's own */
	struct shared_node *shared;
	/* also predicted moves that turned out to be impossible here (is_unsure) */
	VEC(struct branch) asleep;
	struct wakeup tree; /* what comes after the branch that is being explored */
	uint32_t finished;  /* branches that were explored from here */
	/* once its tree is empty, others run here while what was explored sleeps */
	bool reopens;
};

/* Two moves that could be made in the other order. */
struct reversal {
	size_t first;
	/* the first one woke the second, which is to run out of time instead */
	bool runs_out;
	/* whether the second one can be made there is not known */
	bool is_unsure;
};

struct dpor_plan {
	struct plan plan;
	size_t shared; /* moves that must be the same as before */
	VEC(struct wire_turn) turns;
	VEC(uint32_t) choices;
	VEC(struct wire_sleeper) sleepers;
	VEC(struct wire_op) sleeper_ops;
};

struct dpor {
	struct worktree *tree; /* NULL: it is alone */
	struct moves history;
	VEC(struct dpor_node) nodes; /* at least one more than moves that are shared */
	size_t trunk;		     /* the first of them are shared nodes */
	/* at the last of those; its branch is the move that leads to the walker's own nodes */
	struct work_claim claim;
	/* in its subtree: of the moves above it only the branches are known */
	bool is_new_here;
	bool is_planned; /* there is a plan whose execution was not taken */
	struct dpor_plan next;
	VEC(struct branch) path; /* of the plan below `next.shared` */
	VEC(uint32_t) scratch;	 /* a clock */
	struct sequence sequence;
	/* of the sequence: for each thread the number of the first such move, UINT32_MAX: none */
	VEC(uint32_t) left_out;
	struct conflicts conflicts;	/* of the history */
	struct objects objects;		/* likewise */
	VEC(struct reversal) reversals; /* of the new moves, in their order */
	VEC(size_t) ends;		/* of those of each new move, there */
	bool has_begun;
	uint64_t max_preemptions; /* UINT64_MAX: no limit */
	bool ends_by_move;	  /* the last move of the execution ended it */
	/* the last execution ended where a move was tried of which it was not known whether it is
	 * possible */
	bool was_test;
	struct cancellation cancellation;

	/* Counted. */
	/* executions that did not follow their plan as they had before */
	uint64_t diverged;
	uint64_t missed; /* plans whose last move could not be made */
	/* executions with too many preemptions, whose races were not reversed */
	uint64_t bounded;
};

/* is_total: every two moves count as dependent, so every order of moves is explored.  `tree`:
 * of shared_nodes, with others; NULL: alone. */
void dpor_init(struct dpor *d, bool is_total, struct worktree *tree);
void dpor_release(struct dpor *d);
/*
 * The next plan, valid until dpor_take(); until then the same one.  NULL: everything has been
 * explored, or, if it is not alone and the search is not over, there is nothing to do for it now.
 */
const struct plan *dpor_plan(struct dpor *d);
/*
 * What came of it.  *is_redundant: nothing can come of this execution that another one does not
 * show. If the analysis was cancelled, the plan is as before and may be run again; is_planned
 * tells. Errors: ERR_FORMAT as from moves_read().
 */
int dpor_take(struct dpor *d, const struct execution *x, bool *is_redundant, struct err *err);

/* Add the turns that make a move, and its choices. */
void dpor_plan_branch(struct dpor_plan *p, const struct moves *h, const struct branch *b);
/* All turns, choices and sleepers are there. */
void dpor_plan_end(struct dpor_plan *p);
/* How many turns make a move. */
size_t dpor_branch_turns(const struct branch *b);

/*
 * An estimate of the part of the search that is behind, among what is the walker's own: at each
 * node of the path, branches that are done among those known so far, each taken for equally large
 * (Knuth's estimator along the current path).
 */
double dpor_progress(const struct dpor *d);

/* ---- for shared.c ---- */
void dpor_node_release(struct dpor_node *n);

/* ---- plan.c ---- */
/* From node `depth` the first path of its wake-up tree is taken; the free run begins at its end. */
void dpor_make_plan(struct dpor *d, size_t depth);
void dpor_clear_path(struct dpor *d);
/* Take the first path out of the node's tree if it comes to a move that sleeps there; gives
 * whether it did. */
bool dpor_drop_explored(const struct moves *h, struct dpor_node *n);
/* Adds to `to` what of those asleep at `from` sleeps on after a move. */
void dpor_pass_sleep(const struct moves *h, const struct dpor_node *from, const struct branch *move,
		     struct dpor_node *to);
/* Whether a move of that thread sleeps that has the same first choices. */
bool dpor_is_asleep(const struct dpor_node *n, const struct branch *b);

/* ---- for reverse.c ---- */
/* What is to be changed; a shared node is locked until dpor_close_node(). */
struct dpor_node *dpor_open_node(struct dpor *d, size_t node);
void dpor_close_node(struct dpor *d, size_t node);
/* The child of the node that another walker has taken and not made yet; NULL: there is none. */
const struct branch *dpor_taken_child(const struct dpor *d, size_t node);
/* All answers to the choices of a move like this one are asleep. */
bool dpor_all_sleep(const struct dpor_node *n, const struct branch *like);

#endif
