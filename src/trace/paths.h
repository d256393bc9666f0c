/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paths that a trace tells (wire/path.h), counted again from its branches.  That is possible where every
 * branch is an event, and nothing was left out: traces of `heddle record --branches=full`.
 */
#ifndef HEDDLE_TRACE_PATHS_H
#define HEDDLE_TRACE_PATHS_H

#include "base/vec.h"
#include "trace/trace.h"

struct paths {
	enum { PATHS_NOT_ASKED, PATHS_COUNTED, PATHS_UNKNOWN } state;
	VEC(uint64_t) of_thread;
};

/* The next event.  Whether a path that it tells is the one counted; *told and *counted are set if it is
 * not. */
bool paths_follow(struct paths *p, const struct trace_tables *t, const struct event *e, uint64_t *told,
		  uint64_t *counted);
void paths_release(struct paths *p);

#endif
