/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams.  libc locks them internally and makes their system calls itself.  What is recorded here
 * are accesses to the program's memory, and edges from a stream that is written to one that is
 * read, through their descriptors.  When a buffer is written out is not known, so every function
 * that writes sends to the channel.
 */
#include <errno.h>
#include <stdarg.h>

#include "run/channel.h"
#include "run/descriptor.h"
#include "run/files.h"
#include "run/format.h"
#include "run/place.h"
#include "run/real.h"
#include "run/run.h"
#include "run/shadow.h"
#include "run/signals.h"
#include "run/wrap.h"

static void will_write(int fd)
{
	descriptor_send(run_self, fd);
}

static void has_read(int fd)
{
	int error = errno;
	descriptor_receive(run_self, fd);
	errno = error;
}

RUN_EXPORT FILE *fopen(const char *restrict path, const char *restrict mode)
{
	UNSAFE_CALL(run_self, "fopen", PLACE);
	files_before_open(run_self, path, *mode == 'r' ? 0 : O_CREAT);
	FILE *stream = REAL_FN(fopen)(path, mode);
	descriptor_made(files_opened(run_self, path, stream ? stream->_fileno : -1));
	return stream;
}

RUN_EXPORT FILE *fopen64(const char *restrict path, const char *restrict mode)
{
	UNSAFE_CALL(run_self, "fopen64", PLACE);
	files_before_open(run_self, path, *mode == 'r' ? 0 : O_CREAT);
	FILE *stream = REAL_FN(fopen64)(path, mode);
	descriptor_made(files_opened(run_self, path, stream ? stream->_fileno : -1));
	return stream;
}

RUN_EXPORT FILE *fdopen(int fd, const char *mode)
{
	UNSAFE_CALL(run_self, "fdopen", PLACE);
	return REAL_FN(fdopen)(fd, mode);
}

RUN_EXPORT FILE *freopen(const char *restrict path, const char *restrict mode,
			 FILE *restrict stream)
{
	UNSAFE_CALL(run_self, "freopen", PLACE);
	will_write(stream->_fileno);
	if (path)
		files_before_open(run_self, path, *mode == 'r' ? 0 : O_CREAT);
	FILE *again = REAL_FN(freopen)(path, mode, stream);
	if (path)
		descriptor_made(files_opened(run_self, path, again ? again->_fileno : -1));
	return again;
}

/* A child at the other end of a pipe, and the wait for it. */
RUN_EXPORT FILE *popen(const char *command, const char *mode)
{
	UNSAFE_CALL(run_self, "popen", PLACE);
	channel_has_others();
	channel_send(run_self, CHANNEL_CHILDREN);
	FILE *stream = REAL_FN(popen)(command, mode);
	if (stream)
		descriptor_made(stream->_fileno);
	return stream;
}

RUN_EXPORT int pclose(FILE *stream)
{
	UNSAFE_CALL(run_self, "pclose", PLACE);
	will_write(stream->_fileno);
	descriptor_forget(stream->_fileno);
	int rc = REAL_FN(pclose)(stream), error = errno;
	channel_receive(run_self, CHANNEL_CHILDREN);
	channel_receive(run_self, CHANNEL_OUTSIDE);
	errno = error;
	return rc;
}

RUN_EXPORT int fclose(FILE *stream)
{
	UNSAFE_CALL(run_self, "fclose", PLACE);
	will_write(stream->_fileno);
	descriptor_forget(stream->_fileno);
	return REAL_FN(fclose)(stream);
}

