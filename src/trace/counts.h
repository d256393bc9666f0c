/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is in a trace, counted event by event: kinds, threads, locks, memory and locations.  Memory
 * grows with the number of threads, locks, locations and touched bytes, not with the number of
 * events.
 */
#ifndef HEDDLE_TRACE_COUNTS_H
#define HEDDLE_TRACE_COUNTS_H

#include "base/map.h"
#include "base/vec.h"
#include "trace/event.h"

#define COUNTS_CELL 8u		  /* bytes that are counted together */
#define COUNTS_SEVERAL UINT32_MAX /* in place of a thread */

struct thread_count {
	thr_id thread;
	uint64_t events, accesses, acquired;
	uint64_t waits;	    /* requests of locks that another thread held */
	char *name;	    /* NULL: none given */
	uint64_t waits_for; /* index of a lock plus one; 0: none */
};

struct lock_count {
	uint64_t object;
	unsigned mode; /* of its last acquire; 0: never acquired */
	uint64_t acquired;
	uint64_t contended; /* requests and failed tries while it was held against them */
	thr_id owner;	    /* THR_NONE: no thread has it exclusively */
	uint64_t readers;
	uint64_t waiting, longest; /* threads that wait now, and at most */
};

/* A piece of memory of COUNTS_CELL bytes. */
struct cell_count {
	uint64_t number; /* address / COUNTS_CELL */
	uint64_t reads, writes;
	thr_id thread; /* that touches it, or COUNTS_SEVERAL */
};

/* The zero state has counted nothing. */
struct trace_counts {
	uint64_t events;
	uint64_t by_kind[EV_LIMIT];
	VEC(struct thread_count) threads; /* by number until they are sorted */
	VEC(struct lock_count) locks;
	VEC(struct cell_count) cells;
	VEC(uint64_t) by_location;
	struct map lock_ids; /* object to index in locks */
	struct map cell_ids; /* address / COUNTS_CELL to index in cells */
};

void trace_counts_add(struct trace_counts *c, const struct event *e);
/* Threads by events, locks by contention, cells by accesses, most first.  Nothing can be added
 * afterwards. */
void trace_counts_sort(struct trace_counts *c);
void trace_counts_release(struct trace_counts *c);

#endif
