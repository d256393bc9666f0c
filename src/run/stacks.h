/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which memory is the stack of a thread, as a bit map of 64 KB pieces.  stacks.c says why accesses
 * to the stack of another thread need care.
 */
#ifndef HEDDLE_RUN_STACKS_H
#define HEDDLE_RUN_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/address.h"
#include "run/thr.h"

void stacks_add(struct thr *t, uintptr_t low, size_t size);
void stacks_remove(struct thr *t);

/* Memory on the stack of another thread: its owner's accesses may have no hooks. */
static inline bool is_foreign_stack(const struct thr *t, uintptr_t address)
{
	uintptr_t chunk = (address & ADDRESS_MASK) >> 16;
	return ((const uint8_t *)STACKS_BASE)[chunk >> 3] >> (chunk & 7) & 1 &&
	       address - t->stack.low >= t->stack.size;
}

#endif
