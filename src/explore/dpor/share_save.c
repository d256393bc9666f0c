/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search in bytes; see share.h.  It is written as if everything were shared and nothing taken:
 * nodes of a walker's own follow the shared one that it is below of, a child that was taken and
 * not made yet is put back, and a plan that was made and not run is the first child of the last
 * node, where it still is.  So whoever reads it has nodes with something left below, and no
 * walkers.
 *
 * What is read was checked against damage (ledger.h), and here for what would make the search
 * fault.
 */
#include "explore/dpor/share.h"

#include "explore/fault.h"

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

/* What stands beside the node itself. */
struct beside {
	uint64_t above; /* number of the node above it, from 1 */
	uint64_t place; /* of the move that leads here among those asleep there, from 1 */
	const struct branch *made; /* leads here; NULL: it is the root */
	/* is being explored from here; NULL: none is, or it sleeps already */
	const struct branch *current;
	const struct wakeup *taken; /* to be put back; NULL: none is */
	bool reopens;
};

static void save_node(const struct dpor_node *n, const struct beside *b, struct buf *out)
{
	buf_varint(out, b->above);
	if (b->made) {
		buf_varint(out, b->place);
		save_branch(b->made, out);
	}
	buf_varint(out, n->finished);
	buf_varint(out, n->reopens || b->reopens);
	buf_varint(out, n->asleep.len + (b->current != NULL));
	for (size_t i = 0; i < n->asleep.len; i++)
		save_branch(&n->asleep.at[i], out);
	if (b->current)
		save_branch(b->current, out);
	save_tree(&n->tree, b->taken, out);
}

/* Nodes below which a walker is, from the top; those of its own have numbers from `next` on. */
static uint64_t save_walker(const struct dpor *d, uint64_t above, uint64_t next, struct buf *out)
{
	const struct moves *h = &d->history;
	for (size_t i = d->trunk; i < d->nodes.len; i++) {
		const struct dpor_node *n = &d->nodes.at[i];
		struct beside b = {
			.above = above,
			.place = i > d->trunk ? d->nodes.at[i - 1].asleep.len + 1 : d->place + 1,
			.made = i ? &h->moves.at[i - 1].branch : NULL,
			.current = i < h->moves.len ? &h->moves.at[i].branch : NULL,
			.reopens = d->is_planned && i + 1 == d->nodes.len && !n->tree.children.len,
		};
		save_node(n, &b, out);
		above = next++;
	}
	return next;
}

static bool has_own_nodes(const struct dpor *d)
{
	return d->is_below && !d->is_new_here && d->nodes.len > d->trunk;
}

void search_save(const struct search *s, struct dpor *const *walkers, size_t count, struct buf *out)
{
	buf_varint(out, s->has_begun);
	buf_varint(out, s->buffers.len);
	for (size_t i = 0; i < s->buffers.len; i++) {
		buf_varint(out, s->buffers.at[i].thread);
		buf_varint(out, s->buffers.at[i].location);
	}
	size_t nodes = s->nodes.len;
	for (size_t i = 0; i < count; i++)
		nodes += has_own_nodes(walkers[i]) ? walkers[i]->nodes.len - walkers[i]->trunk : 0;
	buf_varint(out, nodes);
	for (size_t i = 0; i < s->nodes.len; i++) {
		const struct shared_node *n = s->nodes.at[i];
		struct beside b = {
			.above = n->above ? n->above->index + 1 : 0,
			.place = n->place + 1,
			.made = n->above ? &n->made : NULL,
			.taken =
				n->is_taken && n->taken.branch.ops && !FAULT(64) ? &n->taken : NULL,
			.reopens = n->is_taken && !n->taken.branch.ops,
		};
		save_node(&n->node, &b, out);
	}
	uint64_t next = s->nodes.len + 1;
	for (size_t i = 0; i < count; i++)
		if (has_own_nodes(walkers[i]))
			next = save_walker(walkers[i],
					   walkers[i]->under ? walkers[i]->under->index + 1 : 0,
					   next, out);
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

static void load_node(struct search *s, struct bytes *in)
{
	uint64_t above = bytes_varint(in);
	/* Only the first has none above it. */
	if (in->is_bad || above > s->nodes.len || !above != !s->nodes.len) {
		in->is_bad = true;
		return;
	}
	struct shared_node *n = search_add(s, above ? s->nodes.at[above - 1] : NULL);
	n->place = NO_PLACE;
	if (n->above) {
		n->place = bytes_varint(in) - 1;
		in->is_bad |= n->place != NO_PLACE && n->place >= n->above->under_way.len;
		if (load_branch(in, &n->made) && n->place != NO_PLACE)
			n->above->under_way.at[n->place] = true;
		n->above->below++;
	}
	n->node.finished = (uint32_t)bytes_varint(in);
	n->node.reopens = bytes_varint(in) & 1;
	size_t asleep = bytes_count(in, sizeof(uint64_t));
	for (size_t i = 0; i < asleep && !in->is_bad; i++) {
		struct branch b;
		if (!load_branch(in, &b))
			break;
		vec_push(&n->node.asleep, b);
		vec_push(&n->under_way, false);
	}
	load_tree(in, &n->node.tree);
}

/* Nodes at the ends without anything left: nothing is to be done there. */
static void leave_finished(struct search *s)
{
	for (size_t i = s->nodes.len; i-- > 0;) {
		struct shared_node *n = i < s->nodes.len ? s->nodes.at[i] : NULL;
		if (!n || n->below || n->node.tree.children.len || n->node.reopens)
			continue;
		n->below = 1;
		search_leave(s, n, NO_PLACE);
	}
}

int search_load(struct search *s, struct bytes *in, struct err *err)
{
	s->has_begun = bytes_varint(in) & 1;
	for (size_t n = bytes_count(in, 2); n-- && !in->is_bad;) {
		struct buffer_of b = { (uint32_t)bytes_varint(in), 0 };
		b.location = bytes_varint(in);
		vec_push(&s->buffers, b);
	}
	for (size_t n = bytes_count(in, 4); n-- && !in->is_bad;)
		load_node(s, in);
	if (in->is_bad)
		return err_set(err, ERR_FORMAT, "the state of the search makes no sense");
	s->is_over = s->has_begun && !s->nodes.len;
	leave_finished(s);
	return 0;
}