/* NULL: all streams. */
#define FLUSH_BY(name)                               \
	RUN_EXPORT int name(FILE *stream)            \
	{                                            \
		UNSAFE_CALL(run_self, #name, PLACE); \
		if (stream)                          \
			will_write(stream->_fileno); \
		return REAL_FN(name)(stream);        \
	}

FLUSH_BY(fflush)
FLUSH_BY(fflush_unlocked)

#define FWRITE_BY(name)                                                             \
	RUN_EXPORT size_t name(const void *restrict from, size_t size, size_t n,    \
			       FILE *restrict stream)                               \
	{                                                                           \
		UNSAFE_CALL(run_self, #name, PLACE);                                \
		if (run_self && n && size)                                          \
			access_range(run_self, (uintptr_t)from, n *size, 0, PLACE); \
		will_write(stream->_fileno);                                        \
		return REAL_FN(name)(from, size, n, stream);                        \
	}

FWRITE_BY(fwrite)
FWRITE_BY(fwrite_unlocked)

/* `reads` is what the function reads of the program's memory. */
#define WRITES_BY(name, parameters, arguments, to, reads) \
	RUN_EXPORT int name parameters                    \
	{                                                 \
		struct thr *t = run_self;                 \
		uintptr_t pc = PLACE;                     \
		UNSAFE_CALL(t, #name, pc);                \
		if (t)                                    \
			reads;                            \
		will_write(to);                           \
		return REAL_FN(name) arguments;           \
	}
#define NOTHING (void)pc
#define TEXT access_range(t, (uintptr_t)text, REAL_FN(strlen)(text) + 1, 0, pc)
#define FORMAT format_access(t, format, ap, pc)

WRITES_BY(fputs, (const char *restrict text, FILE *restrict stream), (text, stream),
	  stream->_fileno, TEXT)
WRITES_BY(fputc, (int c, FILE *stream), (c, stream), stream->_fileno, NOTHING)
WRITES_BY(putc, (int c, FILE *stream), (c, stream), stream->_fileno, NOTHING)
WRITES_BY(putchar, (int c), (c), STDOUT_FILENO, NOTHING)
WRITES_BY(fputs_unlocked, (const char *restrict text, FILE *restrict stream), (text, stream),
	  stream->_fileno, TEXT)
WRITES_BY(fputc_unlocked, (int c, FILE *stream), (c, stream), stream->_fileno, NOTHING)
WRITES_BY(putc_unlocked, (int c, FILE *stream), (c, stream), stream->_fileno, NOTHING)
WRITES_BY(__overflow, (FILE * stream, int c), (stream, c), stream->_fileno, NOTHING)
WRITES_BY(putchar_unlocked, (int c), (c), STDOUT_FILENO, NOTHING)
WRITES_BY(__vfprintf_chk,
	  (FILE *restrict stream, int flag, const char *restrict format, va_list ap),
	  (stream, flag, format, ap), stream->_fileno, FORMAT)
WRITES_BY(__vprintf_chk, (int flag, const char *restrict format, va_list ap), (flag, format, ap),
	  STDOUT_FILENO, FORMAT)
WRITES_BY(puts, (const char *text), (text), STDOUT_FILENO, TEXT)
WRITES_BY(vfprintf, (FILE *restrict stream, const char *restrict format, va_list ap),
	  (stream, format, ap), stream->_fileno, FORMAT)
WRITES_BY(vprintf, (const char *restrict format, va_list ap), (format, ap), STDOUT_FILENO, FORMAT)

RUN_EXPORT int fprintf(FILE *restrict stream, const char *restrict format, ...)
{
	va_list ap;
	va_start(ap, format);
	UNSAFE_CALL(run_self, "fprintf", PLACE);
	if (run_self)
		format_access(run_self, format, ap, PLACE);
	will_write(stream->_fileno);
	int n = REAL_FN(vfprintf)(stream, format, ap);
	va_end(ap);
	return n;
}

RUN_EXPORT int printf(const char *restrict format, ...)
{
	va_list ap;
	va_start(ap, format);
	UNSAFE_CALL(run_self, "printf", PLACE);
	if (run_self)
		format_access(run_self, format, ap, PLACE);
	will_write(STDOUT_FILENO);
	int n = REAL_FN(vprintf)(format, ap);
	va_end(ap);
	return n;
}

RUN_EXPORT int __fprintf_chk(FILE *restrict stream, int flag, const char *restrict format, ...)
{
	va_list ap;
	va_start(ap, format);
	UNSAFE_CALL(run_self, "fprintf", PLACE);
	if (run_self)
		format_access(run_self, format, ap, PLACE);
	will_write(stream->_fileno);
	int n = REAL_FN(__vfprintf_chk)(stream, flag, format, ap);
	va_end(ap);
	return n;
}

RUN_EXPORT int __printf_chk(int flag, const char *restrict format, ...)
{
	va_list ap;
	va_start(ap, format);
	UNSAFE_CALL(run_self, "printf", PLACE);
	if (run_self)
		format_access(run_self, format, ap, PLACE);
	will_write(STDOUT_FILENO);
	int n = REAL_FN(__vprintf_chk)(flag, format, ap);
	va_end(ap);
	return n;
}

/* The lock of a stream orders as a channel does: which thread holds it is not followed. */
RUN_EXPORT void flockfile(FILE *stream)
{
	REAL_FN(flockfile)(stream);
	if (run_self)
		wrap_receive(run_self, stream, OBJECT_OTHER, 0);
}

RUN_EXPORT int ftrylockfile(FILE *stream)
{
	int rc = REAL_FN(ftrylockfile)(stream);
	if (run_self && !rc)
		wrap_receive(run_self, stream, OBJECT_OTHER, 0);
	return rc;
}

RUN_EXPORT void funlockfile(FILE *stream)
{
	if (run_self)
		wrap_send(run_self, stream, OBJECT_OTHER, 0);
	REAL_FN(funlockfile)(stream);
}

#define FREAD_BY(name, parameters, arguments)                                                \
	RUN_EXPORT size_t name parameters                                                    \
	{                                                                                    \
		UNSAFE_CALL(run_self, #name, PLACE);                                         \
		size_t got = REAL_FN(name) arguments;                                        \
		has_read(stream->_fileno);                                                   \
		if (run_self && got && size)                                                 \
			access_range(run_self, (uintptr_t)to, got *size, CELL_WRITE, PLACE); \
		return got;                                                                  \
	}

FREAD_BY(fread, (void *restrict to, size_t size, size_t n, FILE *restrict stream),
	 (to, size, n, stream))
FREAD_BY(fread_unlocked, (void *restrict to, size_t size, size_t n, FILE *restrict stream),
	 (to, size, n, stream))
FREAD_BY(__fread_chk,
	 (void *restrict to, size_t room, size_t size, size_t n, FILE *restrict stream),
	 (to, room, size, n, stream))

#define FGETS_BY(name, parameters, arguments)                                               \
	RUN_EXPORT char *name parameters                                                    \
	{                                                                                   \
		struct thr *t = run_self;                                                   \
		UNSAFE_CALL(t, #name, PLACE);                                               \
		char *got = REAL_FN(name) arguments;                                        \
		has_read(stream->_fileno);                                                  \
		if (t && got)                                                               \
			access_range(t, (uintptr_t)to, REAL_FN(strlen)(to) + 1, CELL_WRITE, \
				     PLACE);                                                \
		return got;                                                                 \
	}

FGETS_BY(fgets, (char *restrict to, int n, FILE *restrict stream), (to, n, stream))
FGETS_BY(fgets_unlocked, (char *restrict to, int n, FILE *restrict stream), (to, n, stream))
FGETS_BY(__fgets_chk, (char *restrict to, size_t room, int n, FILE *restrict stream),
	 (to, room, n, stream))

#define READS_BY(type, name, parameters, arguments, from) \
	RUN_EXPORT type name parameters                   \
	{                                                 \
		UNSAFE_CALL(run_self, #name, PLACE);      \
		type got = REAL_FN(name) arguments;       \
		has_read(from);                           \
		return got;                               \
	}

READS_BY(int, fgetc, (FILE * stream), (stream), stream->_fileno)
READS_BY(int, getc, (FILE * stream), (stream), stream->_fileno)
READS_BY(int, getchar, (void), (), STDIN_FILENO)
READS_BY(int, fgetc_unlocked, (FILE * stream), (stream), stream->_fileno)
READS_BY(int, getc_unlocked, (FILE * stream), (stream), stream->_fileno)
READS_BY(int, getchar_unlocked, (void), (), STDIN_FILENO)
/* What getc_unlocked and putc_unlocked call where they are inline functions. */
READS_BY(int, __uflow, (FILE * stream), (stream), stream->_fileno)
READS_BY(ssize_t, getline, (char **restrict line, size_t *restrict room, FILE *restrict stream),
	 (line, room, stream), stream->_fileno)
READS_BY(ssize_t, getdelim,
	 (char **restrict line, size_t *restrict room, int end, FILE *restrict stream),
	 (line, room, end, stream), stream->_fileno)
READS_BY(ssize_t, __getdelim,
	 (char **restrict line, size_t *restrict room, int end, FILE *restrict stream),
	 (line, room, end, stream), stream->_fileno)
READS_BY(int, __isoc99_vfscanf, (FILE *restrict stream, const char *restrict format, va_list ap),
	 (stream, format, ap), stream->_fileno)

RUN_EXPORT int __isoc99_fscanf(FILE *restrict stream, const char *restrict format, ...);
RUN_EXPORT int __isoc99_fscanf(FILE *restrict stream, const char *restrict format, ...)
{
	va_list ap;
	va_start(ap, format);
	int n = REAL_FN(__isoc99_vfscanf)(stream, format, ap);
	va_end(ap);
	has_read(stream->_fileno);
	return n;
}
