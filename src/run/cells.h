/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of the shadow, one and four at a time: how they change, what they have in common; see
 * shadow.c. */
#ifndef HEDDLE_RUN_CELLS_H
#define HEDDLE_RUN_CELLS_H

#include "run/fault.h"
#include "run/run.h"

static inline uint32_t load(const uint32_t *cell)
{
	return __atomic_load_n(cell, __ATOMIC_RELAXED);
}

/* False if the cell is another one by now. */
static inline bool change(uint32_t *cell, uint32_t old, uint32_t new)
{
	WIDEN(1);
	if (!g.is_parallel || FAULT(old ? 14 : 11)) {
		__atomic_store_n(cell, new, __ATOMIC_RELAXED);
		return true;
	}
	return __atomic_compare_exchange_n(cell, &old, new, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

/* Does an access like a conflict with whatever one like b conflicts with?  More bytes, write, not
 * atomic. */
static inline bool is_stronger(uint32_t a, uint32_t b)
{
	return !(((b & ~a) & (0x3fcu | CELL_WRITE)) | ((a & ~b) & CELL_ATOMIC));
}

/* Two accesses to some of the same bytes, one of them a write, one of them not atomic. */
static inline bool is_conflict(uint32_t a, uint32_t b)
{
	return a & b & 0x3fc && (a | b) & CELL_WRITE && !(a & b & CELL_ATOMIC);
}

/* One bit for each cell, by the top bits of the entries. */
static inline unsigned bits_of(cells4 is_so)
{
	return (unsigned)__builtin_ia32_movmskps((__attribute__((vector_size(16))) float)is_so);
}

/*
 * Has a conflicting cell of another stamp come since the cells were `seen`, or the mark of a
 * free, which is in the first one?  Asked after an access got its own: somebody else came at the
 * same time, and neither has seen the other.
 */
static inline bool has_company(const uint32_t *cells, const uint32_t *seen, uint32_t mine)
{
	bool has = false;
#pragma GCC unroll 4
	for (int i = 0; i < CELLS; i++) {
		/* One by one: all at once would wait for the one that was just stored. */
		uint32_t now = load(&cells[i]);
		has |= now != seen[i] && (now ^ mine) >> 10 &&
		       (is_conflict(now, mine) || (!i && CELL_IS_FREED(now) && !FAULT(254)));
	}
	return has;
}

/* Thread and locks of a stamp in one word: that of a thread without locks is its slot. */
static inline uint64_t owner_of(uint32_t cell)
{
	uint64_t word;
	_Static_assert(offsetof(struct stamp, lock) == offsetof(struct stamp, slot) + 4,
		       "side by side");
	__builtin_memcpy(&word, &STAMP(CELL_STAMP(cell))->slot, sizeof(word));
	return word;
}

/* Cells of atomic accesses to some of these bytes, but not to exactly them. */
static inline unsigned odd_atomics(cells4 all, uint32_t bytes)
{
	return bits_of((cells4)((all & bytes) != 0) & (cells4)((all & CELL_ATOMIC) != 0) &
		       (cells4)((all & 0x3fc) != bytes));
}

#endif
