/* SPDX-License-Identifier: Apache-2.0 */
/* Shadow memory: initialisation, clearing, and the slow parts of taking a cell; see shadow.h. */
#include "run/shadow.h"

#include "run/address.h"
#include "run/cells.h"
#include "run/fault.h"
#include "run/found.h"
#include "run/hazard.h"
#include "run/lock.h"
#include "run/memory.h"
#include "run/object.h"
#include "run/stamp.h"

#define CLEAR_BY_PAGES (64u << 10)

void core_init(void)
{
	stamp_init();
	object_init();
}

struct past cell_past(const struct stamp *s, uint32_t cell, uint32_t bytes, uintptr_t address)
{
	uint32_t mask = CELL_MASK(cell) & bytes;
	unsigned first = mask ? (unsigned)__builtin_ctz(mask) : 0;
	return (struct past){
		.stamp = CELL_STAMP(cell),
		.slot = stamp_slot(s),
		.epoch = s->epoch,
		.act = CELL_IS_FREED(cell) ? ACT_FREE
		       : cell & CELL_WRITE ? ACT_WRITE
					   : ACT_READ,
		.is_atomic = cell & CELL_ATOMIC,
		.address = (address & ~7ull) + first,
		.size = mask ? 32 - (unsigned)__builtin_clz(mask) - first : 0,
	};
}

/*
 * Reading a page of shadow first maps the kernel's shared page of zeros.  The write that follows
 * makes the kernel replace it and interrupt all processors.  So the neighbouring pages are
 * populated with it.
 */
void cell_populate(uintptr_t part)
{
	uint8_t *byte = (uint8_t *)PARTS_BASE + (part >> 3), bit = (uint8_t)(1u << (part & 7));
	if (!(__atomic_fetch_or(byte, bit, __ATOMIC_RELAXED) & bit))
		run_populate(SHADOW_BASE + part * SHADOW_PART, SHADOW_PART);
}

/*
 * The next atomic store does not find an atomic load whose cell was evicted.  Two cases:
 *
 * - The load was made without locks.  Nothing is lost: what follows the load may itself be
 *   delayed until after the store and what follows that.
 * - With locks, the sections of both are in order because they are spilled.
 */
void cell_evict(struct thr *t, uint32_t *cell, uint32_t mine)
{
	uint32_t old;
	do {
		old = hazard_load(t, HAZARD_CELL, cell);
		if (old) {
			if (!FAULT(RUN_EVICTION_LOSES_SECTION))
				lock_spill(t, STAMP(CELL_STAMP(old)));
		}
	} while (!cell_change(cell, old, mine));
}

void shadow_clear(uintptr_t address, size_t size)
{
	uintptr_t from = (uintptr_t)shadow_of(address),
		  to = (uintptr_t)shadow_of(address + size + 7);
	if (to - from >= CLEAR_BY_PAGES) {
		uintptr_t first = (from + 4095) & ~4095ull, last = to & ~4095ull;
		run_clear((void *)from, first - from);
		run_zero_pages(first, last - first);
		from = last;
	}
	for (cells4 *p = (cells4 *)from; p < (cells4 *)to; p++)
		*p = (cells4){ 0 };
}
