/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Optimal DPOR; see dpor.h and wakeup.h.  After each execution (take.c), for every pair of moves
 * e, f where e is the last on which f depends: if f could have been made before e, then the moves
 * that e does not happen before, and then f, are to be explored from the node of e, unless a move
 * that sleeps there can begin that sequence (reverse.c, with the argument that no behaviour is
 * lost).
 */
#include "explore/dpor/dpor.h"

#include "base/alloc.h"
#include "wire/fault.h"
#include "explore/dpor/reverse.h"
#include "explore/schedule.h"
#include "explore/dpor/shared.h"

void dpor_init(struct dpor *d, bool is_total, struct worktree *tree)
{
	*d = (struct dpor){ .tree = tree,
			    .history = { .is_total = is_total },
			    .conflicts = { .worth_it = CONFLICTS_WORTH_IT },
			    .max_preemptions = UINT64_MAX };
	if (tree) {
		d->history.number_buffer = worktree_number_buffer;
		d->history.number_arg = tree;
	}
}

void dpor_node_release(struct dpor_node *n)
{
	for (size_t i = 0; i < n->asleep.len; i++)
		branch_release(&n->asleep.at[i]);
	vec_release(&n->asleep);
	wakeup_release(&n->tree);
}

void dpor_release(struct dpor *d)
{
	moves_release(&d->history);
	for (size_t i = 0; i < d->nodes.len; i++)
		dpor_node_release(&d->nodes.at[i]);
	vec_release(&d->nodes);
	dpor_clear_path(d);
	vec_release(&d->path);
	vec_release(&d->scratch);
	vec_release(&d->left_out);
	conflicts_release(&d->conflicts);
	objects_release(&d->objects);
	vec_release(&d->reversals);
	vec_release(&d->ends);
	vec_release(&d->next.turns);
	vec_release(&d->next.choices);
	vec_release(&d->next.sleepers);
	vec_release(&d->next.sleeper_ops);
	sequence_release(&d->sequence);
}

/* The first plan of all: nothing is known. */
static bool begin(struct dpor *d)
{
	if (d->has_begun)
		return false;
	d->has_begun = true;
	if (d->tree) {
		worktree_lock(d->tree);
		bool is_first = worktree_begin(d->tree, &d->claim);
		worktree_unlock(d->tree);
		if (!is_first)
			return false;
	}
	vec_add(&d->nodes);
	return true;
}

/* Up to the deepest node of its own with something left; false: there is none. */
static bool go_back(struct dpor *d)
{
	while (d->nodes.len > d->trunk) {
		size_t depth = d->nodes.len - 1;
		struct dpor_node *n = &d->nodes.at[depth];
		/* The move that was explored from here sleeps from now on. */
		if (depth < d->history.moves.len) {
			n->finished++;
			if (!FAULT(EXPLORED_MOVE_AWAKE))
				vec_push(&n->asleep,
					 branch_ref(&d->history.moves.at[depth].branch));
		}
		moves_truncate(&d->history, depth);
		while (dpor_drop_explored(&d->history, n))
			;
		if (n->tree.children.len || n->reopens) {
			n->reopens &= n->tree.children.len > 0;
			return true;
		}
		dpor_node_release(n);
		d->nodes.len--;
	}
	return false;
}

/* Whether there is something left of what was taken from a shared node. */
static bool has_more(struct dpor *d)
{
	struct dpor_node *here = &vec_last(&d->nodes);
	bool is_path = here->tree.children.len;
	while (dpor_drop_explored(&d->history, here))
		;
	if (!is_path || here->tree.children.len)
		return true;
	d->is_new_here = false;
	shared_set_made(d->tree, d, NULL);
	return false;
}

const struct plan *dpor_plan(struct dpor *d)
{
	if (!d->is_planned && !begin(d)) {
		if (d->tree)
			shared_give(d->tree, d);
		while (!go_back(d))
			if (!d->tree || !shared_claim(d->tree, d))
				return NULL;
			else if (has_more(d))
				break;
	}
	d->is_planned = true;
	dpor_make_plan(d, d->nodes.len - 1);
	return &d->next.plan;
}

/* ---- nodes that others may share ---- */

/* What is to be changed; a shared node is locked until dpor_close_node(). */
struct dpor_node *dpor_open_node(struct dpor *d, size_t node)
{
	struct dpor_node *n = &d->nodes.at[node];
	return n->shared ? shared_lock(d->tree, &d->history, n->shared) : n;
}

void dpor_close_node(struct dpor *d, size_t node)
{
	if (d->nodes.at[node].shared)
		shared_unlock(d->tree);
}

/* The child of the node that another walker has taken and not made yet; NULL: there is none. */
const struct branch *dpor_taken_child(const struct dpor *d, size_t node)
{
	const struct shared_node *s = d->nodes.at[node].shared;
	return s && s->has_claimed && s->claimed.branch.ops ? &s->claimed.branch : NULL;
}

double dpor_progress(const struct dpor *d)
{
	double share = d->tree ? worktree_share(d->tree, &d->claim) : 1, behind = 0;
	for (size_t i = d->trunk; i < d->nodes.len; i++) {
		const struct dpor_node *n = &d->nodes.at[i];
		double branches = (double)(n->finished + 1 + n->tree.children.len);
		behind += share * (double)n->finished / branches;
		share /= branches;
	}
	return behind;
}
