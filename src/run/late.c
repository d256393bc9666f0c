/* SPDX-License-Identifier: Apache-2.0 */
/* Racing writes that a read may see although they were recorded after it; see late.h. */
#include "run/late.h"

#include "run/clock.h"
#include "run/fault.h"
#include "run/run.h"
#include "run/stamp.h"
#include "run/thr.h"

/* Without a free place the reader predicts nothing from actions up to the time it receives this. */
void late_add(struct thr *reader, const struct thr *writer)
{
	uint64_t write = (uint64_t)writer->slot << 32 | writer->epoch;
	uint32_t flag = LATE_MANY;
	for (unsigned i = 0; i < LATE_MAX && flag == LATE_MANY; i++) {
		uint64_t old = __atomic_load_n(&reader->late.at[i], __ATOMIC_RELAXED);
		bool is_free = !old || old >> 32 == writer->slot;
		if (is_free && __atomic_compare_exchange_n(&reader->late.at[i], &old, write, false,
							   __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			flag = LATE_SOME;
	}
	__atomic_or_fetch(&reader->late.flags, flag, __ATOMIC_RELEASE);
}

void late_receive_all(struct thr *t)
{
	uint32_t resets = __atomic_load_n(&run_state.resets, __ATOMIC_ACQUIRE);
	uint32_t late = __atomic_exchange_n(&t->late.flags, 0, __ATOMIC_SEQ_CST);
	bool is_reset = resets != t->late.resets_seen, has_overflown = late & LATE_MANY;
	if (FAULT(RUN_WIPE_KEEPS_ACTIONS))
		is_reset = false;
	if (FAULT(RUN_LATE_OVERFLOW_KEEPS_ACTIONS))
		has_overflown = false;
	if (is_reset || has_overflown)
		stamp_exclude_past();
	t->late.resets_seen = resets;
	for (unsigned i = 0; i < LATE_MAX; i++) {
		uint64_t write = __atomic_exchange_n(&t->late.at[i], 0, __ATOMIC_ACQUIRE);
		if (write)
			clock_order_after(t, run_state.slots[write >> 32], (uint32_t)write);
	}
}
