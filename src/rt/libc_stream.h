/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of stdio.  A stream is an object with a recursive lock.  Every function takes the lock
 * in the model, touches the stream, an event HIDDEN, and gives the lock back; the _unlocked ones
 * only touch it. libc's own lock is never held across a scheduling point, so no fiber can hang in
 * it.
 *
 * libc writes to memory of the program's behind its back where a stream has a buffer that the
 * program gave or gets to see: such streams are remembered with it, and after each use what is
 * new in it is reported.
 */
#ifndef HEDDLE_RT_LIBC_STREAM_H
#define HEDDLE_RT_LIBC_STREAM_H

#include "rt/libc_wrap.h"

/*
 * A library without hooks uses the stream, as std::cout does for each part of what it prints:
 * other threads may run before that, and what is printed waits in the stream until it is
 * flushed.
 */
void stream_used_by_library(const FILE *stream, pc_t pc);

/* libc_enter() of a function on a stream. */
static inline bool stream_enter(const FILE *stream, pc_t pc)
{
	if (libc_enter(pc))
		return true;
	stream_used_by_library(stream, pc);
	return false;
}

/* true: the lock was taken for the length of the call. */
bool stream_begin(FILE *stream, bool respects_lock, pc_t pc);
/* As fclose() does. */
int stream_close(FILE *stream, pc_t pc);
void stream_end(FILE *stream, bool holds, pc_t pc);

#define STREAM_STEP(stream, respects_lock, call)                        \
	__extension__({                                                 \
		FILE *stream_ = (stream);                               \
		bool holds_ = stream_begin(stream_, respects_lock, PC); \
		__typeof__(call) result_ = call;                        \
		stream_end(stream_, holds_, PC);                        \
		result_;                                                \
	})
#define STREAM_CALL(stream, call) STREAM_STEP(stream, true, call)
#define STREAM_CALL_UNLOCKED(stream, call) STREAM_STEP(stream, false, call)

/* ---- flushing (libc_flush.c) ---- */

/* The use of an input stream may flush standard output: report that as well. */
void stream_flushes_stdout(const FILE *stream, pc_t pc);
/*
 * The last flush: libc writes what streams hold, even if other threads have their locks, and may
 * continue before the end of the process.
 */
void streams_flush_at_end(bool others_go_on, pc_t pc);

/* ---- streams over memory (libc_memstream.c) ---- */

/* A stream fills (and perhaps reads) this buffer, until it is closed or gets another one. */
void stream_has_buffer(FILE *stream, char *buffer, size_t size, bool is_read);
/* Before and after a use of the stream, and when it is gone: what it did to its memory. */
void stream_memory_before(FILE *stream, pc_t pc);
void stream_memory_after(FILE *stream, pc_t pc);
void stream_memory_closed(FILE *stream, pc_t pc);
extern unsigned stream_memories; /* how many there are */

#endif
