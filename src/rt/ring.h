/* SPDX-License-Identifier: Apache-2.0 */
/* Appending records to the ring (format in wire/wire.h).  Inline: every hook ends here. */
#ifndef HEDDLE_RT_RING_H
#define HEDDLE_RT_RING_H

#include "rt/rt.h"

#define RING_ADDR_MASK 0xffffffffffffull

/* Room for a record of 2 + extra words (extra < 255); gives its first operand word. */
static inline uint64_t *ring_begin(uint64_t addr, unsigned kind, unsigned size, pc_t pc, unsigned flags, unsigned extra)
{
	if (unlikely(g.space < 2 + extra))
		ring_wait_space(2 + extra);
	uint64_t *w = g.out;
	w[0] = (addr & RING_ADDR_MASK) | (uint64_t)kind << 48 | (uint64_t)size << 56;
	w[1] = (pc & RING_ADDR_MASK) | (uint64_t)flags << 48 | (uint64_t)extra << 56;
	return w + 2;
}

static inline void ring_commit(unsigned words)
{
	g.out += words;
	g.space -= words;
	g.head += words;
	__atomic_store_n(&g.session->head, g.head, __ATOMIC_RELEASE);
}

/* What precedes every event: the until mark, the call stack if it changed; gives the flags that go along. */
static inline unsigned ring_event(void)
{
	if (unlikely(g.events >= g.until))
		ring_until_reached();
	g.events++;
	if (unlikely(g.frame->id != g.stack_id))
		stack_announce();
	unsigned flags = g.branched;
	g.branched = 0;
	return flags;
}

#endif
