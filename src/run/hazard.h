/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking up stamps of other threads, whose numbers may be reused at any time (stamp.c).
 *
 * This is the protocol of hazard pointers.  Between hazards_begin and hazards_end a thread
 * publishes the cells whose stamps it uses, and then checks that the shadow has not been reset in
 * between.  If it has not, these stamps, and those that they name, keep their meaning until
 * hazards_end.  Handlers of signals are deferred meanwhile.
 */
#ifndef HEDDLE_RUN_HAZARD_H
#define HEDDLE_RUN_HAZARD_H

#include <stdbool.h>
#include <stdint.h>

#include "run/signals.h"
#include "run/thr.h"

static inline void hazards_begin(struct thr *t)
{
	__atomic_store_n(&t->has_hazards, 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void hazards_end(struct thr *t)
{
	__atomic_store_n(&t->has_hazards, 0, __ATOMIC_RELEASE);
	if (unlikely(t->has_pending) && !t->busy)
		signals_deliver(t);
}

static inline uint32_t hazard_load(struct thr *t, unsigned place, const uint32_t *cell)
{
	for (;;) {
		uint32_t resets = __atomic_load_n(&run_state.resets, __ATOMIC_ACQUIRE);
		uint32_t value = __atomic_load_n(cell, __ATOMIC_RELAXED);
		__atomic_store_n(&t->hazards[place], value, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (likely(__atomic_load_n(&run_state.resets, __ATOMIC_ACQUIRE) == resets))
			return value;
	}
}

/* Loads all cells of a granule into t->hazards.  Returns run_state.resets. */
static inline uint32_t hazard_load_cells(struct thr *t, const uint32_t *cells)
{
	uint32_t resets;
	do {
		resets = __atomic_load_n(&run_state.resets, __ATOMIC_ACQUIRE);
		for (int i = 0; i < CELLS; i += 4)
			*(volatile cells4 *)&t->hazards[i] = *(const volatile cells4 *)&cells[i];
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (unlikely(__atomic_load_n(&run_state.resets, __ATOMIC_ACQUIRE) != resets));
	return resets;
}

/* An action that is not known from a cell; false if its stamp may have been reused. */
static inline bool hazard_past(struct thr *t, const struct past *p)
{
	__atomic_store_n(&t->hazards[HAZARD_PAST], p->stamp << 10, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&run_state.resets, __ATOMIC_ACQUIRE) == t->late.resets_seen &&
	       !is_before_reset(p->slot, p->epoch);
}

#endif
