/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations on cells, one and four at a time, for the files that implement the shadow: change,
 * compare and take them.  access.c states the invariants.
 */
#ifndef HEDDLE_RUN_CELLS_H
#define HEDDLE_RUN_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "run/address.h"
#include "run/fault.h"
#include "run/lock.h"
#include "run/run.h"
#include "run/shadow.h"
#include "run/stamp.h"
#include "run/thr.h"

static inline uint32_t cell_load(const uint32_t *cell)
{
	return __atomic_load_n(cell, __ATOMIC_RELAXED);
}

/* One bit for each cell, by the top bits of the entries. */
static inline unsigned bits_of(cells4 is_so)
{
	return (unsigned)__builtin_ia32_movmskps((floats4)is_so);
}

/* Is `old`, which is about to be replaced, possibly changed by another thread at the same time? */
static inline bool may_change(bool is_free)
{
	bool is_shared = run_state.is_parallel;
	if (FAULT(RUN_FULL_CELL_RACE))
		is_shared &= is_free;
	if (FAULT(RUN_EMPTY_CELL_RACE))
		is_shared &= !is_free;
	return is_shared;
}

/* False if the cell has changed since it was loaded. */
static inline bool cell_change(uint32_t *cell, uint32_t old, uint32_t new)
{
	WIDEN(1);
	if (!may_change(!old)) {
		__atomic_store_n(cell, new, __ATOMIC_RELAXED);
		return true;
	}
	return __atomic_compare_exchange_n(cell, &old, new, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

/* The same for all four cells of a granule. */
static inline bool granule_change(uint32_t *cells, cells4 old, cells4 new)
{
	WIDEN(1);
	if (!may_change(!bits_of(old != 0))) {
		*(volatile cells4 *)cells = new;
		return true;
	}
	return __sync_bool_compare_and_swap((unsigned __int128 *)cells, (unsigned __int128)old,
					    (unsigned __int128)new);
}

/* Does a conflict with everything that b conflicts with?  More bytes, write, not atomic. */
static inline bool is_stronger(uint32_t a, uint32_t b)
{
	return !(((b & ~a) & (CELL_BYTES | CELL_WRITE)) | ((a & ~b) & CELL_ATOMIC));
}

/* Two accesses to some of the same bytes, one of them a write, one of them not atomic. */
static inline bool is_conflict(uint32_t a, uint32_t b)
{
	return a & b & CELL_BYTES && (a | b) & CELL_WRITE && !(a & b & CELL_ATOMIC);
}

/*
 * Has a conflicting cell with another stamp, or the mark of a free (in the first cell), appeared
 * since the cells were `seen`?  Called after an access has got its own cell.
 */
static inline bool has_new_conflict(const uint32_t *cells, const uint32_t *seen, uint32_t mine)
{
	bool has = false;
	if (FAULT(RUN_CONFLICTS_NOT_RECHECKED))
		return false;
#pragma GCC unroll 4
	for (int i = 0; i < CELLS; i++) {
		/* One by one: a vector load would wait for the store before it. */
		uint32_t now = cell_load(&cells[i]);
		if (FAULT(RUN_FREE_NOT_RECHECKED) && !i && CELL_IS_FREED(now))
			continue;
		has |= now != seen[i] && (now ^ mine) >> 10 &&
		       (is_conflict(now, mine) || (!i && CELL_IS_FREED(now)));
	}
	return has;
}

/*
 * Has the granule been marked as freed?  Called after an access has changed its cells: the mark
 * may have overwritten them unseen (free.c).
 */
static inline bool is_freed_now(const uint32_t *cells)
{
	if (FAULT(RUN_FREE_NOT_RECHECKED))
		return false;
	return CELL_IS_FREED(cell_load(cells));
}

/* Are the locks of the older access held now, too?  Mostly it is the same single lock. */
static inline bool covers(const struct thr *t, uint32_t stamp)
{
	uint32_t lock = stamp_locks[stamp];
	if (!lock)
		return true;
	if (FAULT(RUN_LOCKS_ALWAYS_COVER))
		return true;
	const struct held *top = &t->held[t->held_count - 1];
	return t->held_count && ((top->lock == (lock & ~STAMP_MODE) && top->mode == HOLD_WRITE) ||
				 lock_covers(t, STAMP(stamp)));
}

/* Cells of atomic accesses that overlap these bytes but are not to exactly them. */
static inline unsigned mixed_atomics(cells4 all, uint32_t bytes)
{
	return bits_of((cells4)((all & bytes) != 0) & (cells4)((all & CELL_ATOMIC) != 0) &
		       (cells4)((all & CELL_BYTES) != bytes));
}

/* shadow.c */
__attribute__((noinline)) void cell_populate(uintptr_t part);
__attribute__((noinline)) void cell_evict(struct thr *t, uint32_t *cell, uint32_t mine);

/* The first of the cells is about to be used. */
static inline void cells_populate(const uint32_t *cells)
{
	uintptr_t part = ((uintptr_t)cells - SHADOW_BASE) / SHADOW_PART;
	if (CELLS == 4 && unlikely(!(((const uint8_t *)PARTS_BASE)[part >> 3] >> (part & 7) & 1)))
		cell_populate(part);
}

/* Stores the access in a free cell, the first at or after `free` (-1: none), or evicts one. */
static inline void cell_take(struct thr *t, uint32_t *cells, int free, uint32_t mine)
{
	if (!free)
		cells_populate(cells);
	for (int i = free < 0 ? CELLS : free; i < CELLS; i++)
		if (!cell_load(&cells[i]) && cell_change(&cells[i], 0, mine))
			return;
	t->random = t->random * 1664525 + 1013904223;
	cell_evict(t, &cells[(t->random >> 16) % CELLS], mine);
}

#endif
