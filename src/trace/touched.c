/* SPDX-License-Identifier: Apache-2.0 */
/* Cells and the threads that access them; see touched.h. */
#include "trace/touched.h"

#include "base/hash.h"

#define TOUCHED_BY_SEVERAL UINT32_MAX

void touched_block(struct touched *t, const struct event *e)
{
	if (e->size && e->size <= UINT64_MAX - e->obj && e->kind != EV_RESIZE)
		range_stamps_mark(&t->lifetimes, e->obj / TOUCHED_CELL,
				  (e->obj + e->size - 1) / TOUCHED_CELL, ++t->blocks);
}

uint64_t touched_cells(const struct event *e, uint64_t *first)
{
	uint64_t size = e->size ? e->size - 1 : 0;
	uint64_t last = (size > UINT64_MAX - e->obj ? UINT64_MAX : e->obj + size) / TOUCHED_CELL;
	*first = e->obj / TOUCHED_CELL;
	return last - *first < TOUCHED_CELLS_MAX ? last - *first + 1 : 0;
}

static uint64_t key_of(const struct touched *t, uint64_t cell)
{
	return hash_mix(cell, range_stamps_get(&t->lifetimes, cell));
}

uint64_t touched_note(struct touched *t, uint64_t cell, thr_id thread)
{
	uint64_t *slot = map_put(&t->slot_of, key_of(t, cell), NULL);
	if (!*slot) {
		vec_push(&t->owners, 0);
		*slot = t->owners.len;
	}
	uint32_t *owner = &t->owners.at[*slot - 1];
	if (thread != THR_NONE && *owner != thread + 1)
		*owner = *owner ? TOUCHED_BY_SEVERAL : thread + 1;
	return *slot;
}

uint64_t touched_slot(const struct touched *t, uint64_t cell)
{
	const uint64_t *slot = map_get(&t->slot_of, key_of(t, cell));
	return slot ? *slot : 0;
}

bool touched_is_shared(const struct touched *t, uint64_t slot)
{
	return slot && t->owners.at[slot - 1] == TOUCHED_BY_SEVERAL;
}

void touched_restart(struct touched *t)
{
	range_stamps_release(&t->lifetimes);
	t->blocks = 0;
}

void touched_release(struct touched *t)
{
	map_release(&t->slot_of);
	vec_release(&t->owners);
	range_stamps_release(&t->lifetimes);
}
