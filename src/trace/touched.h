/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who touches what: for each cell of memory the thread that has accessed it, or that several have.  Memory
 * that is allocated or freed begins a new life and counts as another cell then.  The zero state has seen
 * nothing.
 */
#ifndef HEDDLE_TRACE_TOUCHED_H
#define HEDDLE_TRACE_TOUCHED_H

#include <stdbool.h>

#include "base/map.h"
#include "base/vec.h"
#include "trace/event.h"
#include "trace/lives.h"

#define TOUCHED_CELL 8u			/* bytes that count as one place */
#define TOUCHED_CELLS_MAX 65536u	/* of one access; a larger one counts as shared */

struct touched {
	struct map slot_of;		/* a cell in one of its lives to its slot, from 1 on */
	VEC(uint32_t) owners;		/* by slot, less one: a thread plus one, TOUCHED_BY_SEVERAL, or 0 */
	struct lives lives;
	uint64_t blocks;		/* how many came or went */
};

/* Is it an event about the content of memory, and one that begins lives? */
static inline bool event_touches_memory(unsigned kind)
{
	return kind == EV_READ || kind == EV_WRITE || kind == EV_RMW || kind == EV_FLUSH ||
	       kind == EV_INITIAL || kind == EV_OUTSIDE_WRITE;
}

static inline bool event_is_of_block(unsigned kind)
{
	return kind == EV_ALLOC || kind == EV_FREE || kind == EV_RESIZE;
}

/* Memory came or went. */
void touched_block(struct touched *t, const struct event *e);
/* The first cell of an access and how many there are; 0 if there are too many. */
uint64_t touched_cells(const struct event *e, uint64_t *first);
/* An access by a thread, or by THR_NONE what is nobody's: gives the slot of the cell, from 1 on. */
uint64_t touched_note(struct touched *t, uint64_t cell, thr_id thread);
/* without noting anything; 0: there is none */
uint64_t touched_slot(const struct touched *t, uint64_t cell);
bool touched_is_shared(const struct touched *t, uint64_t slot);
/* Lives begin again, for another pass over the same events; who touched what stays. */
void touched_begin_again(struct touched *t);
void touched_release(struct touched *t);

#endif
