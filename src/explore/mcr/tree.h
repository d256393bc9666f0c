/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the workers of a search by maximal causality reduction share: the executions that have
 * tasks left (worktree.h), and refinements, which are what was learnt about the program.
 *
 * A node is an execution with the tasks that were made of it, in a fixed order.  A task leaves
 * out what contains the core of an *earlier* task of its node, or of an earlier one on the path
 * to it (mcr.c).  That depends on the order of tasks and not on when they are run, so any worker
 * may run any task at any time, and a search that is continued leaves out the same.
 *
 * The branches of a node are its tasks.  The tasks and their cores do not change once the node is
 * in the tree, so workers that are below it read them without the lock.  Workers claim the task
 * that was made last: so there are never more nodes than a path has for each worker.
 *
 * Refinements are in one place and have a *version*.  A worker copies them before it determines
 * what the moves of an execution saw (mcr_tree_refine), adds what that execution shows, and
 * publishes the result (mcr_tree_publish).  If the version has changed meanwhile, it begins again
 * with the new one.  So no class is found by knowledge that contradicts what another worker knew.
 * There are two kinds of refinements:
 *
 *   additions   leave what moves see as it was.  Which worker knew how much makes no difference.
 *   changes     make moves see something else (sources.h).  The search restarts for all workers:
 *               a new *generation* begins.  Nodes of the generations before are kept until no
 *               worker has a claim there; the results of those claims are dropped.
 */
#ifndef HEDDLE_EXPLORE_MCR_TREE_H
#define HEDDLE_EXPLORE_MCR_TREE_H

#include "explore/dpor/dpor.h"
#include "explore/worktree.h"

struct sources;

/* Of one thread: it made so many moves, and the last one has this past and these first choices. */
struct core_entry {
	uint32_t thread, length, choices;
	uint64_t hash;
};

struct core {
	VEC(struct core_entry) entries; /* by thread */
};

/* A move that would end the process, and has been explored: it sleeps. */
struct held {
	/* with operations of its own: they are not shared with other workers */
	struct branch branch;
	uint32_t index; /* among the moves of its thread */
};

enum task_state { TASK_OPEN, TASK_CLAIMED, TASK_DONE };

/* What is to be run. */
struct mcr_task {
	struct core core;
	VEC(struct wire_turn) turns;
	VEC(uint32_t) choices;
	VEC(struct held) held;
	/* that its last move changes nothing, or does not fail: otherwise the task has no execution
	 */
	bool is_presumed;
	/* done: its execution was made, and all that follows from it is below, or was explored */
	enum task_state state;
};

struct mcr_node {
	struct work_node work;
	struct core core; /* of its execution */
	VEC(struct held) held;
	VEC(struct mcr_task) tasks;
};

struct mcr_tree {
	struct worktree work;
	struct buf refinements; /* in bytes (sources_save) */
	uint64_t version;	/* of them */
	uint64_t generation;
	VEC(struct mcr_node *) old; /* of earlier generations */
	size_t old_active;	    /* claims of earlier generations */
	bool by_value;		    /* set by the creator; cleared if it does not pay (values.h) */
	bool excludes; /* set by the creator: tasks leave out what earlier ones explore */
	/* executions that were not redundant, of this generation and of earlier ones */
	uint64_t taken, wasted;
};

void mcr_tree_init(struct mcr_tree *t, unsigned workers, bool by_value, bool excludes);
void mcr_tree_release(struct mcr_tree *t);

/* ---- for workers ---- */
/* What a worker has of the tree: a task of a node, or, without a node, the first execution. */
struct mcr_claim {
	struct work_claim work;
	uint64_t generation; /* in which it was made */
};

/* The node of the claim; NULL: the first execution. */
static inline struct mcr_node *mcr_claim_node(const struct mcr_claim *c)
{
	return (struct mcr_node *)c->work.node;
}

/* Claims a task for a worker, with the numbers of buffers.  False: there is none now. */
bool mcr_tree_claim(struct mcr_tree *t, struct moves *h, struct mcr_claim *c);
/*
 * The worker's execution has come to its end.  `n`, if there is one, becomes the tree's in place
 * of the claim; it is released if it has no open tasks, or the claim is of an earlier generation.
 */
void mcr_tree_finish(struct mcr_tree *t, struct mcr_claim *c, struct mcr_node *n,
		     bool is_redundant);
/* The worker's execution counts as not made. */
void mcr_tree_give_back(struct mcr_tree *t, struct mcr_claim *c);
#define NO_VERSION UINT64_MAX
/* Copies the refinements, if they are not of the version that the worker has. */
void mcr_tree_refine(struct mcr_tree *t, struct sources *s, uint64_t *version);
/*
 * What a worker knows now that it has seen an execution.  False: others have published meanwhile,
 * and it has to begin again.  `is_change`: it changes what moves see, so that another generation
 * begins, in which the worker claims the first execution.  If the worker's generation is past
 * already, nothing is published.
 */
bool mcr_tree_publish(struct mcr_tree *t, const struct sources *s, uint64_t *version,
		      struct mcr_claim *c, bool is_change, bool is_run_again);
/* Whether another generation has begun since the claim was made. */
bool mcr_tree_is_past(struct mcr_tree *t, const struct mcr_claim *c);

void core_release(struct core *c);
void mcr_task_release(struct mcr_task *t);
void mcr_node_release(struct mcr_node *n); /* itself, too; accepts NULL */

/* ---- saving (save.c): no worker is in any of the above ---- */
void mcr_tree_save(const struct mcr_tree *t, struct buf *out);
/* Into a tree that is new.  Errors: ERR_FORMAT. */
int mcr_tree_load(struct mcr_tree *t, struct bytes *in, struct err *err);
void sources_save(const struct sources *s, struct buf *out);
bool sources_load(struct sources *s, struct bytes *in); /* false: it is not consistent */
/* As in struct work_kind. */
void mcr_node_save(const struct work_node *n, struct buf *out);
void mcr_node_load(struct work_node *n, struct bytes *in);

#endif
