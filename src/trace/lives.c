/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A binary trie over 64-bit numbers in which a mark stands at the top of each largest aligned power of two
 * that its range covers.  As stamps ascend, the latest one of a number is the largest on its way down;
 * nothing has to be taken out.
 */
#include "trace/lives.h"

/* The node for the numbers that share the top `depth` bits with `number`, made if absent. */
static struct lives_node *node_at(struct lives *l, uint64_t number, unsigned depth)
{
	uint32_t at = 0;
	if (!l->nodes.len)
		vec_add(&l->nodes);
	for (unsigned bit = 63; depth; bit--, depth--) {
		unsigned side = number >> bit & 1;
		uint32_t next = l->nodes.at[at].child[side];
		if (!next) {
			next = (uint32_t)l->nodes.len;
			vec_add(&l->nodes);
			l->nodes.at[at].child[side] = next;
		}
		at = next;
	}
	return &l->nodes.at[at];
}

void lives_mark(struct lives *l, uint64_t first, uint64_t last, uint64_t stamp)
{
	l->latest = stamp;
	while (first <= last) {
		/* The largest aligned power of two that begins here and does not go too far. */
		unsigned bits = first ? (unsigned)__builtin_ctzll(first) : 64;
		while (bits && last - first < (bits == 64 ? UINT64_MAX : (1ull << bits) - 1))
			bits--;
		node_at(l, first, 64 - bits)->stamp = stamp;
		uint64_t covered = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
		if (last - first == covered)
			return;
		first += covered + 1;
	}
}

uint64_t lives_stamp(const struct lives *l, uint64_t number)
{
	uint64_t latest = 0;
	uint32_t at = 0;
	if (!l->nodes.len)
		return 0;
	for (unsigned bit = 63;; bit--) {
		const struct lives_node *n = &l->nodes.at[at];
		latest = n->stamp > latest ? n->stamp : latest;
		at = n->child[number >> bit & 1];
		if (!at || !bit)
			break;
	}
	if (at && l->nodes.at[at].stamp > latest)
		latest = l->nodes.at[at].stamp;
	return latest;
}

void lives_release(struct lives *l)
{
	vec_release(&l->nodes);
	l->latest = 0;
}
