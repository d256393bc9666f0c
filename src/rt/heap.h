/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's heap (heap.c): malloc and its relatives under control.
 *
 * Each slot allocates from its own part of the arena, at addresses that depend only on what its
 * threads did.  A map outside the program's reach has the state of each 16 bytes (enum
 * heap_state), so that accesses to freed memory are found with one load.
 */
#ifndef HEDDLE_RT_HEAP_H
#define HEDDLE_RT_HEAP_H

#include "rt/rt.h"
#include "wire/wire.h"

#define HEAP_HEADER 16 /* bytes before a block that the runtime writes, too */
#define HEAP_STATE_BASE 0x400000000000ull
enum heap_state { HEAP_NONE, HEAP_START, HEAP_INSIDE, HEAP_FREED_START, HEAP_FREED };
/* Which functions a block belongs to: it is to be released by those of the same family. */
enum heap_family { HEAP_MALLOC, HEAP_NEW, HEAP_NEW_ARRAY };

void heap_init(void);
void heap_prepare_slot(uint32_t slot);
bool heap_is_ours(void);   /* false: the program has a malloc of its own */
bool heap_is_in_use(void); /* a session, and the heap is ours */
/* NULL: no memory */
void *heap_allocate(size_t size, size_t alignment, enum heap_family family, pc_t pc);
void heap_release(void *block, enum heap_family family, pc_t pc);
void heap_snapshot(void); /* the content of blocks from constructors is as expected */
static inline bool heap_contains(uintptr_t p)
{
	return p - ARENA_HEAP < ARENA_SLOTS * ARENA_HEAP_PART;
}
static inline uint8_t heap_state(uintptr_t p)
{
	return *(const uint8_t *)(HEAP_STATE_BASE + ((p - ARENA_HEAP) >> 4));
}
/* Finding if it touches freed memory.  `is_plain`: it is a plain access of the program's own (or
 * of a step that is_pure). */
void heap_check_range(uintptr_t p, size_t size, bool is_write, bool is_plain, pc_t pc);
void heap_mark_sync(uintptr_t p);
/* bytes from here to the end of a live block; 0: there is none */
size_t heap_room(uintptr_t p);
uintptr_t heap_block_of_library(uintptr_t p); /* the live block around p if a library made it */
/* a block that the dynamic linker made for itself: TLS, names */
bool heap_is_of_loader(uintptr_t p);

/* For executions that begin again in place (explore_snapshot.c). */
void heap_mark(void);
bool heap_can_rewind(void);
void heap_rewind(uint32_t slots);

#endif
