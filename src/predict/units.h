/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which accesses of a thread may be one unit of work: those that a function makes, by itself or
 * by functions that it calls, the second one further down in its source.  The function is the
 * nearest common caller, so a getter and a setter that are called one after the other are a unit,
 * too; two rounds of a loop are none.
 */
#ifndef HEDDLE_PREDICT_UNITS_H
#define HEDDLE_PREDICT_UNITS_H

#include "base/err.h"
#include "base/vec.h"
#include "trace/index.h"

struct trace_tables;

struct units {
	VEC(stack_id) stacks;		   /* by event: its call stack */
	const struct trace_tables *tables; /* not owned */
};

/* Read the call stacks of a trace.  Errors: those of reading it. */
int units_read(struct units *u, const char *trace, struct err *err);
void units_release(struct units *u); /* accepts the zero state */
/* Whether accesses of one thread, one after the other, may be a unit. */
bool units_is_one(const struct units *u, const struct trace_index *x, ev_id first, ev_id second);

#endif
