/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which events of a trace a slice keeps (slice.h): those of some threads, of a lock and what its
 * holders do, accesses to a variable, events at a line, accesses to shared memory.  An event is
 * kept if it satisfies all conditions that are given; events of synchronisation objects satisfy
 * those about memory and lines.
 */
#ifndef HEDDLE_TRACE_SELECT_H
#define HEDDLE_TRACE_SELECT_H

#include "trace/touched.h"
#include "trace/trace.h"

/* Whether `name` is the name of what is at an address, or the address itself. */
typedef bool select_match(void *context, const struct trace_tables *t, uint64_t address,
			  const char *name);

/* The zero state selects all events.  The caller sets the conditions, and owns their texts. */
struct select {
	VEC(bool) threads;	     /* by number; empty: all */
	const char *location, *lock; /* names or addresses; NULL: any */
	const char *place;	     /* the file of a line, or the end of its name; NULL: any */
	size_t place_len;
	uint64_t place_line;
	bool is_shared;
	select_match *match; /* needed for location and lock */
	void *match_context;

	/* what select_event() keeps */
	VEC(signed char) at_place; /* by location: 1 yes, -1 no, 0 not looked at */
	VEC(bool) holds;	   /* by thread: has the lock */
	struct touched touched;
};

/*
 * With is_shared, before the first event is selected: a pass over the trace that finds the memory
 * that more than one thread touches.  Errors: those of reading.
 */
int select_find_shared(struct select *s, const char *path, struct err *err);
/* All events of the trace are asked about, in their order. */
bool select_event(struct select *s, const struct trace_tables *t, const struct event *e);
void select_release(struct select *s);

#endif
