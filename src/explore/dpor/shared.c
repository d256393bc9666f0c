/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of dpor that several walkers share; see shared.h. */
#include "explore/dpor/shared.h"

#include "base/alloc.h"
#include "wire/fault.h"

/* ---- the kind of node ---- */

static const struct shared_node *shared_of(const struct work_node *n)
{
	return (const struct shared_node *)n;
}

static void release(struct work_node *work)
{
	struct shared_node *n = (struct shared_node *)work;
	branch_release(&n->made);
	dpor_node_release(&n->node);
	wakeup_release(&n->claimed);
	vec_release(&n->is_active);
	mem_free(n);
}

static bool has_open(const struct work_node *n)
{
	return shared_of(n)->node.tree.children.len || shared_of(n)->node.reopens;
}

/* Others are let run at a node only when all that was planned there has been explored: before, it
 * may turn out to be unnecessary. */
static bool can_be_claimed(const struct work_node *work)
{
	const struct shared_node *n = shared_of(work);
	return !n->has_claimed &&
	       (n->node.tree.children.len || (n->node.reopens && !n->work.below));
}

/*
 * The highest node has the largest subtrees, so that few nodes need to be shared.  A single
 * walker takes the deepest node, which is the order in which it would have continued by itself.
 */
static struct work_node *choose(const struct worktree *t)
{
	struct work_node *best = NULL;
	for (size_t i = 0; i < t->nodes.len; i++) {
		struct work_node *n = t->nodes.at[i];
		if (can_be_claimed(n) &&
		    (!best || (t->workers > 1 ? n->depth < best->depth : n->depth > best->depth)))
			best = n;
	}
	return best;
}

static void note_finished(struct work_node *n, size_t via)
{
	if (via != NO_BRANCH)
		((struct shared_node *)n)->is_active.at[via] = false;
}

static double parts(const struct work_node *n)
{
	return (double)(n->finished + n->below + shared_of(n)->node.tree.children.len);
}

static double explored(const struct work_node *n)
{
	return (double)n->finished;
}

const struct work_kind shared_nodes = { .size = sizeof(struct shared_node),
					.release = release,
					.has_open = has_open,
					.choose = choose,
					.note_finished = note_finished,
					.parts = parts,
					.explored = explored,
					.save = shared_node_save,
					.load = shared_node_load };

/* ---- access ---- */

struct dpor_node *shared_lock(struct worktree *t, struct moves *h, struct shared_node *n)
{
	worktree_lock(t);
	worktree_copy_buffers(t, h);
	return &n->node;
}

/* No worker is woken: the walker inserts many sequences, and looks for idle ones before its next
 * plan. */
void shared_unlock(struct worktree *t)
{
	pthread_mutex_unlock(&t->lock);
}

/* ---- claiming ---- */

/* The path to a node: of its moves only the branches are known. */
static void go_to(struct dpor *d, const struct shared_node *n)
{
	while (d->nodes.len)
		dpor_node_release(&d->nodes.at[--d->nodes.len]);
	moves_truncate(&d->history, 0);
	for (size_t i = 0; i < n->work.depth; i++) {
		vec_add(&d->nodes);
		vec_add(&d->history.moves);
	}
	for (; n->work.above; n = shared_of(n->work.above)) {
		size_t above = n->work.depth - 1;
		d->nodes.at[above].shared = (struct shared_node *)n->work.above;
		d->history.moves.at[above].branch = branch_copy(&n->made);
	}
}

/* The walker has a copy of the node with that one child, until the child has been run. */
static void claim_child(struct worktree *t, struct dpor *d, struct shared_node *n)
{
	go_to(d, n);
	worktree_copy_buffers(t, &d->history);
	struct dpor_node *here = vec_add(&d->nodes);
	here->shared = n;
	struct wakeup *children = n->node.tree.children.at;
	if (n->node.tree.children.len) {
		n->claimed = children[0];
		memmove(children, children + 1, --n->node.tree.children.len * sizeof(*children));
		vec_push(&here->tree.children, wakeup_copy(&n->claimed));
	} else {
		n->node.reopens = false;
	}
	/* This is kept in the child in case it is saved before it has been run. */
	for (size_t i = 0; i < n->is_active.len; i++) {
		if (FAULT(TAKEN_BRANCH_CLOSED))
			break;
		n->claimed.branch.is_open |= n->is_active.at[i];
	}
	for (size_t i = 0; i < n->node.asleep.len; i++) {
		vec_push(&here->asleep, branch_copy(&n->node.asleep.at[i]));
		vec_last(&here->asleep).is_open |= n->claimed.branch.is_open;
	}
	n->has_claimed = true;
	worktree_claim(t, &d->claim, &n->work, NO_BRANCH);
	d->trunk = n->work.depth;
	d->is_new_here = true;
}

bool shared_claim(struct worktree *t, struct dpor *d)
{
	worktree_lock(t);
	if (d->claim.is_held)
		worktree_finish(t, &d->claim);
	d->trunk = 0;
	struct shared_node *n = (struct shared_node *)worktree_choose(t, &d->claim);
	if (n)
		claim_child(t, d, n);
	worktree_unlock(t);
	return n != NULL;
}

size_t shared_add_asleep(struct shared_node *n, const struct branch *b, bool is_active)
{
	vec_push(&n->node.asleep, branch_copy(b));
	vec_push(&n->is_active, is_active);
	return n->node.asleep.len - 1;
}

void shared_set_made(struct worktree *t, struct dpor *d, const struct branch *made)
{
	struct shared_node *n = (struct shared_node *)d->claim.node;
	worktree_lock(t);
	if (made) {
		if (!FAULT(TAKEN_MOVE_AWAKE))
			d->claim.via = shared_add_asleep(n, made, true);
	}
	wakeup_release(&n->claimed);
	n->claimed = (struct wakeup){ 0 };
	n->has_claimed = false;
	worktree_unlock(t);
}

/* ---- sharing ---- */

/* The walker's node becomes a shared one; the move that is explored from there counts as claimed.
 */
static void share_node(struct worktree *t, struct dpor *d, size_t depth)
{
	struct dpor_node *own = &d->nodes.at[depth];
	struct shared_node *n = mem_zero(1, sizeof(*n));
	worktree_insert(t, &d->claim, &n->work);
	if (depth)
		n->made = branch_copy(&d->history.moves.at[depth - 1].branch);
	for (size_t i = 0; i < own->asleep.len; i++)
		shared_add_asleep(n, &own->asleep.at[i], false);
	if (!FAULT(SHARED_MOVE_AWAKE))
		d->claim.via = shared_add_asleep(n, &d->history.moves.at[depth].branch, true);
	n->node.tree = wakeup_copy(&own->tree);
	n->node.reopens = own->reopens;
	n->work.finished = own->finished;
	dpor_node_release(own);
	*own = (struct dpor_node){ .shared = n };
	d->trunk = depth + 1;
}

static size_t count_claimable(const struct worktree *t)
{
	size_t count = 0;
	for (size_t i = 0; i < t->nodes.len; i++)
		count += can_be_claimed(t->nodes.at[i]);
	return count;
}

void shared_give(struct worktree *t, struct dpor *d)
{
	if (!__atomic_load_n(&t->idle, __ATOMIC_RELAXED))
		return;
	size_t last = d->trunk;
	while (last < d->history.moves.len && !d->nodes.at[last].tree.children.len)
		last++;
	if (last >= d->history.moves.len)
		return;
	worktree_lock(t);
	bool gives = t->idle > count_claimable(t);
	while (gives && d->trunk <= last)
		share_node(t, d, d->trunk);
	worktree_unlock(t);
}
