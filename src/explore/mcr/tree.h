/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the workers of a search by maximal causality reduction share: the executions that have
 * tasks left, and what was learnt about the program.
 *
 * A node is an execution with the tasks that were made of it, in a fixed order.  A task leaves
 * out what contains the core of an *earlier* task of its node, or of an earlier one on the path
 * to it (mcr.c).  That depends on the order of tasks and not on when they are run, so any worker
 * may run any task at any time, and a search that is continued leaves out the same.
 *
 * A node is there as long as it has tasks to be run or nodes below it.  Its tasks and their cores
 * do not change once it is here, so they are read without the lock by those who are below it.
 * Workers take the task that was made last: so there are never more nodes than a path has for
 * each worker.
 *
 * What is learnt about the program is in one place, and has a *version*.  A worker looks there
 * before it says what the moves of an execution saw, and adds what that execution shows
 * (mcr_tree_tell); if another one was faster, it looks again.  So nobody has found a class by
 * knowledge that contradicts what somebody else knew: as long as nothing is learnt that makes
 * what moves see another thing (sources.h), it does not matter who knew how much.  When that is
 * learnt, all begins again: nodes of the *age* before are kept until nobody is below them, and
 * what comes of them is dropped.
 */
#ifndef HEDDLE_EXPLORE_MCR_TREE_H
#define HEDDLE_EXPLORE_MCR_TREE_H

#include <pthread.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "explore/dpor/dpor.h"

struct sources;

/* Of one thread: it made so many moves, and the last one has this past and these first choices. */
struct core_entry {
	uint32_t thread, length, choices;
	uint64_t hash;
};

struct core {
	VEC(struct core_entry) entries; /* by thread */
};

/* A move that would end everything, and has been seen: it sleeps. */
struct held {
	/* with operations of its own: they are not shared with other workers */
	struct branch branch;
	uint32_t index; /* among the moves of its thread */
};

enum task_state { TASK_OPEN, TASK_TAKEN, TASK_DONE };

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
	struct mcr_node *above; /* NULL: it is the first */
	size_t via;		/* number of its task there */
	size_t number;		/* in the tree */
	struct core core;	/* of its execution */
	VEC(struct held) held;
	VEC(struct mcr_task) tasks;
	size_t below;	 /* nodes, and tasks that are being run */
	size_t finished; /* tasks of which nothing is left */
};

struct mcr_tree {
	pthread_mutex_t lock;
	VEC(struct mcr_node *) nodes;  /* each after the one above it */
	VEC(struct mcr_node *) old;    /* of earlier ages */
	VEC(struct buffer_of) buffers; /* the numbers that all workers use */
	struct buf lessons;	       /* what was learnt, in bytes (sources_save) */
	uint64_t version;	       /* of that */
	uint64_t age;
	size_t under_way, old_under_way; /* executions of this age, and of others */
	bool has_begun, is_over;	 /* is_over is read without the lock */
	bool by_value; /* set by who makes it; it may turn out that this does not pay */
	bool excludes; /* likewise */
	/* executions that were not redundant, of this age and others */
	uint64_t taken, wasted;
	void (*wake)(void *arg); /* NULL: nobody waits */
	void *wake_arg;
};

void mcr_tree_init(struct mcr_tree *t, bool by_value, bool excludes);
void mcr_tree_release(struct mcr_tree *t);
double mcr_tree_progress(struct mcr_tree *t);
bool mcr_tree_is_over(const struct mcr_tree *t);

/* ---- for workers: struct mcr ---- */
/* A task of a node for a worker, with what it has to know; *node NULL: the first.  False: there
 * is none now. */
bool mcr_tree_choose(struct mcr_tree *t, struct moves *h, struct mcr_node **node, size_t *task,
		     uint64_t *age);
/*
 * The worker's execution has come to its end.  `n`, if there is one, becomes the tree's below
 * that node; it is released if it has nothing to be run, or is of another age.
 */
void mcr_tree_finish(struct mcr_tree *t, struct mcr_node *node, size_t task, uint64_t age,
		     struct mcr_node *n, bool is_redundant);
/* The worker's execution counts as not made. */
void mcr_tree_give_back(struct mcr_tree *t, struct mcr_node *node, size_t task, uint64_t age);
#define NO_VERSION UINT64_MAX
/* What is known, if that is not the version that the worker has. */
void mcr_tree_learn(struct mcr_tree *t, struct sources *s, uint64_t *version);
/*
 * What a worker knows now that it has seen an execution.  False: it has to begin with what others
 * have learnt meanwhile.  `is_news`: it changes what moves see, so that another age begins, at
 * whose root the worker stands.  If the worker's age is past already, it is not told to others.
 */
bool mcr_tree_tell(struct mcr_tree *t, const struct sources *s, uint64_t *version, uint64_t *age,
		   bool is_news, bool is_run_again);
/* Whether another age has begun. */
bool mcr_tree_is_past(struct mcr_tree *t, uint64_t age);
size_t mcr_tree_number_buffer(void *arg, struct moves *h, struct buffer_of b);

void core_release(struct core *c);
void mcr_task_release(struct mcr_task *t);
void mcr_node_release(struct mcr_node *n); /* itself, too; accepts NULL */

/* ---- on disk (save.c): nobody is in any of the above ---- */
void mcr_tree_save(const struct mcr_tree *t, struct buf *out);
/* Into a tree that is new.  Errors: ERR_FORMAT. */
int mcr_tree_load(struct mcr_tree *t, struct bytes *in, struct err *err);
void sources_save(const struct sources *s, struct buf *out);
bool sources_load(struct sources *s, struct bytes *in); /* false: it makes no sense */

#endif
