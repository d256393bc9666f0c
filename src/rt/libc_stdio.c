/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions on stdio streams; libc_stream.h says how they are modelled.  The formatted ones, and
 * those that flush several streams, are in files of their own.
 */
#include "rt/buffer.h"
#include "rt/explore.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/libc_stream.h"
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "rt/outside.h"
#include "rt/sched.h"
#include "rt/sync.h"
#include "rt/thread.h"
#include "wire/explore.h"
#include "wire/wire.h"

void stream_used_by_library(const FILE *stream, pc_t pc)
{
	if (!stream || !g.active || g.internal)
		return;
	if (FAULT(LIBRARY_STREAM_USE_HIDDEN))
		return;
	outside_selector = outside_closed;
	rt_enter(pc);
	rt_point();
	buffer_empty(); /* libc takes the stream's lock */
	if (!g.exploring)
		return;
	explore_hidden((uintptr_t)stream, SYNC_STREAM, 1, pc);
	explore_might_put_out(stream->_fileno, pc);
}

bool stream_begin(FILE *stream, bool respects_lock, pc_t pc)
{
	buffer_empty();
	struct sync *lock = respects_lock ? sync_get((uintptr_t)stream, SYNC_STREAM) : NULL;
	bool takes = lock && lock->owner != g.cur;
	if (takes && lock->owner)
		sync_wait_lock(lock, NO_DEADLINE, pc);
	else if (takes)
		sync_take(lock, pc);
	ev_sync(EV_HIDDEN, (uintptr_t)stream, SYNC_STREAM, 1, 0, pc);
	stream_flushes_stdout(stream, pc);
	explore_might_put_out(stream->_fileno, pc);
	g.cur->library.in_stream = true;
	g.cur->library.stream = respects_lock ? stream : NULL;
	if (unlikely(stream_memories))
		stream_memory_before(stream, pc);
	libc_call_begin();
	return takes;
}

void stream_end(FILE *stream, bool holds, pc_t pc)
{
	libc_call_end();
	g.cur->library.in_stream = false;
	g.cur->library.stream = NULL;
	if (unlikely(stream_memories))
		stream_memory_after(stream, pc);
	if (holds)
		sync_drop(sync_find((uintptr_t)stream), pc);
}

/* ---- the lock of a stream, which synchronises threads like any other ---- */

static bool stream_lock_enter(pc_t pc)
{
	if (!libc_enter(pc))
		return false;
	buffer_empty();
	return true;
}

RT_EXPORT void flockfile(FILE *stream)
{
	if (!stream_lock_enter(PC)) {
		REAL_FN(flockfile)(stream);
		return;
	}
	struct sync *s = sync_get((uintptr_t)stream, SYNC_STREAM);
	if (s->owner == g.cur)
		sync_take_again(s, PC);
	else
		sync_wait_lock(s, NO_DEADLINE, PC);
}

RT_EXPORT int ftrylockfile(FILE *stream)
{
	if (!stream_lock_enter(PC))
		return REAL_FN(ftrylockfile)(stream);
	struct sync *s = sync_get((uintptr_t)stream, SYNC_STREAM);
	if (s->owner == g.cur) {
		sync_take_again(s, PC);
	} else if (s->owner) {
		ev_sync(EV_TRY_FAIL, s->addr, s->mode, 0, 0, PC);
		return 1;
	} else {
		explore_succeeds(OPF_TRY);
		sync_take(s, PC);
	}
	return 0;
}

RT_EXPORT void funlockfile(FILE *stream)
{
	if (!stream_lock_enter(PC)) {
		REAL_FN(funlockfile)(stream);
		return;
	}
	struct sync *s = sync_get((uintptr_t)stream, SYNC_STREAM);
	if (!s->owner) {
		rt_finding(FAIL_UNLOCK_FREE, s->addr, 0, PC);
	} else if (s->owner != g.cur) {
		rt_finding(FAIL_UNLOCK_OTHER, s->addr, s->owner->id, PC);
		sync_drop(s, PC);
	} else {
		sync_drop_once(s, PC);
	}
}

