/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of stdio (FILE) under control.  In the model, a stream is an object with a recursive
 * lock.  Each function of stdio acquires that lock, emits one event HIDDEN for the use of the
 * stream, calls libc's function, and releases the lock; the _unlocked functions only emit the
 * event.  libc's own lock is never held at a scheduling point, so no fiber can block on it.
 *
 * Some streams have a buffer that the program can see (setvbuf, open_memstream, fmemopen).  libc
 * writes to it without hooks.  Such buffers are registered, and after each use of the stream the
 * bytes that have changed are reported as writes.
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

/* Whether the lock was acquired; stream_end() gets this as `holds`. */
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
