/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search tree that several workers share: what dpor and mcr have in common.
 *
 * A node has branches.  A branch is open (no worker explores it), claimed by one worker, replaced
 * by a node, or finished.  What a branch is depends on the kind of node (struct work_kind): a
 * child in a wake-up tree (dpor/shared.h), or a task (mcr/tree.h).  A worker claims a branch and
 * explores it.  It may insert nodes between the branch and itself, so that others can claim a
 * part of its work, and ends by finishing the claim or by giving it back.
 *
 * Invariants, whenever the lock is free:
 *
 *   order     a node comes after the node above it in `nodes`.
 *   below     below(n) is the number of nodes directly below n, plus the claims held at n.
 *   life      a node is in the tree if and only if it has an open branch or below(n) > 0.
 *   active    `active` is the number of claims that are held, that of the whole search included.
 *   end       the search is over if and only if it has begun, and there are no nodes and no claims.
 *
 * A worker that finds nothing to claim is idle.  Idle workers are woken whenever a branch can be
 * claimed, and at the end of the search.
 *
 * A saved tree has no claims: branches that are claimed are saved as open ones.  So a search can
 * be continued by another number of workers.
 */
#ifndef HEDDLE_EXPLORE_WORKTREE_H
#define HEDDLE_EXPLORE_WORKTREE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/vec.h"
#include "explore/execution/moves.h"

#define NO_BRANCH SIZE_MAX /* the branch has no number */

/* The first member of a node of each kind. */
struct work_node {
	struct work_node *above; /* NULL: the root */
	size_t via;		 /* number of the branch above that leads here, or NO_BRANCH */
	size_t depth;		 /* 0: the root */
	size_t index;		 /* in the tree */
	size_t below;		 /* nodes directly below, and claims */
	size_t finished;	 /* branches of which nothing is left */
};

struct worktree;

/* What a kind of node has to provide.  All are called with the lock held, except release. */
struct work_kind {
	size_t size;				     /* of a node */
	void (*release)(struct work_node *n);	     /* the node itself, too */
	bool (*has_open)(const struct work_node *n); /* a branch that no worker has claimed */
	/* the node of which a branch is claimed next; NULL: none can be claimed now */
	struct work_node *(*choose)(const struct worktree *t);
	/* a branch is finished; NULL: the kind need not know */
	void (*note_finished)(struct work_node *n, size_t via);
	/* parts of a node that are known, and that are explored: for estimates */
	double (*parts)(const struct work_node *n);
	double (*explored)(const struct work_node *n);
	/* what the node has besides struct work_node; load marks `in` as bad */
	void (*save)(const struct work_node *n, struct buf *out);
	void (*load)(struct work_node *n, struct bytes *in);
};

/* What a worker holds of the tree. */
struct work_claim {
	struct work_node *node; /* whose branch it is; NULL: the whole search, or nothing is held */
	size_t via;		/* number of that branch, or NO_BRANCH */
	bool is_held;
	bool is_idle; /* it has found nothing to claim */
};

struct worktree {
	const struct work_kind *kind;
	pthread_mutex_t lock;
	VEC(struct work_node *) nodes;
	VEC(struct buffer_of) buffers; /* store buffers, by the numbers that all workers use */
	unsigned workers;
	size_t active;		 /* claims that are held */
	uint32_t idle;		 /* workers; may be read without the lock */
	bool has_begun, is_over; /* is_over may be read without the lock */
	void (*wake)(void *arg); /* idle workers look again; NULL: none waits */
	void *wake_arg;
};

void worktree_init(struct worktree *t, const struct work_kind *kind, unsigned workers);
void worktree_release(struct worktree *t); /* no claim of it is used afterwards */
bool worktree_is_over(const struct worktree *t);
/* As struct moves wants it: the number of a store buffer, the same for all workers. */
size_t worktree_number_buffer(void *tree, struct moves *h, struct buffer_of b);
/* Estimated part of the search that is explored (Knuth's estimator, with branches of a node taken
 * for equally large): by nodes of the tree, and the share of a claim. */
double worktree_progress(struct worktree *t);
double worktree_share(struct worktree *t, const struct work_claim *c);

/* ---- with the lock ---- */
void worktree_lock(struct worktree *t);
/* Wakes idle workers if there is something for them, or the search is over. */
void worktree_unlock(struct worktree *t);
/* Numbers of buffers that other workers have given become known to this one. */
void worktree_copy_buffers(const struct worktree *t, struct moves *h);
/* Claims the whole search.  False: that has been done. */
bool worktree_begin(struct worktree *t, struct work_claim *c);
/* The node of which a branch is to be claimed; NULL: none, and the worker is idle now. */
struct work_node *worktree_choose(struct worktree *t, struct work_claim *c);
/* The kind has marked a branch of the node as claimed. */
void worktree_claim(struct worktree *t, struct work_claim *c, struct work_node *n, size_t via);
/* A new node between the claimed branch and the worker, whose claim is at that node now. */
void worktree_insert(struct worktree *t, struct work_claim *c, struct work_node *n);
/* Nothing is left of what was claimed.  Nodes above that have nothing left are released. */
void worktree_finish(struct worktree *t, struct work_claim *c);
/* The branch is open again, or was replaced by a node. */
void worktree_give_back(struct worktree *t, struct work_claim *c);
/* All nodes have been taken out; of all claims only `c` counts, as that of the whole search. */
void worktree_restart(struct worktree *t, struct work_claim *c);

/* ---- saving (worktree_save.c): no worker holds the lock or waits for it ---- */
/* The tree with all its nodes, for which numbers from 1 on are used.  `more` nodes follow, which
 * the caller saves: those of workers that are not in the tree. */
void worktree_save(const struct worktree *t, size_t more, struct buf *out);
/* The part of a node that is common; `above` is a number, 0: none. */
void worktree_save_node(uint64_t above, size_t via, size_t finished, struct buf *out);
/* Into a tree that has not begun.  Errors: ERR_FORMAT. */
int worktree_load(struct worktree *t, struct bytes *in, struct err *err);
/* For worktree_save.c: a node below another one, or the root. */
void worktree_add(struct worktree *t, struct work_node *n, struct work_node *above, size_t via);
/* For worktree_save.c: release nodes that have nothing left, from this one upwards. */
void worktree_prune(struct worktree *t, struct work_node *n);

#endif