/* ---- functions of a stream alone, or of a character and a stream ---- */

#define OF_STREAM(type, name, CALL)                         \
	RT_EXPORT type name(FILE *stream)                   \
	{                                                   \
		if (!stream_enter(stream, PC))              \
			return REAL_FN(name)(stream);       \
		return CALL(stream, REAL_FN(name)(stream)); \
	}
#define ON_STREAM(name, CALL)                                     \
	RT_EXPORT void name(FILE *stream)                         \
	{                                                         \
		if (!stream_enter(stream, PC))                    \
			REAL_FN(name)(stream);                    \
		else                                              \
			CALL(stream, (REAL_FN(name)(stream), 0)); \
	}
#define OF_CHARACTER(name, CALL)                               \
	RT_EXPORT int name(int c, FILE *stream)                \
	{                                                      \
		if (!stream_enter(stream, PC))                 \
			return REAL_FN(name)(c, stream);       \
		return CALL(stream, REAL_FN(name)(c, stream)); \
	}

OF_STREAM(int, fgetc, STREAM_CALL)
OF_STREAM(int, getc, STREAM_CALL)
OF_STREAM(int, _IO_getc, STREAM_CALL)
OF_STREAM(int, getw, STREAM_CALL)
OF_STREAM(int, feof, STREAM_CALL)
OF_STREAM(int, ferror, STREAM_CALL)
OF_STREAM(int, fileno, STREAM_CALL)
OF_STREAM(long, ftell, STREAM_CALL)
OF_STREAM(off_t, ftello, STREAM_CALL)
OF_STREAM(size_t, __fpending, STREAM_CALL)
OF_STREAM(int, __uflow, STREAM_CALL_UNLOCKED)
OF_STREAM(int, fgetc_unlocked, STREAM_CALL_UNLOCKED)
OF_STREAM(int, getc_unlocked, STREAM_CALL_UNLOCKED)
OF_STREAM(int, feof_unlocked, STREAM_CALL_UNLOCKED)
OF_STREAM(int, ferror_unlocked, STREAM_CALL_UNLOCKED)
OF_STREAM(int, fileno_unlocked, STREAM_CALL_UNLOCKED)
OF_STREAM(int, fflush_unlocked, STREAM_CALL_UNLOCKED)
ON_STREAM(rewind, STREAM_CALL)
ON_STREAM(clearerr, STREAM_CALL)
ON_STREAM(clearerr_unlocked, STREAM_CALL_UNLOCKED)
ON_STREAM(setlinebuf, STREAM_CALL)
ON_STREAM(__fpurge, STREAM_CALL)
OF_CHARACTER(fputc, STREAM_CALL)
OF_CHARACTER(putc, STREAM_CALL)
OF_CHARACTER(_IO_putc, STREAM_CALL)
OF_CHARACTER(putw, STREAM_CALL)
OF_CHARACTER(ungetc, STREAM_CALL)
OF_CHARACTER(fputc_unlocked, STREAM_CALL_UNLOCKED)
OF_CHARACTER(putc_unlocked, STREAM_CALL_UNLOCKED)
extern __typeof__(ftello) ftello64 LIBC_ALIAS(ftello);

RT_EXPORT int __overflow(FILE *stream, int c)
{
	if (!stream_enter(stream, PC))
		return REAL_FN(__overflow)(stream, c);
	return STREAM_CALL_UNLOCKED(stream, REAL_FN(__overflow)(stream, c));
}

RT_EXPORT int getchar(void)
{
	if (!stream_enter(stdin, PC))
		return REAL_FN(getchar)();
	return STREAM_CALL(stdin, REAL_FN(getchar)());
}

RT_EXPORT int getchar_unlocked(void)
{
	if (!stream_enter(stdin, PC))
		return REAL_FN(getchar_unlocked)();
	return STREAM_CALL_UNLOCKED(stdin, REAL_FN(getchar_unlocked)());
}

