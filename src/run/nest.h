/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hard edges across the borders of critical sections; nest.c states the two rules and why they
 * hold.  Functions that take an object are called under its guard.
 */
#ifndef HEDDLE_RUN_NEST_H
#define HEDDLE_RUN_NEST_H

#include <stdbool.h>

#include "run/lock.h"

struct clock;
struct object;
struct section;
struct stamp;

/* t begins and ends a section; h is NULL if t holds more locks than HELD_MAX. */
void nest_open(const struct thr *t, struct object *s, enum lock_mode mode);
void nest_close(struct thr *t, struct object *s, const struct held *h);
/* Rule 1: t receives the releases of sections whose acquire it has seen. */
void nest_order_sections(struct thr *t, struct object *s, enum lock_mode mode);
/* Rule 2 b, before t receives `from`: have other threads worked inside t's open sections? */
void nest_note_return(struct thr *t, const struct clock *from);
/* Rule 2 a: may t work inside a section of another thread that excludes this mode? */
bool nest_is_within(const struct thr *t, const struct object *s, unsigned mode);
/* The same for any lock of the stamp that t does not hold; no guard is held. */
bool nest_may_be_within(const struct thr *t, const struct stamp *s);
/* The section's clock is merged into `old`. */
void nest_keep_range(struct object *s, const struct section *k);
void nest_destroy(struct object *s);

#endif
