/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of std::map, std::set and std::list that exist only inside libstdc++: steps through a
 * tree, balancing it, linking nodes.  They work on nodes of the program's containers, so what
 * they read and change are accesses of the program's: without them a race on a map would be
 * invisible, and the next hooked read of a node would find a change without a write.
 *
 * A step through a tree is made here, by reading the same pointers.  Balancing is the library's;
 * which nodes it may touch is known from the algorithm: those on the way from where it begins up
 * to the root, and what lies at most three below them (a sibling, its children, and the subtree
 * that a rotation moves).  The way is read before the call, and every field that has another
 * content after it has been written.
 */
#include "rt/cxx.h"
#include "rt/libc_wrap.h"

#define BELOW 3
/* longer than any path in a tree that fits into memory; a damaged tree may have cycles */
#define WAY_MAX 128

struct tree_node {
	uint32_t is_black;
	/* of the header: root, leftmost, rightmost */
	struct tree_node *parent, *left, *right;
};

/* One step of its thread, as in the library: others may change the tree between two of them. */
static struct tree_node *follow(struct tree_node *const *link, pc_t pc)
{
	rt_enter(pc);
	rt_point();
	rt_libc_read(link, sizeof(*link), pc);
	return *link;
}

static void report_changes(struct tree_node *n, unsigned below, pc_t pc)
{
	if (!n)
		return;
	libc_wrote_if_changed(&n->is_black, sizeof(n->is_black), pc);
	libc_wrote_if_changed(&n->parent, 3 * sizeof(n->parent), pc);
	if (!below)
		return;
	report_changes(n->left, below - 1, pc);
	report_changes(n->right, below - 1, pc);
}

static void read_way(struct tree_node *from, const struct tree_node *header, pc_t pc)
{
	for (unsigned i = 0; from && from != header && i < WAY_MAX; i++) {
		rt_libc_read(&from->is_black, sizeof(from->is_black), pc);
		rt_libc_read(&from->parent, 3 * sizeof(from->parent), pc);
		from = from->parent;
	}
	rt_libc_read(&header->parent, 3 * sizeof(header->parent), pc);
}

static void report_way(struct tree_node *from, struct tree_node *header, pc_t pc)
{
	for (unsigned i = 0; from && from != header && i < WAY_MAX; i++) {
		report_changes(from, BELOW, pc);
		from = from->parent;
	}
	report_changes(header, 0, pc);
}

RT_EXPORT void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(
	bool is_left, struct tree_node *node, struct tree_node *parent, struct tree_node *header)
{
	bool controlled = libc_enter(PC);
	if (controlled)
		read_way(parent, header, PC);
	REAL_CXX(_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_)
	(is_left, node, parent, header);
	if (controlled)
		report_way(node, header, PC);
}

/* Where the balancing after a removal begins: at the parent of the node that takes the place of
 * another, or is gone. */
static struct tree_node *removal_start(struct tree_node *node)
{
	if (!node->left || !node->right)
		return node->parent;
	struct tree_node *next = node->right;
	while (next->left)
		next = next->left;
	return next->parent == node ? next : next->parent;
}

RT_EXPORT struct tree_node *_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(
	struct tree_node *node, struct tree_node *header)
{
	bool controlled = libc_enter(PC);
	struct tree_node *start = NULL;
	if (controlled) {
		start = removal_start(node);
		read_way(start, header, PC);
	}
	struct tree_node *gone = REAL_CXX(
		_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_)(node, header);
	if (controlled) {
		report_changes(gone, 0, PC);
		report_way(start, header, PC);
	}
	return gone;
}

/* To the next node in order, or with left and right exchanged to the previous one. */
static struct tree_node *step(struct tree_node *n, size_t forward, size_t back, pc_t pc)
{
#define LINK(node, offset) ((struct tree_node *const *)((const char *)(node) + (offset)))
	struct tree_node *down = follow(LINK(n, forward), pc);
	if (down) {
		for (struct tree_node *next = down; next; next = follow(LINK(down, back), pc))
			down = next;
		return down;
	}
	struct tree_node *up = follow(&n->parent, pc);
	while (n == follow(LINK(up, forward), pc)) {
		n = up;
		up = follow(&n->parent, pc);
	}
	/* From the root without a child on that side the way up ends in the header itself. */
	return *LINK(n, forward) == up ? n : up;
#undef LINK
}

static struct tree_node *increment(struct tree_node *n, pc_t pc)
{
	return step(n, offsetof(struct tree_node, right), offsetof(struct tree_node, left), pc);
}

