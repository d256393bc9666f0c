/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximal causality reduction: of all executions in which every move sees the same, one (Huang:
 * "Stateless model checking concurrent programs with maximal causality reduction", PLDI 2015;
 * here by the writers of what is seen, sources.h).
 *
 * After an execution, for each of its moves and each other source that it could have had, the
 * smallest part of the execution is computed in which the move has that source, and an order of
 * it (arrange.h).  A plan that begins with this order is run next.  A plan must keep not an order
 * of moves but a set of them with what they see: the *core*.  mcr.c has the argument that no
 * behaviour is lost.
 */
#ifndef HEDDLE_EXPLORE_MCR_MCR_H
#define HEDDLE_EXPLORE_MCR_MCR_H

#include "explore/mcr/arrange.h"
#include "explore/mcr/tree.h"

/* A worker of a search. */
struct mcr {
	struct mcr_tree *tree;
	struct moves history;
	struct sources sources;
	struct arrangement arrangement;
	struct cancellation cancellation;
	uint64_t version;	/* of the refinements that it has */
	struct mcr_claim claim; /* the task that is run */
	struct mcr_task first;	/* without anything */
	bool was_presumed; /* the plan of the task that was run last may have been impossible */
	struct dpor_plan plan;
	VEC(uint32_t) wanted; /* scratch: moves by column */
	uint32_t cut;	      /* the move that ended the process; NOBODY: there is none */

	/* Counted. */
	uint64_t diverged, presumed, questions, unknown, excluded, restarts;
};

void mcr_init(struct mcr *m, struct mcr_tree *tree);
void mcr_release(struct mcr *m);
/*
 * The next plan, valid until mcr_take(), until then the same one.  NULL: everything has been
 * explored, or, if the tree is not over, there is nothing to do now.
 */
const struct plan *mcr_plan(struct mcr *m);
/* As dpor_take(); if it is cancelled, the plan counts as not made, and is given back to the tree.
 */
int mcr_take(struct mcr *m, const struct execution *x, bool *is_redundant, struct err *err);
/* Whether the execution that was taken last may have left its plan: it was tried whether a move
 * changes nothing. */
bool mcr_expects_divergence(const struct mcr *m);

/* Private to mcr*.c. */

/* Adds a task to the node for everything that moves outside its core could see or choose instead
 * (ask.c). */
void mcr_ask(struct mcr *m, struct mcr_node *n);
/* Whether the history has this core. */
bool core_is_in_history(const struct mcr *m, const struct core *c);
/* Calls for each core on the path that is explored earlier, until the answer is true. */
bool mcr_any_explored(const struct mcr *m, bool (*ask)(const void *arg, const struct core *c),
		      const void *arg);

#endif
