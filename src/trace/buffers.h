/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Store buffers of a trace under TSO or PSO: for each thread the stores that have not reached
 * memory yet, oldest first.  A thread reads its own newest store; other threads see a store after
 * its flush.
 */
#ifndef HEDDLE_TRACE_BUFFERS_H
#define HEDDLE_TRACE_BUFFERS_H

#include <stdbool.h>

#include "base/vec.h"
#include "trace/event.h"

#define BUFFERS_MAX 255u /* stores of one thread; the runtime keeps fewer */

struct buffered {
	uint64_t obj, size;
	uint64_t index;	      /* of its write */
	unsigned char *bytes; /* NULL: the trace does not have them */
};

struct buffers {
	VEC(struct buffers_thread { VEC(struct buffered) stores; }) threads;
};

/* Add a write with the flag buffered; false if the buffer is full. */
bool buffers_write(struct buffers *b, const struct event *e);
/*
 * Remove the store that a flush event names from its buffer; the caller passes it to
 * buffered_release(). false: the buffer has no store of that address and size.
 */
bool buffers_flush(struct buffers *b, const struct event *e, struct buffered *out);
void buffered_release(struct buffered *s);
/* The thread's newest buffered store to this byte; NULL: the thread reads memory. */
struct buffered *buffers_newest(struct buffers *b, thr_id thread, uint64_t address);
void buffers_release(struct buffers *b);

#endif
