/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of the heap: where, and by which thread, a block was allocated; is it freed? */
#ifndef HEDDLE_RUN_HEAP_H
#define HEDDLE_RUN_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct thr;

struct block {
	uintptr_t start;
	uint32_t size;	     /* UINT32_MAX: or more */
	uint32_t uid, stack; /* thread and stack of the allocation */
	bool is_freed;
};

/* In a forked child: a block that t was about to free may not be freed here. */
void heap_unfree(struct thr *t);
void heap_begin(void); /* once, before the program runs */
/*
 * Which thread freed the block that begins there, and where, also when its history has lost it;
 * false: not known.
 */
bool heap_freed_by(uintptr_t start, uint32_t *uid, uintptr_t *pc);
bool heap_find(uintptr_t address, struct block *b);

#endif
