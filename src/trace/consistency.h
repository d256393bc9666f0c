/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Consistency of a trace: could these events have happened?  The reader checks that a trace is
 * well-formed; this checks its meaning:
 *
 *   threads   A thread has events only after its creation and before its end, begins and ends
 *             once, and is joined after its end.  If the trace has switches, every event is of
 *             the running thread.
 *   locks     A lock is released by its holder, is never held by two threads in conflicting
 *             modes, and depths match the acquires and releases.
 *   paths     A thread's path matches its branches, if the trace has them (paths.h); only
 *             consistency_next() checks this.
 *   memory    A read returns the last value written.  A byte whose content is unknown may have
 *             any value when it is first read, and has that value from then on.
 *
 * After a failure event (such as an unlock by another thread), the thread's next event is not
 * checked against the rules for locks.  Threads without a creation, as in traces of other tools,
 * exist from the beginning.
 *
 * One pass; memory grows with threads, locks and accessed bytes, not with events.
 */
#ifndef HEDDLE_TRACE_CONSISTENCY_H
#define HEDDLE_TRACE_CONSISTENCY_H

#include "trace/event.h"

struct consistency;

struct consistency *consistency_new(void);
void consistency_free(struct consistency *c);
/* Threads may have no end event, as in STD: a join implies the end of its thread. */
void consistency_allow_missing_ends(struct consistency *c);
/*
 * Check the next event.  Returns NULL, or the flaw as a clause without a position, valid until
 * the next call. After a flaw, results for later events are meaningless.
 */
const char *consistency_event(struct consistency *c, const struct event *e);

struct trace_reader;
struct err;
/*
 * Read and check the next event: as trace_reader_next(), and ERR_FORMAT with the file, the number
 * of the event and the event itself if it is inconsistent.
 */
int consistency_next(struct consistency *c, struct trace_reader *r, struct event *e,
		     struct err *err);

#endif
