/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of the heap: where one was allocated, by whom, and whether it still is. */
#ifndef HEDDLE_RUN_HEAP_H
#define HEDDLE_RUN_HEAP_H

#include "run/run.h"

struct block {
	uintptr_t start;
	uint32_t size;	     /* UINT32_MAX: or more */
	uint32_t uid, stack; /* who allocated it where */
	bool is_freed;
};

/* In a forked child: what the thread was about to free is not freed here, perhaps. */
void heap_end(struct thr *t);
bool heap_find(uintptr_t address, struct block *b);

#endif
