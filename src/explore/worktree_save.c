/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shared search tree in bytes; see worktree.h.  The ledger detects damage by checksums
 * (ledger.h).  Here, and in the kinds of nodes, only that is checked which would let the search
 * access memory out of bounds or never end.
 */
#include "explore/worktree.h"

#include "base/alloc.h"

/* ---- writing ---- */

void worktree_save_node(uint64_t above, size_t via, size_t finished, struct buf *out)
{
	buf_varint(out, above);
	buf_varint(out, via + 1); /* NO_BRANCH becomes 0 */
	buf_varint(out, finished);
}

void worktree_save(const struct worktree *t, size_t more, struct buf *out)
{
	/* While the first execution runs, nothing is known of the search. */
	buf_varint(out, t->has_begun && (t->nodes.len || more || !t->active));
	buf_varint(out, t->buffers.len);
	for (size_t i = 0; i < t->buffers.len; i++) {
		buf_varint(out, t->buffers.at[i].thread);
		buf_varint(out, t->buffers.at[i].location);
	}
	buf_varint(out, t->nodes.len + more);
	for (size_t i = 0; i < t->nodes.len; i++) {
		const struct work_node *n = t->nodes.at[i];
		worktree_save_node(n->above ? n->above->index + 1 : 0, n->via, n->finished, out);
		t->kind->save(n, out);
	}
}

/* ---- reading ---- */

static void load_node(struct worktree *t, struct bytes *in)
{
	uint64_t above = bytes_varint(in);
	/* Only the root has no node above it. */
	if (in->is_bad || above > t->nodes.len || !above != !t->nodes.len) {
		in->is_bad = true;
		return;
	}
	size_t via = (size_t)bytes_varint(in) - 1;
	struct work_node *n = mem_zero(1, t->kind->size);
	worktree_add(t, n, above ? t->nodes.at[above - 1] : NULL, via);
	if (n->above)
		n->above->below++;
	n->finished = (size_t)bytes_varint(in);
	t->kind->load(n, in);
}

/* Nodes without open branches and without nodes below them: the claim that was there is gone. */
static void prune_leaves(struct worktree *t)
{
	for (size_t i = t->nodes.len; i-- > 0;)
		if (i < t->nodes.len)
			worktree_prune(t, t->nodes.at[i]);
}

int worktree_load(struct worktree *t, struct bytes *in, struct err *err)
{
	t->has_begun = bytes_varint(in) & 1;
	for (size_t n = bytes_count(in, 2); n-- && !in->is_bad;) {
		struct buffer_of b = { (uint32_t)bytes_varint(in), 0 };
		b.location = bytes_varint(in);
		vec_push(&t->buffers, b);
	}
	for (size_t n = bytes_count(in, 4); n-- && !in->is_bad;)
		load_node(t, in);
	if (in->is_bad)
		return err_set(err, ERR_FORMAT, "the state of the search is not consistent");
	prune_leaves(t);
	t->is_over = t->has_begun && !t->nodes.len;
	return 0;
}
