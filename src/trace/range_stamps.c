/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A binary trie over 64-bit numbers.  A range is divided into maximal aligned blocks of a power
 * of two, and each block's node gets the stamp.  Stamps ascend, so the latest stamp of a number
 * is the largest on its path from the root.  Nothing is ever removed.
 */
#include "trace/range_stamps.h"

/* The node of the numbers that share the top `depth` bits with `number`, created if absent. */
static struct range_stamps_node *node_at(struct range_stamps *l, uint64_t number, unsigned depth)
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

void range_stamps_mark(struct range_stamps *l, uint64_t first, uint64_t last, uint64_t stamp)
{
	l->latest = stamp;
	while (first <= last) {
		/* The largest aligned block that begins at `first` and does not exceed `last`. */
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

uint64_t range_stamps_get(const struct range_stamps *l, uint64_t number)
{
	uint64_t latest = 0;
	uint32_t at = 0;
	if (!l->nodes.len)
		return 0;
	for (unsigned bit = 63;; bit--) {
		const struct range_stamps_node *n = &l->nodes.at[at];
		latest = n->stamp > latest ? n->stamp : latest;
		at = n->child[number >> bit & 1];
		if (!at || !bit)
			break;
	}
	if (at && l->nodes.at[at].stamp > latest)
		latest = l->nodes.at[at].stamp;
	return latest;
}

void range_stamps_release(struct range_stamps *l)
{
	vec_release(&l->nodes);
	l->latest = 0;
}
