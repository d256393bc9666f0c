/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of stdio.  A stream is an object with a recursive lock.  flockfile takes the lock in the model
 * alone; libc's own is never held across a scheduling point, so no fiber can hang in it.  Every other
 * function is one step: it waits while another thread holds the stream, then touches the stream, an event
 * HIDDEN.
 */
#ifndef HEDDLE_RT_LIBC_STREAM_H
#define HEDDLE_RT_LIBC_STREAM_H

#include "rt/libc_wrap.h"

/* true: the lock had to be waited for, and is held for the length of the call. */
bool stream_begin(FILE *stream, bool respects_lock, pc_t pc);
void stream_end(FILE *stream, bool holds, pc_t pc);

#define STREAM_STEP(stream, respects_lock, call)                                  \
	__extension__({                                                           \
		FILE *stream_ = (stream);                                         \
		bool holds_ = stream_begin(stream_, respects_lock, PC);           \
		__typeof__(call) result_ = call;                                  \
		stream_end(stream_, holds_, PC);                                  \
		result_;                                                          \
	})
#define STREAM_CALL(stream, call) STREAM_STEP(stream, true, call)
#define STREAM_CALL_UNLOCKED(stream, call) STREAM_STEP(stream, false, call)

#endif
