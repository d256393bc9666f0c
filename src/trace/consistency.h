/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Could these events have happened?  A reader makes sure that a trace is well-formed; this is about its
 * sense:
 *
 *   threads   a thread makes events only after it was created and before it ended, begins and ends once, is
 *             joined after its end; if the trace has switches, the thread that makes an event is the one that
 *             runs
 *   locks     a lock is released by who holds it, is never held by two threads in ways that exclude each
 *             other, and depths follow from acquires and releases
 *   paths     a thread's path is what its branches make it, if the trace has them (paths.h); only by
 *             consistency_next
 *   memory    a read sees what was written last; bytes that no event has told may contain anything, but only
 *             once
 *
 * What the runtime reports as a failure (an unlock by another thread) excuses the event that follows it.
 * Threads that nobody created, as other tools' traces have, exist from the beginning.
 *
 * One pass; memory grows with threads, locks and touched bytes, not with events.
 */
#ifndef HEDDLE_TRACE_CONSISTENCY_H
#define HEDDLE_TRACE_CONSISTENCY_H

#include "trace/event.h"

struct consistency;

struct consistency *consistency_new(void);
void consistency_free(struct consistency *c);
/* Ends of threads need not be told, as in STD: a join says that its thread has ended. */
void consistency_lacks_ends(struct consistency *c);
/*
 * The next event.  NULL, or what is wrong with it as a clause without a position, valid until the next call;
 * then the rest of the trace makes no sense any more.
 */
const char *consistency_event(struct consistency *c, const struct event *e);

struct trace_reader;
struct err;
/*
 * The next event of a reader, which must make sense: as trace_reader_next, and ERR_FORMAT with the file, the
 * number of the event and the event itself for one that does not.
 */
int consistency_next(struct consistency *c, struct trace_reader *r, struct event *e, struct err *err);

#endif
