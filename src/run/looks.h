/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking at stamps of others, which may be given up at any time (stamp.c).
 *
 * Between looks_begin and looks_end it is told which ones are used, before it is looked whether
 * they have been given up meanwhile: if not, they stay what they are until the end, and so do the
 * ones that they name. Signals wait.
 */
#ifndef HEDDLE_RUN_LOOKS_H
#define HEDDLE_RUN_LOOKS_H

#include "run/run.h"

static inline void looks_begin(struct thr *t)
{
	__atomic_store_n(&t->looking, 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void looks_end(struct thr *t)
{
	__atomic_store_n(&t->looking, 0, __ATOMIC_RELEASE);
	if (unlikely(t->has_pending) && !t->busy)
		signals_deliver(t);
}

static inline uint32_t look_at(struct thr *t, unsigned place, const uint32_t *cell)
{
	for (;;) {
		uint32_t wipes = __atomic_load_n(&g.wipes, __ATOMIC_ACQUIRE);
		uint32_t value = __atomic_load_n(cell, __ATOMIC_RELAXED);
		__atomic_store_n(&t->looked_at[place], value, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (likely(__atomic_load_n(&g.wipes, __ATOMIC_ACQUIRE) == wipes))
			return value;
	}
}

/* All cells of a granule, at about the same time; then they stand in looked_at.  Returns g.wipes.
 */
static inline uint32_t look_at_cells(struct thr *t, const uint32_t *cells)
{
	uint32_t wipes;
	do {
		wipes = __atomic_load_n(&g.wipes, __ATOMIC_ACQUIRE);
		for (int i = 0; i < CELLS; i += 4)
			*(volatile cells4 *)&t->looked_at[i] = *(const volatile cells4 *)&cells[i];
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (unlikely(__atomic_load_n(&g.wipes, __ATOMIC_ACQUIRE) != wipes));
	return wipes;
}

/* An action that something else than a cell knows; false if its stamp may have been given up. */
static inline bool look_at_past(struct thr *t, const struct past *p)
{
	__atomic_store_n(&t->looked_at[LOOK_PAST], p->stamp << 10, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&g.wipes, __ATOMIC_ACQUIRE) == t->wipes_met &&
	       !is_wiped(p->slot, p->epoch);
}

#endif
