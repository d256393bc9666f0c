/* SPDX-License-Identifier: Apache-2.0 */
/* Appending records to the ring (format in wire/wire.h).  Inline: every hook ends here. */
#ifndef HEDDLE_RT_RING_H
#define HEDDLE_RT_RING_H

#include "rt/hot.h"
#include "rt/rt.h"
#include "rt/stack.h"
#include "wire/wire.h"

#define RING_AHEAD 256
#define RING_ADDR_MASK 0xffffffffffffull

void ring_attach(void);
void ring_wait_space(uint64_t words);
/* returns if the event may happen all the same */
void ring_until_reached(void) __attribute__((cold));

extern uint8_t chunk[] __attribute__((visibility("hidden")));

void chunk_flush(void); /* accesses noted so far become a record */
/* A record stands behind the accesses that came before it. */
static inline void ring_close_chunk(void)
{
	if (g.chunk_events || g.chunk_at != chunk)
		chunk_flush();
}

/* Room for a record of 2 + extra words (extra < 255); gives its first operand word. */
static inline uint64_t *ring_begin(uint64_t addr, unsigned kind, unsigned size, pc_t pc,
				   unsigned flags, unsigned extra)
{
	ring_close_chunk();
	if (unlikely(g.out + 2 + extra > g.out_limit))
		ring_wait_space(2 + extra);
	uint64_t *w = g.out;
	w[0] = (addr & RING_ADDR_MASK) | (uint64_t)kind << 48 | (uint64_t)size << 56;
	w[1] = (pc & RING_ADDR_MASK) | (uint64_t)flags << 48 | (uint64_t)extra << 56;
	return w + 2;
}

static inline void ring_commit(unsigned words)
{
	g.out += words;
	g.written += words;
	/* What comes next was last in the tool's cache: ask for it now, since stores behind one
	 * that waits wait, too. */
	__asm__ volatile("prefetchw %0" : : "m"(g.out[RING_AHEAD]));
	/* Stores stay in order on x86.  The tool reads the head all the time: adding to it here
	 * would wait for its cache line. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	g.session->head = g.written;
}

/* What precedes every event that is a record: the until mark, the call stack if it changed; gives
 * the flags. */
static inline unsigned ring_event(void)
{
	if (unlikely(g.events_left-- == 0))
		ring_until_reached();
	if (unlikely(g.frame->id != g.stack_id))
		stack_announce();
	return rt_take_branch();
}

#endif
