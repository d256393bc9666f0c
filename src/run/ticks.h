/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inline operations on clocks, which every atomic operation needs; see clock.h.
 *
 * Loops work on two entries at a time.  A clock with an odd number of entries has one more after
 * its last, which is 0 or what the writing thread knew of that slot: reading it is harmless.
 */
#ifndef HEDDLE_RUN_TICKS_H
#define HEDDLE_RUN_TICKS_H

#include "run/clock.h"
#include "run/nest.h"
#include "run/run.h"
#include "run/thr.h"

/* The clock, with room for n entries. */
static inline struct clock *clock_for(struct clock **slot, uint32_t n)
{
	return likely(*slot && (*slot)->room >= n) ? *slot : clock_grow(slot, n);
}

static inline uint32_t ticks_larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* clock.room is even, and so is SLOTS_MAX. */
typedef uint32_t ticks2 __attribute__((vector_size(16), aligned(8)));
#define BOTH ((ticks2){ ~0u, ~0u, ~0u, ~0u })
#define HB ((ticks2){ ~0u, 0, ~0u, 0 })
#define WEAK ((ticks2){ 0, ~0u, 0, ~0u })
#define NEITHER ((ticks2){ 0 })

/* A signed comparison is much shorter; epochs are below EPOCHS_MAX. */
static inline ticks2 larger2(ticks2 a, ticks2 b)
{
	typedef int32_t signed2 __attribute__((vector_size(16)));
	ticks2 is_larger = (ticks2)((signed2)b > (signed2)a);
	return (b & is_larger) | (a & ~is_larger);
}

/* Joins the orders that `which` selects into `to`. */
static inline __attribute__((always_inline)) void ticks_raise(struct tick *to,
							      const struct tick *from, uint32_t n,
							      ticks2 which)
{
	for (uint32_t i = 0; i < n; i += 2) {
		ticks2 a = *(const ticks2 *)(to + i), b = *(const ticks2 *)(from + i);
		*(ticks2 *)(to + i) = larger2(a, b & which);
	}
}

/* Entries exist up to n, and one more if n is odd. */
static inline void ticks_widen(struct clock *c, uint32_t n)
{
	for (uint32_t i = c->n; i < ((n + 1) & ~1u); i++)
		c->at[i] = (struct tick){ 0 };
	c->n = ticks_larger(c->n, n);
}

/* A sequence lock: readers see whether they have read one state (clock_order_after). */
static inline void clock_change(struct thr *t)
{
	__atomic_store_n(&t->shared.changes, t->shared.changes + 1, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * In the middle of an epoch, which is exposed thereby.  An empty clock is not widened first: the
 * processor would have to wait until the single entries are in memory.
 */
static inline void clock_send_weak(struct thr *t, struct clock **to)
{
	__atomic_store_n(&t->shared.exposed_epoch, t->epoch, __ATOMIC_RELAXED);
	uint32_t n = run_state.slot_count;
	struct clock *c = clock_for(to, n);
	if (!c->n) {
		for (uint32_t i = 0; i < n; i += 2)
			*(ticks2 *)(c->at + i) = *(const ticks2 *)(t->clock + i) & WEAK;
		c->n = n;
		return;
	}
	ticks_widen(c, n);
	ticks_raise(c->at, t->clock, c->n, WEAK);
}

/*
 * In a section: a received clock may contain acquires of other sections of the lock, or show that
 * other threads worked inside this one (nest.c).
 */
static inline void clock_note(struct thr *t, const struct clock *from)
{
	if (likely(!t->held_count))
		return;
	t->has_received = true;
	if (unlikely(t->slot < from->n && from->at[t->slot].weak >= t->held[0].epoch))
		nest_note_return(t, from);
}

/* A thread's own entry is never smaller than what others know, so it needs no exception. */
static inline void clock_join(struct thr *t, const struct clock *from)
{
	if (!from)
		return;
	clock_note(t, from);
	clock_change(t);
	ticks_raise(t->clock, from->at, from->n, BOTH);
	clock_change(t);
}

static inline void clock_join_hb(struct thr *t, const struct clock *from)
{
	if (from)
		ticks_raise(t->clock, from->at, from->n, HB);
}

static inline void clock_join_weak(struct thr *t, const struct clock *from)
{
	if (!from)
		return;
	clock_note(t, from);
	clock_change(t);
	ticks_raise(t->clock, from->at, from->n, WEAK);
	clock_change(t);
}

static inline void clock_merge_hb(struct clock **to, const struct clock *from)
{
	struct clock *c = clock_for(to, from->n);
	ticks_widen(c, from->n);
	ticks_raise(c->at, from->at, from->n, HB);
}

/*
 * An atomic store: the happens-before part of *to is discarded unless the operation also reads
 * (release sequence), then what t releases is joined.
 */
static inline void clock_store(struct thr *t, struct clock **to, bool is_release, bool is_rmw)
{
	struct clock *c = clock_for(to, run_state.slot_count);
	ticks_widen(c, run_state.slot_count);
	ticks2 kept = is_rmw ? HB : NEITHER, released = is_release ? HB : NEITHER;
	for (uint32_t i = 0; i < c->n; i += 2) {
		ticks2 mine = *(const ticks2 *)(t->clock + i), *at = (ticks2 *)(c->at + i);
		/* A read-modify-write has received the weak part before. */
		*at = larger2(*at & kept, mine & released) | (mine & WEAK);
	}
	if (!is_release && t->fences.released)
		ticks_raise(c->at, t->fences.released->at, t->fences.released->n, HB);
}

#endif
