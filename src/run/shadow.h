/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shadow memory: four cells for every eight bytes (a granule), each an access of the recent past.
 *
 * A cell is a stamp (22 bits), a mask of the bytes accessed (8 bits), and two flags: write,
 * atomic.  0 is a free cell.  Cells without bytes have a special meaning: memory that was freed,
 * and the record of a heap block in the granule before it (heap.c).
 *
 * access.c has the path of an access and states why it is correct while other threads use the
 * same cells; conflict.c compares an access with conflicting ones; shadow.c allocates and clears.
 */
#ifndef HEDDLE_RUN_SHADOW_H
#define HEDDLE_RUN_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/address.h"

#ifndef CELLS
#define CELLS 4 /* a test compiles the core with more */
#endif
#define CELL_WRITE 1u
#define CELL_ATOMIC 2u
#define CELL_FLAGS (CELL_WRITE | CELL_ATOMIC)
#define CELL_BYTES 0x3fcu
#define CELL_MASK(cell) ((cell) >> 2 & 0xff)
#define CELL_STAMP(cell) ((cell) >> 10)
/* A granule that was freed: no bytes, written; always in its first cell. */
#define CELL_IS_FREED(cell) (((cell)&0x3ff) == CELL_WRITE)
/*
 * First cell of the granule before a block of the heap.  These eight bytes belong to the
 * allocator.
 */
#define CELL_BLOCK (CELL_WRITE | CELL_ATOMIC)
#define CELL_BLOCK_FREED CELL_ATOMIC
#define CELL_IS_BLOCK(cell) ((cell) == CELL_BLOCK || (cell) == CELL_BLOCK_FREED)

struct thr;
struct stamp;
struct past;

typedef uint32_t cells4 __attribute__((vector_size(16)));
typedef char bytes16 __attribute__((vector_size(16)));
typedef float floats4 __attribute__((vector_size(16)));

static inline uint32_t *shadow_of(uintptr_t address)
{
	return (uint32_t *)(SHADOW_BASE + CELLS / 2 * (address & ADDRESS_MASK & ~7ull));
}

/*
 * Has the thread already recorded this access with its present stamp?  A larger access counts,
 * and for a read also a write.  So a cell must have all bits of the access, the same stamp, and
 * not be atomic.
 */
static inline __attribute__((always_inline)) bool is_recorded(const uint32_t *cells, uint32_t mine)
{
	cells4 wanted = { mine, mine, mine, mine };
	__asm__("" : "+x"(wanted)); /* otherwise gcc makes two vectors of it */
	cells4 difference =
		(*(const cells4 *)cells ^ wanted) & (wanted | ~(CELL_BYTES | CELL_WRITE));
	return __builtin_ia32_movmskps((floats4)(difference == 0));
}

/* ---- shadow.c ---- */
void core_init(void);
void shadow_clear(uintptr_t address, size_t size);
/* The access that a cell stands for.  `bytes` selects those that matter. */
struct past cell_past(const struct stamp *s, uint32_t cell, uint32_t bytes, uintptr_t address);

/* ---- access.c: an access of t, with CELL_WRITE and CELL_ATOMIC as flags ---- */
void access_granule(struct thr *t, uint32_t *cells, uintptr_t address, unsigned size,
		    uint32_t flags, uintptr_t pc);
void access_range(struct thr *t, uintptr_t address, size_t size, uint32_t flags, uintptr_t pc);
void access_any(struct thr *t, uintptr_t address, unsigned size, uint32_t flags, uintptr_t pc);

/* ---- conflict.c ---- */
/*
 * Under the guard of the location's object: an atomic store is ordered after the atomic accesses
 * that did not see it.  `is_known`: the object knows those to exactly these bytes.
 */
void access_before_store(struct thr *t, uintptr_t address, unsigned size, bool is_known);

/* ---- free.c: every access after it is a use after free ---- */
void shadow_free(struct thr *t, uintptr_t address, size_t size, bool is_unmapped, uintptr_t pc);
void shadow_free_again(struct thr *t, uintptr_t address, uintptr_t pc);

#endif
