/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of dpor in bytes; see shared.h and worktree.h.  It is written as if everything were
 * shared and nothing claimed:
 *
 *   a walker's own nodes       follow as nodes below the shared node at which it has its claim.
 *   a claimed child            that has not been run yet is put back.
 *   a plan that was not run    is the first child of the walker's last node, where it still is.
 */
#include "explore/dpor/shared.h"

#include "wire/fault.h"

/* ---- writing ---- */

static void save_branch(const struct branch *b, struct buf *out)
{
	buf_varint(out, b->thread);
	buf_varint(out, (uint64_t)b->fixed_choices << 2 | (uint64_t)b->has_free_answers << 1 |
				b->is_open);
	buf_varint(out, b->first);
	buf_varint(out, b->hook);
	opset_save(b->ops, out);
}

/* What is below a branch: how many children, and each with what is below it.  A tree may be
 * deeper than the stack is large. */
static void save_below(const struct wakeup *w, struct buf *out)
{
	VEC(const struct wakeup *) stack = { 0 };
	buf_varint(out, w->children.len);
	for (size_t i = w->children.len; i-- > 0;)
		vec_push(&stack, &w->children.at[i]);
	while (stack.len) {
		const struct wakeup *now = stack.at[--stack.len];
		save_branch(&now->branch, out);
		buf_varint(out, now->children.len);
		for (size_t i = now->children.len; i-- > 0;)
			vec_push(&stack, &now->children.at[i]);
	}
	vec_release(&stack);
}

/* `first`: to be put back among the children; NULL: none is. */
static void save_tree(const struct wakeup *root, const struct wakeup *first, struct buf *out)
{
	struct wakeup whole = { 0 };
	if (first)
		vec_push(&whole.children, *first);
	for (size_t i = 0; i < root->children.len; i++)
		vec_push(&whole.children, root->children.at[i]);
	save_below(&whole, out);
	vec_release(&whole.children);
}

/* What is saved of a node besides struct dpor_node. */
struct beside {
	const struct branch *made; /* leads here; NULL: it is the root */
	/* is explored from here; NULL: none is, or it is among those asleep */
	const struct branch *current;
	const struct wakeup *claimed; /* to be put back; NULL: none is */
	bool reopens;
};

static void save_node(const struct dpor_node *n, const struct beside *b, struct buf *out)
{
	if (b->made)
		save_branch(b->made, out);
	buf_varint(out, n->reopens || b->reopens);
	buf_varint(out, n->asleep.len + (b->current != NULL));
	for (size_t i = 0; i < n->asleep.len; i++)
		save_branch(&n->asleep.at[i], out);
	if (b->current)
		save_branch(b->current, out);
	save_tree(&n->tree, b->claimed, out);
}

void shared_node_save(const struct work_node *work, struct buf *out)
{
	const struct shared_node *n = (const struct shared_node *)work;
	bool has_ops = n->claimed.branch.ops;
	struct beside b = {
		.made = work->above ? &n->made : NULL,
		.claimed = n->has_claimed && has_ops ? &n->claimed : NULL,
		.reopens = n->has_claimed && !has_ops,
	};
	if (FAULT(SAVE_LOSES_TAKEN))
		b.claimed = NULL;
	save_node(&n->node, &b, out);
}

/* The nodes of a walker, from the top; they have numbers from `next` on. */
static uint64_t save_walker(const struct dpor *d, uint64_t next, struct buf *out)
{
	const struct moves *h = &d->history;
	uint64_t above = d->claim.node ? d->claim.node->index + 1 : 0;
	for (size_t i = d->trunk; i < d->nodes.len; i++) {
		const struct dpor_node *n = &d->nodes.at[i];
		struct beside b = {
			.made = i ? &h->moves.at[i - 1].branch : NULL,
			.current = i < h->moves.len ? &h->moves.at[i].branch : NULL,
			.reopens = d->is_planned && i + 1 == d->nodes.len && !n->tree.children.len,
		};
		size_t via = i > d->trunk ? d->nodes.at[i - 1].asleep.len : d->claim.via;
		worktree_save_node(above, via, n->finished, out);
		save_node(n, &b, out);
		above = next++;
	}
	return next;
}

static size_t own_nodes(const struct dpor *d)
{
	bool has_some = d->claim.is_held && !d->is_new_here && d->nodes.len > d->trunk;
	return has_some ? d->nodes.len - d->trunk : 0;
}

void shared_save(const struct worktree *t, struct dpor *const *walkers, size_t count,
		 struct buf *out)
{
	size_t own = 0;
	for (size_t i = 0; i < count; i++)
		own += own_nodes(walkers[i]);
	worktree_save(t, own, out);
	uint64_t next = t->nodes.len + 1;
	for (size_t i = 0; i < count; i++)
		if (own_nodes(walkers[i]))
			next = save_walker(walkers[i], next, out);
}

/* ---- reading ---- */

static bool load_branch(struct bytes *in, struct branch *b)
{
	uint64_t thread = bytes_varint(in);
	uint64_t choices = bytes_varint(in);
	*b = (struct branch){ .thread = (uint32_t)thread,
			      .fixed_choices = (uint32_t)(choices >> 2),
			      .is_open = choices & 1,
			      .has_free_answers = choices >> 1 & 1 };
	b->first = bytes_varint(in);
	b->hook = bytes_varint(in);
	in->is_bad |= thread >= MOVES_THREADS_MAX;
	b->ops = in->is_bad ? NULL : opset_load(in);
	return b->ops;
}

/* A node that gets children; room for all of them is there, so they stay where they are. */
struct loading {
	struct wakeup *node;
	size_t missing;
};

static struct loading begin_loading(struct bytes *in, struct wakeup *w)
{
	size_t count = bytes_count(in, sizeof(uint64_t));
	wakeup_reserve(w, count);
	return (struct loading){ w, count };
}

static void load_tree(struct bytes *in, struct wakeup *root)
{
	VEC(struct loading) stack = { 0 };
	vec_push(&stack, begin_loading(in, root));
	while (stack.len && !in->is_bad) {
		struct loading *now = &vec_last(&stack);
		if (!now->missing) {
			stack.len--;
			continue;
		}
		now->missing--;
		struct wakeup *child = vec_add(&now->node->children);
		if (load_branch(in, &child->branch))
			vec_push(&stack, begin_loading(in, child));
		else
			now->node->children.len--;
	}
	vec_release(&stack);
}

void shared_node_load(struct work_node *work, struct bytes *in)
{
	struct shared_node *n = (struct shared_node *)work,
			   *above = (struct shared_node *)work->above;
	if (above) {
		bool has_via = work->via != NO_BRANCH;
		in->is_bad |= has_via && work->via >= above->is_active.len;
		if (load_branch(in, &n->made) && has_via)
			above->is_active.at[work->via] = true;
	}
	n->node.reopens = bytes_varint(in) & 1;
	size_t asleep = bytes_count(in, sizeof(uint64_t));
	for (size_t i = 0; i < asleep && !in->is_bad; i++) {
		struct branch b;
		if (!load_branch(in, &b))
			break;
		vec_push(&n->node.asleep, b);
		vec_push(&n->is_active, false);
	}
	load_tree(in, &n->node.tree);
}
