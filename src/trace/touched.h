/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For each cell of memory, the thread that has accessed it, or that several threads have.  When
 * memory is allocated or freed, a new lifetime of its cells begins, which counts as other cells.
 */
#ifndef HEDDLE_TRACE_TOUCHED_H
#define HEDDLE_TRACE_TOUCHED_H

#include <stdbool.h>

#include "base/map.h"
#include "base/vec.h"
#include "trace/event.h"
#include "trace/range_stamps.h"

#define TOUCHED_CELL 8u		 /* bytes that count as one place */
#define TOUCHED_CELLS_MAX 65536u /* of one access; a larger one counts as shared */

struct touched {
	struct map slot_of; /* cell and lifetime to its slot, from 1 on */
	/* by slot, less one: a thread plus one, TOUCHED_BY_SEVERAL, or 0 */
	VEC(uint32_t) owners;
	struct range_stamps lifetimes;
	uint64_t blocks; /* number of allocs and frees so far */
};

/* Whether an event accesses or sets the content of memory. */
static inline bool event_touches_memory(unsigned kind)
{
	return kind == EV_READ || kind == EV_WRITE || kind == EV_RMW || kind == EV_FLUSH ||
	       kind == EV_INITIAL || kind == EV_OUTSIDE_WRITE;
}

/* Whether an event begins or ends the lifetime of a block. */
static inline bool event_is_of_block(unsigned kind)
{
	return kind == EV_ALLOC || kind == EV_FREE || kind == EV_RESIZE;
}

/* Begin new lifetimes of a block's cells, at its alloc or free. */
void touched_block(struct touched *t, const struct event *e);
/* The first cell of an access and the number of its cells; 0 if there are too many. */
uint64_t touched_cells(const struct event *e, uint64_t *first);
/* Record an access by a thread (THR_NONE: by no thread); returns the slot of the cell, from 1 on.
 */
uint64_t touched_note(struct touched *t, uint64_t cell, thr_id thread);
/* The slot of a cell; 0: it has none.  Records nothing. */
uint64_t touched_slot(const struct touched *t, uint64_t cell);
bool touched_is_shared(const struct touched *t, uint64_t slot);
/* Restart lifetimes for another pass over the same events; the accesses stay recorded. */
void touched_restart(struct touched *t);
void touched_release(struct touched *t);

#endif
