/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the analysis: new ones, and the next epoch; see thr.h. */
#include "run/thr.h"

#include "run/clock.h"
#include "run/memory.h"
#include "run/run.h"

struct thr *thr_new(uint32_t slot)
{
	struct thr *t = run_state.slots[slot];
	if (!t) {
		t = run_map(sizeof(*t));
		t->clock = run_map(SLOTS_MAX * sizeof(struct tick));
		t->candidates.at = run_map(CANDIDATES_MAX * sizeof(struct candidate));
		t->slot = (uint16_t)slot;
		run_state.slots[slot] = t;
		if (slot >= run_state.slot_count)
			__atomic_store_n(&run_state.slot_count, slot + 1, __ATOMIC_RELEASE);
	}
	/* A reader of its clock (clock_order_after) must detect that the slot has a new thread. */
	__atomic_store_n(&t->shared.first_epoch, t->epoch + 1, __ATOMIC_SEQ_CST);
	run_clear(t->clock, SLOTS_MAX * sizeof(struct tick));
	t->shared.changes += t->shared.changes & 1; /* the last thread may have ended in a fork */
	run_clear(t->own_atomics, sizeof(t->own_atomics));
	t->late.flags = 0;
	run_clear(t->late.at, sizeof(t->late.at));
	t->late.resets_seen = __atomic_load_n(&run_state.resets, __ATOMIC_ACQUIRE);
	t->random = slot * 2654435761u + 1;
	t->held_count = 0;
	t->handling.number = t->sending = 0;
	t->wait.object = 0;
	t->overlapping = 0;
	t->candidates.count = 0;
	t->is_alive = true;
	thr_tick(t);
	return t;
}