static struct tree_node *decrement(struct tree_node *n, pc_t pc)
{
	/* The end of a tree is its header: red, and its own grandparent. */
	rt_libc_read(&n->is_black, sizeof(n->is_black), pc);
	if (!n->is_black && follow(&follow(&n->parent, pc)->parent, pc) == n)
		return follow(&n->right, pc);
	return step(n, offsetof(struct tree_node, left), offsetof(struct tree_node, right), pc);
}

#define STEP(name, way)                                                 \
	RT_EXPORT struct tree_node *name(struct tree_node *n)           \
	{                                                               \
		return libc_enter(PC) ? way(n, PC) : REAL_CXX(name)(n); \
	}
STEP(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, increment)
STEP(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base, increment)
STEP(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, decrement)
STEP(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base, decrement)

/* ---- lists: nodes in a ring ---- */

struct list_node {
	struct list_node *next, *previous;
};

static void set_link(struct list_node **link, struct list_node *to, pc_t pc)
{
	libc_will_write(link, sizeof(*link), pc);
	*link = to;
	rt_libc_wrote(link, sizeof(*link), pc);
}

static struct list_node *get_link(struct list_node *const *link, pc_t pc)
{
	rt_libc_read(link, sizeof(*link), pc);
	return *link;
}

RT_EXPORT void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(struct list_node *node,
							    struct list_node *before)
{
	if (!libc_enter(PC)) {
		REAL_CXX(_ZNSt8__detail15_List_node_base7_M_hookEPS0_)(node, before);
		return;
	}
	set_link(&node->next, before, PC);
	set_link(&node->previous, get_link(&before->previous, PC), PC);
	set_link(&node->previous->next, node, PC);
	set_link(&before->previous, node, PC);
}

RT_EXPORT void _ZNSt8__detail15_List_node_base9_M_unhookEv(struct list_node *node)
{
	if (!libc_enter(PC)) {
		REAL_CXX(_ZNSt8__detail15_List_node_base9_M_unhookEv)(node);
		return;
	}
	struct list_node *next = get_link(&node->next, PC),
			 *previous = get_link(&node->previous, PC);
	set_link(&previous->next, next, PC);
	set_link(&next->previous, previous, PC);
}

/* Moves the nodes from first up to last, which stays, in front of a node. */
RT_EXPORT void _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(struct list_node *before,
								    struct list_node *first,
								    struct list_node *last)
{
	if (!libc_enter(PC)) {
		REAL_CXX(_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_)(before, first, last);
		return;
	}
	if (before == last)
		return;
	struct list_node *end = get_link(&last->previous, PC),
			 *left = get_link(&first->previous, PC),
			 *ahead = get_link(&before->previous, PC);
	set_link(&end->next, before, PC);
	set_link(&left->next, last, PC);
	set_link(&ahead->next, first, PC);
	set_link(&before->previous, end, PC);
	set_link(&last->previous, left, PC);
	set_link(&first->previous, ahead, PC);
}

RT_EXPORT void _ZNSt8__detail15_List_node_base10_M_reverseEv(struct list_node *head)
{
	if (!libc_enter(PC)) {
		REAL_CXX(_ZNSt8__detail15_List_node_base10_M_reverseEv)(head);
		return;
	}
	struct list_node *node = head;
	do {
		struct list_node *next = get_link(&node->next, PC);
		set_link(&node->next, get_link(&node->previous, PC), PC);
		set_link(&node->previous, next, PC);
		node = next;
	} while (node != head);
}

/* Makes the neighbours of a list that now has another head, or none, lead to it. */
static void take_neighbours(struct list_node *head, struct list_node *next,
			    struct list_node *previous, const struct list_node *old_head, pc_t pc)
{
	bool is_empty = next == old_head;
	set_link(&head->next, is_empty ? head : next, pc);
	set_link(&head->previous, is_empty ? head : previous, pc);
	if (is_empty)
		return;
	set_link(&next->previous, head, pc);
	set_link(&previous->next, head, pc);
}

RT_EXPORT void _ZNSt8__detail15_List_node_base4swapERS0_S1_(struct list_node *a,
							    struct list_node *b)
{
	if (!libc_enter(PC)) {
		REAL_CXX(_ZNSt8__detail15_List_node_base4swapERS0_S1_)(a, b);
		return;
	}
	struct list_node *a_next = get_link(&a->next, PC), *a_previous = get_link(&a->previous, PC),
			 *b_next = get_link(&b->next, PC), *b_previous = get_link(&b->previous, PC);
	take_neighbours(a, b_next, b_previous, b, PC);
	take_neighbours(b, a_next, a_previous, a, PC);
}
