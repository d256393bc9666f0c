/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorded paths of a trace (wire/path.h), computed again from its branches.  This needs a
 * trace in which every branch is an event and nothing was left out, as from `heddle record
 * --branches=full`.
 */
#ifndef HEDDLE_TRACE_PATHS_H
#define HEDDLE_TRACE_PATHS_H

#include "base/vec.h"
#include "trace/trace.h"

struct paths {
	enum { PATHS_UNDECIDED, PATHS_COUNTED, PATHS_UNKNOWN } state;
	VEC(uint64_t) of_thread;
};

/* Process the next event.  False if its recorded path differs from the computed one; then
 * *recorded and *counted are set. */
bool paths_follow(struct paths *p, const struct trace_tables *t, const struct event *e,
		  uint64_t *recorded, uint64_t *counted);
void paths_release(struct paths *p);

#endif
