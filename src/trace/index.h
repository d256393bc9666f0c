/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a trace: random access to the properties of events that analyses need.  Events
 * have 32-bit numbers, their positions in the trace.  The index is built in one pass over the
 * trace into a mapped file. Memory use grows only with threads, locks and accessed memory.  The
 * file can be kept and opened again.
 *
 * Memory is divided into cells of 8 bytes.  When a block that contains a cell is allocated or
 * freed, a new lifetime of the cell begins, which counts as another cell.  The same holds for
 * synchronisation objects. Two accesses conflict if they share a cell and their bytes, given by
 * obj and size, overlap.
 *
 * A file is validated completely when it is opened, so all numbers in it can be used without
 * further checks.
 */
#ifndef HEDDLE_TRACE_INDEX_H
#define HEDDLE_TRACE_INDEX_H

#include "base/err.h"
#include "trace/event.h"

typedef uint32_t ev_id;
#define EVENT_NONE UINT32_MAX
#define INDEX_CELL 8u /* bytes */

enum index_bit {
	/* the bytes of a read come from several events; link is the latest of them */
	INDEX_SEVERAL = 1,
};

struct index_event {
	uint64_t obj;
	uint32_t size; /* 2^32-1: at least that */
	/*
	 * The event that is related to this one, or EVENT_NONE:
	 *   read, rmw         its source: the last event that wrote its bytes (write, rmw, flush,
	 *                     initial, outside-write), or the alloc, free or resize that began
	 *                     the lifetime if nothing was written since; a thread reads its own
	 *                     buffered write before the flush, other threads read the flush
	 *   flush             the write of that store
	 *   acquire, release  each other
	 *   fork, begin       each other
	 *   join, end         each other
	 *   wake              the signal or broadcast that woke it
	 *   barrier-out       the arrival that opened the barrier
	 */
	ev_id link;
	ev_id branch; /* read, rmw: the thread's first event after the next branch */
	/* the thread's latest acquire that is not released yet; see index_held() */
	ev_id inside;
	uint32_t own; /* position in the list of its thread */
	loc_id loc;
	thr_id thread;
	uint8_t kind, mode, flags, bits;
};

/* One lifetime of a cell or synchronisation object, and its events. */
struct index_list {
	uint64_t address;
	/* the alloc, free or resize that began the lifetime; EVENT_NONE: it began before the trace
	 */
	uint32_t since;
	uint32_t mode;	       /* of its first event: the kind of object */
	uint64_t first, count; /* in the array of events of all cells, or of all objects */
};

struct trace_index {
	const struct index_event *events;
	uint64_t count;
	const uint64_t *thread_first; /* threads + 1 of them, into thread_events */
	const ev_id *thread_events;   /* all events, by thread, in program order */
	uint32_t threads;
	const struct index_list *cells, *objects; /* sorted by address and lifetime */
	uint64_t cell_count, object_count;
	const ev_id *cell_events, *object_events; /* ascending in each list */
	void *map;
	size_t map_size;
};

/*
 * Build the index of a trace and open it.  The trace must be consistent (consistency.h) and have
 * fewer than UINT32_MAX events.  path: where to keep it; NULL: it is temporary.  Errors: those of
 * reading the trace, ERR_FORMAT, ERR_IO, ERR_SUPPORT.
 */
int index_build(struct trace_index *x, const char *trace, const char *path, struct err *err);
/* Open a kept index.  Errors: ERR_IO; ERR_VERSION; ERR_FORMAT if it is damaged or of another trace.
 */
int index_open(struct trace_index *x, const char *path, const char *trace, struct err *err);
void index_close(struct trace_index *x); /* accepts the zero state */

/* Events of a thread in program order. */
static inline const ev_id *index_of_thread(const struct trace_index *x, thr_id thread,
					   uint64_t *count)
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
 * Iterate over the locks that the thread holds at e, as their acquires, innermost first: pass
 * EVENT_NONE first, then the previous result, until the result is EVENT_NONE.  If e is an
 * acquire, its lock is not held yet; if e is a release, its lock is still held.
 */
static inline ev_id index_held(const struct trace_index *x, ev_id e, ev_id before)
{
	ev_id a = x->events[before == EVENT_NONE ? e : before].inside;
	while (a != EVENT_NONE && x->events[a].link < e)
		a = x->events[a].inside;
	return a;
}

/* The lifetime of a cell or object at an event; NULL if the address has no events. */
const struct index_list *index_cell(const struct trace_index *x, uint64_t address, ev_id at);
/* The number of the first cell that is not below the one of this address. */
uint64_t index_first_cell(const struct trace_index *x, uint64_t address);
const struct index_list *index_object(const struct trace_index *x, uint64_t address, ev_id at);

#endif
