/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of an execution is to be tried in the other order.  For each move f, and each e that is
 * the last on which f depends: if f could have been made before e, then the moves that e is not
 * before, and then f, go into the wake-up tree of the node of e, unless something that sleeps
 * there covers them.
 */
#ifndef HEDDLE_EXPLORE_DPOR_REVERSE_H
#define HEDDLE_EXPLORE_DPOR_REVERSE_H

#include "explore/dpor/dpor.h"

/* The moves from this one on are new: they get their clocks, and all of the history its races. */
void reverse_new(struct dpor *d, size_t from, bool is_bounded);
/* The same for moves that were never made: of threads that wait at the end, and of one that was
 * refused. */
void reverse_waits(struct dpor *d);
void reverse_refused(struct dpor *d);

#endif
