/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that flush streams which they are not given: fflush(NULL), _flushlbf, reads that
 * flush standard output, and the end of the process.
 *
 * What a stream holds is state that each of its uses changes (EV_HIDDEN), and a flush of it is
 * such a use. So for the reduction a flush of all streams must tell each of them: it does not
 * commute with a use of any. Streams that are opened later are no exception: opening one changes
 * the list of streams, which is reported too.
 */
#include "rt/explore.h"
#include "wire/fault.h"
#include "rt/libc_refused.h"
#include "rt/libc_stream.h"
#include "rt/libc_wrap.h"
#include "rt/thread.h"
#include "wire/wire.h"

#define STREAMS_MAX 256

/* Flags of libc's, which has no names for them in its headers. */
enum {
	STREAM_UNBUFFERED = 2,
	STREAM_NO_READS = 4,
	STREAM_NO_WRITES = 8,
	STREAM_LINE_BUFFERED = 0x200
};

static FILE *first_stream(void)
{
	static RT_KEPT FILE **list;
	if (!list)
		list = real_dlsym(RTLD_NEXT, "_IO_list_all");
	return list ? *list : NULL;
}

static bool is_open(const FILE *stream)
{
	const FILE *s = first_stream();
	while (s && s != stream)
		s = s->_chain;
	return s;
}

static bool is_written(const FILE *stream)
{
	return !(stream->_flags & STREAM_NO_WRITES);
}

void stream_flushes_stdout(const FILE *stream, pc_t pc)
{
	bool is_interactive = stream->_flags & (STREAM_UNBUFFERED | STREAM_LINE_BUFFERED);
	if (is_interactive && !(stream->_flags & STREAM_NO_READS) && stream != stdout)
		explore_hidden((uintptr_t)stdout, SYNC_STREAM, 1, pc);
}

/*
 * One stream after the other, each a step of its own: libc takes their locks in turn, and other
 * threads go on meanwhile.
 */
static int flush_each(bool only_by_line, pc_t pc)
{
	FILE *streams[STREAMS_MAX];
	unsigned count = 0;
	int result = 0;
	libc_hidden(HIDDEN_STREAMS, true, pc);
	for (FILE *s = first_stream(); s; s = s->_chain) {
		if (count == STREAMS_MAX)
			libc_refuse("a flush of more than 256 streams", pc);
		if (is_written(s))
			streams[count++] = s;
	}
	for (unsigned i = 0; i < count; i++) {
		rt_enter(pc);
		rt_point();
		if (!is_open(streams[i]))
			continue;
		bool holds = stream_begin(streams[i], true, pc);
		if (REAL_FN(__fpending)(streams[i]) &&
		    (!only_by_line || streams[i]->_flags & STREAM_LINE_BUFFERED))
			result |= REAL_FN(fflush)(streams[i]);
		stream_end(streams[i], holds, pc);
	}
	return result;
}

RT_EXPORT int fflush(FILE *stream)
{
	if (!stream_enter(stream, PC)) {
		for (FILE *s = stream ? NULL : first_stream(); s && g.exploring; s = s->_chain)
			stream_used_by_library(s, PC);
		return REAL_FN(fflush)(stream);
	}
	return stream ? STREAM_CALL(stream, REAL_FN(fflush)(stream)) : flush_each(false, PC);
}

RT_EXPORT void _flushlbf(void)
{
	if (libc_enter(PC))
		flush_each(true, PC);
	else
		REAL_FN(_flushlbf)();
}

/* As libc does behind its last flush: what other threads put into a stream from now on comes out
 * at once. */
static void unbuffer(FILE *s)
{
	s->_flags |= STREAM_UNBUFFERED;
	s->_IO_write_end = s->_IO_write_base;
}

void streams_flush_at_end(bool others_go_on, pc_t pc)
{
	if (FAULT(LAST_FLUSH_WITHOUT_STREAMS)) {
		libc_call_begin();
		REAL_FN(fflush)(NULL);
		libc_call_end();
		return;
	}
	explore_hidden((uintptr_t)&libc_hidden_objects[HIDDEN_STREAMS], HIDDEN_STREAMS, 0, pc);
	g.cur->library.in_stream = true;
	for (FILE *s = first_stream(); s; s = s->_chain) {
		if (!is_written(s))
			continue;
		explore_hidden((uintptr_t)s, SYNC_STREAM, 1, pc);
		explore_might_put_out(s->_fileno, pc);
		libc_call_begin();
		if (REAL_FN(__fpending)(s))
			REAL_FN(fflush_unlocked)(s);
		libc_call_end();
		if (others_go_on)
			unbuffer(s);
	}
	g.cur->library.in_stream = false;
}
