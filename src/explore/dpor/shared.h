/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes of dpor that several walkers share (dpor.h).  Each walker is a worker of the tree
 * (worktree.h): a thread of the tool with a program of its own.
 *
 * Each walker owns a subtree.  The nodes above it are *shared*: they are in the tree, under its
 * lock, and each has the moves that sleep there and the wake-up tree of what is still to be
 * explored.  A branch of a shared node is a child of its wake-up tree, or, once that is empty, to
 * let others run (reopens).  A walker without work claims the first child of a shared node's
 * wake-up tree.  If no child can be claimed, a walker that has unexplored nodes shares some: it
 * makes its nodes shared down to the highest one that has children left, and continues below.
 *
 * Why no behaviour is lost.  A child that is claimed counts as asleep for those claimed after it,
 * as it would once it has been explored: what begins with it is explored by its walker.  There
 * are two cases for a sequence that a race of that walker inserts at the shared node and that
 * begins with a later sibling:
 *
 *   not claimed   the sequence goes below that sibling in the wake-up tree, as in the paper
 *                 (wakeup.h), whose races have filled the wake-up trees by then.
 *   claimed       the sequence cannot be inserted below the sibling any more, and is dropped.
 *
 * Because of the second case, in a subtree that was claimed while an earlier sibling was being
 * explored, that sibling sleeps as an *open* move.  An open move still prevents executions that
 * begin with it, so nothing is explored twice.  But a sequence is dropped only if the move itself
 * is a part of its beginning, and not for being independent of all of it.  These are initials in
 * place of weak initials, that is source sets in place of wake-up trees (Abdulla and others, POPL
 * 2014, section 4).  Source sets are complete for each subtree alone, at the price of executions
 * that are given up halfway because only sleeping threads could continue.
 */
#ifndef HEDDLE_EXPLORE_DPOR_SHARED_H
#define HEDDLE_EXPLORE_DPOR_SHARED_H

#include "explore/dpor/dpor.h"

/* Operations in a shared node are its own (opset_copy), because references are counted without a
 * lock.  The number of a branch (work_node.via) is that of its move among those asleep. */
struct shared_node {
	struct work_node work;
	struct branch made; /* the move that leads here; not of the root */
	struct dpor_node node;
	VEC(bool) is_active; /* for each move asleep: a walker explores it */
	/* a child is claimed, and it is not known yet what the program does there */
	bool has_claimed;
	/* that child; without operations: there is no plan, others are let run */
	struct wakeup claimed;
};

extern const struct work_kind shared_nodes;

/* The walker has nothing left: place it before a child that no walker explores; false: there is
 * none now. */
bool shared_claim(struct worktree *t, struct dpor *d);
/* Adds a move to those asleep at a node, which is locked; gives its number there. */
size_t shared_add_asleep(struct shared_node *n, const struct branch *b, bool is_active);
/* The move that the claimed child turned out to be; NULL: no execution came of it. */
void shared_set_made(struct worktree *t, struct dpor *d, const struct branch *made);
/* Share nodes, if a walker is idle and there are unexplored ones. */
void shared_give(struct worktree *t, struct dpor *d);
/* Locked access to a shared node; buffers that others have numbered are known then. */
struct dpor_node *shared_lock(struct worktree *t, struct moves *h, struct shared_node *n);
void shared_unlock(struct worktree *t);

/* ---- saving (shared_save.c) ---- */
/* The tree and the nodes of its walkers, none of which is within dpor_plan() or dpor_take().
 * worktree_load() reads it. */
void shared_save(const struct worktree *t, struct dpor *const *walkers, size_t count,
		 struct buf *out);
/* As in struct work_kind. */
void shared_node_save(const struct work_node *n, struct buf *out);
void shared_node_load(struct work_node *n, struct bytes *in);

#endif
