/* SPDX-License-Identifier: Apache-2.0 */
/* The slow path of an access: comparison with conflicting cells; see conflict.c. */
#ifndef HEDDLE_RUN_CONFLICT_H
#define HEDDLE_RUN_CONFLICT_H

#include <stdbool.h>
#include <stdint.h>

struct thr;

/*
 * Compares the access with the cells in t->hazards and stores it.  True if it has a new cell or
 * has conflicts: then recheck_conflicts may be needed.
 */
bool store_checked(struct thr *t, uint32_t *cells, uint32_t mine, uintptr_t address, unsigned size,
		   uintptr_t pc);
/*
 * The access has its cell, and a conflicting cell has appeared since the cells were loaded.  If
 * two racing accesses load the cells before either has stored its own, neither finds the other
 * then; the one that stores second finds the other here.
 */
void recheck_conflicts(struct thr *t, uint32_t *cells, uint32_t mine, uintptr_t address,
		       unsigned size, uintptr_t pc);

#endif
