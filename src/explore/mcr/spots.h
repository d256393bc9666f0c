/* SPDX-License-Identifier: Apache-2.0 */
/* Private to sources.c, waits.c, pasts.c and spots.c: what they share, and keep from execution to
 * execution to save allocations. */
#ifndef HEDDLE_EXPLORE_MCR_SPOTS_H
#define HEDDLE_EXPLORE_MCR_SPOTS_H

#include "explore/mcr/sources.h"

/* One operation as it is found, before spots are known. */
struct raw {
	uint64_t low, high;
	uint32_t move, number;
	uint8_t space, bits;
};

/* A read of one's own store whose flush has not been seen yet. */
struct forwarded {
	uint32_t touch, thread, store;
};

struct own_stores {
	uint32_t stored, flushed, last_flush;
};

struct sources_scratch {
	VEC(struct raw) raws;
	VEC(uint64_t) borders;
	VEC(struct touch) found; /* by spot */
	VEC(struct forwarded) forwarded;
	VEC(struct own_stores) stores; /* by thread */
	VEC(uint32_t) fill;
};

/* What an operation does to what it touches: enum touch_bits. */
uint8_t op_touch_bits(const struct wire_op *op, const struct footprint *f);
/* Whether threads have waited for a change there. */
bool sources_is_awaited(const struct sources *s, uint8_t space, uint64_t low, uint64_t high);
/* Fills spots, touches without sources, touch_first and uses. */
void sources_find_spots(struct sources *s, const struct moves *h);
/* Memory and locks that are ordered because threads have waited for them (waits.c); gives whether
 * there are new ones. */
bool sources_note_ordered(struct sources *s, const struct moves *h);
/* Adds the moves that threads wait to make at the end of the history (waits.c). */
void sources_add_waiting(struct moves *h);
/* Whether the spot stands for the ends of threads. */
static inline bool spot_is_of_ends(const struct spot *c)
{
	return c->space == SPACE_HIDDEN && (c->low & 0xff) == HIDDEN_ENDS;
}

#endif