RT_EXPORT int putchar(int c)
{
	if (!stream_enter(stdout, PC))
		return REAL_FN(putchar)(c);
	return STREAM_CALL(stdout, REAL_FN(putchar)(c));
}

RT_EXPORT int putchar_unlocked(int c)
{
	if (!stream_enter(stdout, PC))
		return REAL_FN(putchar_unlocked)(c);
	return STREAM_CALL_UNLOCKED(stdout, REAL_FN(putchar_unlocked)(c));
}

/* ---- text and blocks ---- */

RT_EXPORT int puts(const char *s)
{
	if (!stream_enter(stdout, PC))
		return REAL_FN(puts)(s);
	return STREAM_CALL(stdout, (libc_read_string(s, PC), REAL_FN(puts)(s)));
}

#define FPUTS(name, CALL)                                                                 \
	RT_EXPORT int name(const char *restrict s, FILE *restrict stream)                 \
	{                                                                                 \
		if (!stream_enter(stream, PC))                                            \
			return REAL_FN(name)(s, stream);                                  \
		return CALL(stream, (libc_read_string(s, PC), REAL_FN(name)(s, stream))); \
	}
FPUTS(fputs, STREAM_CALL)
FPUTS(fputs_unlocked, STREAM_CALL_UNLOCKED)

#define FWRITE(name, CALL)                                                      \
	RT_EXPORT size_t name(const void *restrict from, size_t size, size_t n, \
			      FILE *restrict stream)                            \
	{                                                                       \
		if (!stream_enter(stream, PC))                                  \
			return REAL_FN(name)(from, size, n, stream);            \
		return CALL(stream, (rt_libc_read(from, size * n, PC),          \
				     REAL_FN(name)(from, size, n, stream)));    \
	}
FWRITE(fwrite, STREAM_CALL)
FWRITE(fwrite_unlocked, STREAM_CALL_UNLOCKED)

/* Whole elements were read; of a last, incomplete one some bytes may have been stored. */
static size_t wrote_elements(const char *to, size_t size, size_t n, size_t done, pc_t pc)
{
	rt_libc_wrote(to, size * done, pc);
	if (done < n)
		libc_wrote_if_changed(to + size * done, size, pc);
	return done;
}

#define FREAD(name, CALL)                                                                      \
	RT_EXPORT size_t name(void *restrict to, size_t size, size_t n, FILE *restrict stream) \
	{                                                                                      \
		if (!stream_enter(stream, PC))                                                 \
			return REAL_FN(name)(to, size, n, stream);                             \
		return CALL(stream, (libc_will_write(to, size * n, PC),                        \
				     wrote_elements(to, size, n,                               \
						    REAL_FN(name)(to, size, n, stream), PC))); \
	}
FREAD(fread, STREAM_CALL)
FREAD(fread_unlocked, STREAM_CALL_UNLOCKED)

/* A line may contain NUL: unless it ends in a newline, what follows the first one may be new too.
 */
static char *wrote_line(char *line, size_t size, pc_t pc)
{
	if (!line)
		return NULL;
	size_t n = rt_strlen(line) + 1;
	rt_libc_wrote(line, n, pc);
	if (n < size && (n == 1 || line[n - 2] != '\n'))
		libc_wrote_if_changed(line + n, size - n, pc);
	return line;
}

#define FGETS(name, CALL)                                                                     \
	RT_EXPORT char *name(char *restrict to, int size, FILE *restrict stream)              \
	{                                                                                     \
		if (!stream_enter(stream, PC))                                                \
			return REAL_FN(name)(to, size, stream);                               \
		return CALL(stream,                                                           \
			    (libc_will_write(to, size > 0 ? (size_t)size : 0, PC),            \
			     wrote_line(REAL_FN(name)(to, size, stream), (size_t)size, PC))); \
	}
FGETS(fgets, STREAM_CALL)
FGETS(fgets_unlocked, STREAM_CALL_UNLOCKED)

