/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions around a place, inlined ones included, and which of them is the user's own.  A
 * program works on containers through functions of the library's headers: what a reader looks for
 * is the line of their own that called them.
 */
#ifndef HEDDLE_FRAMES_H
#define HEDDLE_FRAMES_H

#include <stdbool.h>

#include "trace/trace.h"

struct frame_walk {
	loc_id loc;	/* the function where the walk is */
	stack_id stack; /* calls that led to it */
	loc_id inside;	/* the function that it has called, or 0 at the beginning */
};

/* One function outwards; false: there are no more, and the walk stays where it is. */
bool frames_outward(const struct trace_tables *t, struct frame_walk *w);

/* Not from headers of the system or the C++ library. */
bool frames_is_own(const struct location *l);

/* At the innermost function of the user's own, or at the place itself if there is none. */
struct frame_walk frames_own(const struct trace_tables *t, loc_id loc, stack_id stack);

#endif
