/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores that a trace under TSO or PSO has told and that have not reached memory yet: for each thread those
 * of its buffer, oldest first.  A thread reads its own newest store; the others see it after its flush.
 */
#ifndef HEDDLE_TRACE_BUFFERS_H
#define HEDDLE_TRACE_BUFFERS_H

#include <stdbool.h>

#include "base/vec.h"
#include "trace/event.h"

#define BUFFERS_MAX 255u	/* stores of one thread; the runtime keeps fewer */

struct buffered {
	uint64_t obj, size;
	uint64_t index;		/* of its write */
	unsigned char *bytes;	/* NULL: not told */
};

struct buffers {
	VEC(struct buffers_thread {
		VEC(struct buffered) stores;
	}) threads;
};

/* A write with the flag buffered.  false: there are too many. */
bool buffers_write(struct buffers *b, const struct event *e);
/*
 * The store that a flush event is about, taken out of the buffer; the caller gives it to buffered_release.
 * false: there is none of that place and size.
 */
bool buffers_flush(struct buffers *b, const struct event *e, struct buffered *out);
void buffered_release(struct buffered *s);
/* The newest store of a thread that has this byte; NULL: it sees memory. */
struct buffered *buffers_newest(struct buffers *b, thr_id thread, uint64_t address);
void buffers_release(struct buffers *b);

#endif