#define FGETS_CHECKED(name, CALL)                                                      \
	RT_EXPORT char *name(char *to, size_t room, int size, FILE *stream)            \
	{                                                                              \
		if (size < 0 || (size_t)size > room || !stream_enter(stream, PC))      \
			return REAL_FN(name)(to, room, size, stream);                  \
		return CALL(stream, (libc_will_write(to, (size_t)size, PC),            \
				     wrote_line(REAL_FN(name)(to, room, size, stream), \
						(size_t)size, PC)));                   \
	}
FGETS_CHECKED(__fgets_chk, STREAM_CALL)
FGETS_CHECKED(__fgets_unlocked_chk, STREAM_CALL_UNLOCKED)

#define FREAD_CHECKED(name, CALL)                                                                  \
	RT_EXPORT size_t name(void *to, size_t room, size_t size, size_t n, FILE *stream)          \
	{                                                                                          \
		if (!stream_enter(stream, PC))                                                     \
			return REAL_FN(name)(to, room, size, n, stream);                           \
		return CALL(stream,                                                                \
			    (libc_will_write(to, size * n, PC),                                    \
			     wrote_elements(to, size, n, REAL_FN(name)(to, room, size, n, stream), \
					    PC)));                                                 \
	}
FREAD_CHECKED(__fread_chk, STREAM_CALL)
FREAD_CHECKED(__fread_unlocked_chk, STREAM_CALL_UNLOCKED)

static void before_dynamic_line(char **line, size_t *room, pc_t pc)
{
	rt_libc_read(line, sizeof(*line), pc);
	rt_libc_read(room, sizeof(*room), pc);
}

static ssize_t wrote_dynamic_line(char **line, size_t *room, ssize_t n, pc_t pc)
{
	libc_wrote_if_changed(line, sizeof(*line), pc);
	libc_wrote_if_changed(room, sizeof(*room), pc);
	if (n >= 0)
		rt_libc_wrote(*line, (size_t)n + 1, pc);
	return n;
}

RT_EXPORT ssize_t getdelim(char **restrict line, size_t *restrict room, int end,
			   FILE *restrict stream)
{
	if (!stream_enter(stream, PC))
		return REAL_FN(getdelim)(line, room, end, stream);
	ssize_t n = STREAM_CALL(stream, (before_dynamic_line(line, room, PC),
					 REAL_FN(getdelim)(line, room, end, stream)));
	return wrote_dynamic_line(line, room, n, PC);
}

extern __typeof__(getdelim) __getdelim LIBC_ALIAS(getdelim);

RT_EXPORT ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict stream)
{
	if (!stream_enter(stream, PC))
		return REAL_FN(getline)(line, room, stream);
	ssize_t n = STREAM_CALL(stream, (before_dynamic_line(line, room, PC),
					 REAL_FN(getline)(line, room, stream)));
	return wrote_dynamic_line(line, room, n, PC);
}

static void read_prefix(const char *s, pc_t pc)
{
	if (s)
		libc_read_string(s, pc);
}

RT_EXPORT void perror(const char *s)
{
	if (!stream_enter(stderr, PC)) {
		REAL_FN(perror)(s);
		return;
	}
	STREAM_CALL(stderr, (read_prefix(s, PC), REAL_FN(perror)(s), 0));
}

RT_EXPORT void psignal(int signal, const char *s)
{
	if (!stream_enter(stderr, PC)) {
		REAL_FN(psignal)(signal, s);
		return;
	}
	STREAM_CALL(stderr, (read_prefix(s, PC), REAL_FN(psignal)(signal, s), 0));
}

/* What failed in the resolver. */
RT_EXPORT void herror(const char *s)
{
	if (!stream_enter(stderr, PC)) {
		REAL_FN(herror)(s);
		return;
	}
	STREAM_CALL(stderr, (read_prefix(s, PC), REAL_FN(herror)(s), 0));
}
