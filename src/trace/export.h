/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Export of traces for other programs: CSV for spreadsheets and data frames, and the JSON of
 * Chrome's about:tracing and Perfetto.  Both take events one by one and append to a buffer, which
 * the caller may empty at any time.
 */
#ifndef HEDDLE_TRACE_EXPORT_H
#define HEDDLE_TRACE_EXPORT_H

#include "base/json.h"
#include "base/map.h"
#include "trace/trace.h"

/* A header line, then a line for each event. */
void csv_begin(struct buf *out);
void csv_event(const struct trace_tables *t, const struct event *e, struct buf *out);

/*
 * Each thread is a row.  Its slices are the life of the thread, the locks that it holds, and its
 * waits. Arrows lead from a release to the acquire that it enabled in another thread, and from
 * fork to begin. Failures are marks.  The time is the number of the event times ten.  Accesses
 * are not shown.
 */
struct chrome_export {
	struct json json;
	VEC(struct chrome_thread {
		VEC(uint64_t) held;   /* locks with an open slice, outermost first */
		uint64_t waits_since; /* number of the event plus one; 0: it does not wait */
		uint64_t created_at;  /* number of the fork plus one; 0: none */
		thr_id creator;
		bool is_alive;
	})
	threads;
	struct map released; /* lock to index in releases */
	VEC(struct chrome_release {
		uint64_t event;
		thr_id thread;
	})
	releases;
	uint64_t arrows;
	uint64_t last; /* number of the last event */
};

void chrome_begin(struct chrome_export *x, struct buf *out);
void chrome_event(struct chrome_export *x, const struct trace_tables *t, const struct event *e);
void chrome_end(struct chrome_export *x); /* closes open slices, and releases the memory */

#endif
