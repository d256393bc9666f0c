/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector clocks, one entry for each slot.  An entry holds both orders: happens-before and the
 * weak order are updated and compared together.
 *
 * Invariants: the clock of an object is accessed under the object's guard only.  A thread writes
 * its own clock only; other threads read it as clock_order_after describes.  A thread's own entry
 * is never smaller than what other clocks know of it.  ticks.h has the inline operations.
 */
#ifndef HEDDLE_RUN_CLOCK_H
#define HEDDLE_RUN_CLOCK_H

#include <stdint.h>

#define EPOCHS_MAX (1u << 30) /* of one thread, and of the next ones in its slot */

struct thr;

struct tick {
	uint32_t hb, weak;
};

/* The clock of a synchronisation object; entries from n on are 0. */
struct clock {
	uint32_t n, room;
	struct tick at[];
};

/* *slot becomes a clock with room for n entries; the content of the old one is kept. */
struct clock *clock_grow(struct clock **slot, uint32_t n);
void clock_free(struct clock *c);
void clock_send(struct thr *t, struct clock **to);    /* joins t's clock into *to */
void clock_replace(struct thr *t, struct clock **to); /* *to becomes t's clock */
void clock_merge(struct clock **to, const struct clock *from);
/* What `other` did in that epoch is ordered before what t does next, in the weak order. */
void clock_order_after(struct thr *t, struct thr *other, uint32_t epoch);

#endif
