/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a trace: everything that an analysis asks about an event without reading the trace again.
 * Events have 32-bit numbers, their position in the trace.  It is built in one pass over the trace, in memory
 * that grows with threads, locks and touched memory only, into a file that is mapped; it can be kept beside
 * the trace and opened again.
 *
 * Memory is divided into cells of 8 bytes.  A cell begins a new life when a block around it is allocated or
 * freed, and counts as another cell then; so does an object of synchronisation.  Two accesses conflict if
 * they share a cell and their bytes overlap, which obj and size tell.
 *
 * A file is checked completely when it is opened: every number in it can be used without asking.
 */
#ifndef HEDDLE_TRACE_INDEX_H
#define HEDDLE_TRACE_INDEX_H

#include "base/err.h"
#include "trace/event.h"

typedef uint32_t ev_id;
#define EVENT_NONE UINT32_MAX
#define INDEX_CELL 8u		/* bytes */

enum index_bit {
	INDEX_SEVERAL = 1,	/* the bytes of a read come from several events; link is the latest of them */
};

struct index_event {
	uint64_t obj;
	uint32_t size;		/* 2^32-1: at least that */
	/*
	 * The event that belongs to this one, or EVENT_NONE:
	 *   read, rmw         what it saw: the last event that wrote or told its bytes (write, rmw, flush,
	 *                     initial, outside-write), or the alloc, free or resize in whose life nothing was
	 *                     written; a buffered write is seen by its own thread until its flush, which the
	 *                     others see
	 *   flush             the write of that store
	 *   acquire, release  each other
	 *   fork, begin       each other
	 *   join, end         each other
	 *   wake              the signal or broadcast that woke it
	 *   barrier-out       the arrival that opened the barrier
	 */
	ev_id link;
	ev_id branch;		/* read, rmw: the thread's first event after it that comes after a branch */
	/* the acquire that the thread made last of those not released yet; see index_held */
	ev_id inside;
	uint32_t own;		/* position in the list of its thread */
	loc_id loc;
	thr_id thread;
	uint8_t kind, mode, flags, bits;
};

/* A cell or object of synchronisation in one of its lives, and its events. */
struct index_list {
	uint64_t address;
	/* the alloc, free or resize that began its life; EVENT_NONE: it was there before */
	uint32_t since;
	uint32_t mode;		/* of its first event: what kind of object it is */
	uint64_t first, count;	/* in the array of events of all cells, or of all objects */
};

struct trace_index {
	const struct index_event *events;
	uint64_t count;
	const uint64_t *thread_first;	/* threads + 1 of them, into thread_events */
	const ev_id *thread_events;	/* all events, by thread, in program order */
	uint32_t threads;
	const struct index_list *cells, *objects;	/* sorted by address and life */
	uint64_t cell_count, object_count;
	const ev_id *cell_events, *object_events;	/* ascending in each list */
	void *map;
	size_t map_size;
};

/*
 * Build the index of a trace and open it.  The trace must make sense (consistency.h) and have less than 2^32
 * - 1 events. path: where to write it; NULL: it is not kept.  Errors: those of reading the trace, ERR_FORMAT,
 *   ERR_IO, ERR_SUPPORT.
 */
int index_build(struct trace_index *x, const char *trace, const char *path, struct err *err);
/* Open an index that was kept.  Errors: ERR_IO; ERR_VERSION; ERR_FORMAT if it is damaged or of another
 * trace. */
int index_open(struct trace_index *x, const char *path, const char *trace, struct err *err);
void index_close(struct trace_index *x);	/* accepts the zero state */

/* Events of a thread in program order. */
static inline const ev_id *index_of_thread(const struct trace_index *x, thr_id thread, uint64_t *count)
{
	if (thread >= x->threads) {
		*count = 0;
		return x->thread_events;
	}
	*count = x->thread_first[thread + 1] - x->thread_first[thread];
	return x->thread_events + x->thread_first[thread];
}

/* The next event of the same thread. */
static inline ev_id index_next(const struct trace_index *x, ev_id e)
{
	uint64_t count;
	const ev_id *own = index_of_thread(x, x->events[e].thread, &count);
	return x->events[e].own + 1ull < count ? own[x->events[e].own + 1] : EVENT_NONE;
}

/*
 * Locks that the thread holds when it makes e, as their acquires, the innermost first: pass EVENT_NONE to
 * begin and then the answer before, until it is EVENT_NONE.  The acquire of e itself is not held yet, the
 * release of e still is.
 */
static inline ev_id index_held(const struct trace_index *x, ev_id e, ev_id before)
{
	ev_id a = x->events[before == EVENT_NONE ? e : before].inside;
	while (a != EVENT_NONE && x->events[a].link < e)
		a = x->events[a].inside;
	return a;
}

/* The life of a cell or object that an event belongs to; NULL if the address is in none. */
const struct index_list *index_cell(const struct trace_index *x, uint64_t address, ev_id at);
const struct index_list *index_object(const struct trace_index *x, uint64_t address, ev_id at);

#endif
