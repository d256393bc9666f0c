/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximal causality reduction: of all executions in which every move sees the same, one (Huang: "Stateless model checking
 * concurrent programs with maximal causality reduction", PLDI 2015; here by the writers of what is seen, sources.h).
 *
 * After an execution, for each of its moves and everything else that it could have seen there, the smallest part of the
 * execution is asked for in which it does see that (arrange.h); a plan that begins with it is run next.  What a plan must
 * keep is not an order of moves but a set of them with what they see: the *core*.  mcr.c says why nothing is lost.
 */
#ifndef HEDDLE_EXPLORE_MCR_H
#define HEDDLE_EXPLORE_MCR_H

#include "explore/arrange.h"
#include "explore/dpor.h"

/* Of one thread: it made so many moves, and the last one has this past and these first choices. */
struct core_entry {
	uint32_t thread, length, choices;
	uint64_t hash;
};

struct core {
	VEC(struct core_entry) entries;		/* by thread */
};

/* A move that would end everything, and has been seen: it sleeps. */
struct held {
	struct branch branch;
	uint32_t index;		/* among the moves of its thread */
};

/* What is to be run. */
struct mcr_task {
	struct core core;
	VEC(struct wire_turn) turns;
	VEC(uint32_t) choices;
	VEC(struct held) held;
	bool is_presumed;		/* that its last move changes nothing: otherwise the task has no execution */
};

struct mcr_node {
	struct core core;		/* of its execution */
	VEC(struct held) held;
	VEC(struct mcr_task) tasks;
	size_t next;
};

struct mcr {
	struct moves history;
	struct sources sources;
	struct arrangement arrangement;
	VEC(struct mcr_node) nodes;	/* the path: the execution of each came from the task before `next` of the one above */
	struct mcr_task first;
	struct mcr_task *now;
	bool has_begun;
	bool was_presumed;		/* is_presumed of the task that was run last */
	bool excludes;			/* what other tasks of the path cover is left out */
	struct dpor_plan plan;
	VEC(uint32_t) lengths, wanted;	/* scratch: moves by thread */
	uint32_t cut;			/* the move that ended everything; NOBODY: there is none */

	/* Counted. */
	uint64_t diverged, presumed, questions, unknown, excluded, restarts;
	uint64_t taken, wasted;		/* executions that were not redundant, since the last restart and before it */
};

/* What makes two executions one class: the same writers of everything that is seen, or the same values (values.h). */
enum mcr_classes { MCR_BY_WRITER, MCR_BY_VALUE };
/* excludes: what other tasks of the path cover is left out. */
void mcr_init(struct mcr *m, enum mcr_classes classes, bool excludes);
void mcr_release(struct mcr *m);
/* The next plan; NULL: everything has been explored.  Valid until mcr_take(). */
const struct plan *mcr_plan(struct mcr *m);
/* As dpor_take(). */
int mcr_take(struct mcr *m, const struct execution *x, bool *is_redundant, struct err *err);
/* Whether the execution that was taken last may have left its plan: it was tried whether a move changes nothing. */
bool mcr_expects_divergence(const struct mcr *m);
/* Whether classes are by value: it may have turned out that this does not pay. */
bool mcr_is_by_value(const struct mcr *m);
double mcr_progress(const struct mcr *m);

/* Private to mcr*.c. */

/* Adds a task to the node for everything that moves outside its core could see or choose instead (mcr_ask.c). */
void mcr_ask(struct mcr *m, struct mcr_node *n);
/* Whether the history has this core. */
bool core_is_in_history(const struct mcr *m, const struct core *c);
void core_release(struct core *c);
/* Calls for each core on the path that has been explored, until the answer is true. */
bool mcr_any_explored(const struct mcr *m, bool (*ask)(const void *arg, const struct core *c), const void *arg);

#endif
