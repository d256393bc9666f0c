/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of the heap, between the allocator (heap.c) and the functions that the program calls
 * (heap_calls.c).  A block is named by its address; its header lies directly before it.
 */
#ifndef HEDDLE_RT_HEAP_BLOCK_H
#define HEDDLE_RT_HEAP_BLOCK_H

#include "rt/heap.h"
#include "rt/rt.h"
#include "wire/wire.h"

#define HEAP_LARGE 0x20000ull /* blocks of this size and more are never reused */

enum {
	BLOCK_ALIGNED = 1,
	BLOCK_HAS_SYNC = 2,
	BLOCK_OF_LOADER = 4,
	BLOCK_OF_LIBRARY = 8,  /* made by libc or the C++ library for itself */
	BLOCK_FAMILY_SHIFT = 8 /* enum heap_family from here */
};

struct header { /* directly before the block */
	uint64_t size;
	uint32_t capacity16; /* capacity in units of 16 bytes */
	uint16_t slot;
	uint16_t flags;
};

_Static_assert(sizeof(struct header) == HEAP_HEADER, "as the snapshot has it");

static inline uint8_t *state_of(uintptr_t p)
{
	return (uint8_t *)(HEAP_STATE_BASE + ((p - ARENA_HEAP) >> 4));
}

static inline struct header *header_of(uintptr_t p)
{
	return (struct header *)(p - sizeof(struct header));
}

/* Capacity for a size: multiples of 16, above 1 KiB eight steps for each power of two, so that
 * there are few classes. */
uint64_t heap_capacity_for(uint64_t size);
/* A new block, or 0.  `fill`: content of its bytes.  `again`: a freed block to be used; 0: none. */
uintptr_t heap_take_block(uint64_t size, uint64_t alignment, int fill, uintptr_t again);
void heap_mark_freed(uintptr_t p);
void heap_free_block(uintptr_t p); /* into the quarantine */
/* heap=reuse: the block of this class that was freed last, if there is one and it is chosen. */
bool heap_may_reuse(uint64_t capacity, pc_t pc);
uintptr_t heap_take_freed(uint64_t capacity, pc_t pc);
void heap_keep_freed(uintptr_t p, pc_t pc);
/* A block was made before control began. */
void heap_note_early(uintptr_t p, pc_t pc);

#endif
