/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces for other programs, one way only: CSV for spreadsheets and data frames, and the JSON that Chrome's
 * about:tracing and Perfetto show.  Both take events one by one and append to a buffer, which the caller
 * empties whenever it likes.
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
 * Threads are rows.  In them stand slices: the life of the thread, the locks that it holds, the times when it
 * waits.  An arrow leads from a release to the acquire that it made possible in another thread, and from fork
 * to begin.  Failures are marks.  Time is the number of the event times ten.  Accesses are not shown.
 */
struct chrome_export {
	struct json json;
	VEC(struct chrome_thread {
		VEC(uint64_t) held;	/* slices that are open, the outermost first */
		uint64_t waits_since;	/* number of the event plus one; 0: it does not wait */
		uint64_t created_at;	/* likewise, of the fork */
		thr_id creator;
		bool is_alive;
	}) threads;
	struct map released;		/* lock to index in releases */
	VEC(struct chrome_release {
		uint64_t event;
		thr_id thread;
	}) releases;
	uint64_t arrows;
	uint64_t last;			/* number of the last event */
};

void chrome_begin(struct chrome_export *x, struct buf *out);
void chrome_event(struct chrome_export *x, const struct trace_tables *t, const struct event *e);
void chrome_end(struct chrome_export *x);	/* closes what is open, and releases the memory */

#endif
