/* SPDX-License-Identifier: Apache-2.0 */
/* Wide characters of streams, and what stdio_ext.h asks and sets; libc_stream.h says how streams
 * are modelled. */
#include "rt/libc_stream.h"
#include "rt/libc_wrap.h"

#define OF_STREAM(type, name, CALL)                         \
	RT_EXPORT type name(FILE *stream)                   \
	{                                                   \
		if (!stream_enter(stream, PC))              \
			return REAL_FN(name)(stream);       \
		return CALL(stream, REAL_FN(name)(stream)); \
	}
#define OF_CHARACTER(name, type, CALL)                         \
	RT_EXPORT wint_t name(type c, FILE *stream)            \
	{                                                      \
		if (!stream_enter(stream, PC))                 \
			return REAL_FN(name)(c, stream);       \
		return CALL(stream, REAL_FN(name)(c, stream)); \
	}
#define OF_INPUT(name, CALL)                         \
	RT_EXPORT wint_t name(void)                  \
	{                                            \
		if (!stream_enter(stdin, PC))        \
			return REAL_FN(name)();      \
		return CALL(stdin, REAL_FN(name)()); \
	}
#define OF_OUTPUT(name, CALL)                          \
	RT_EXPORT wint_t name(wchar_t c)               \
	{                                              \
		if (!stream_enter(stdout, PC))         \
			return REAL_FN(name)(c);       \
		return CALL(stdout, REAL_FN(name)(c)); \
	}

OF_STREAM(wint_t, fgetwc, STREAM_CALL)
OF_STREAM(wint_t, getwc, STREAM_CALL)
OF_STREAM(wint_t, fgetwc_unlocked, STREAM_CALL_UNLOCKED)
OF_STREAM(wint_t, getwc_unlocked, STREAM_CALL_UNLOCKED)
OF_CHARACTER(fputwc, wchar_t, STREAM_CALL)
OF_CHARACTER(putwc, wchar_t, STREAM_CALL)
OF_CHARACTER(ungetwc, wint_t, STREAM_CALL)
OF_CHARACTER(fputwc_unlocked, wchar_t, STREAM_CALL_UNLOCKED)
OF_CHARACTER(putwc_unlocked, wchar_t, STREAM_CALL_UNLOCKED)
OF_INPUT(getwchar, STREAM_CALL)
OF_INPUT(getwchar_unlocked, STREAM_CALL_UNLOCKED)
OF_OUTPUT(putwchar, STREAM_CALL)
OF_OUTPUT(putwchar_unlocked, STREAM_CALL_UNLOCKED)

RT_EXPORT int fwide(FILE *stream, int mode)
{
	if (!stream_enter(stream, PC))
		return REAL_FN(fwide)(stream, mode);
	return STREAM_CALL(stream, REAL_FN(fwide)(stream, mode));
}

static void read_wide(const wchar_t *s, pc_t pc)
{
	size_t n = 0;
	while (s[n])
		n++;
	rt_libc_read(s, (n + 1) * sizeof(*s), pc);
}

#define FPUTWS(name, CALL)                                                         \
	RT_EXPORT int name(const wchar_t *restrict s, FILE *restrict stream)       \
	{                                                                          \
		if (!stream_enter(stream, PC))                                     \
			return REAL_FN(name)(s, stream);                           \
		return CALL(stream, (read_wide(s, PC), REAL_FN(name)(s, stream))); \
	}
FPUTWS(fputws, STREAM_CALL)
FPUTWS(fputws_unlocked, STREAM_CALL_UNLOCKED)

/* A line may contain the terminator: unless it ends in a newline, what follows may be new too. */
static wchar_t *wrote_line(wchar_t *line, size_t size, pc_t pc)
{
	if (!line)
		return NULL;
	size_t n = 1;
	while (line[n - 1])
		n++;
	rt_libc_wrote(line, n * sizeof(*line), pc);
	if (n < size && (n == 1 || line[n - 2] != L'\n'))
		libc_wrote_if_changed(line + n, (size - n) * sizeof(*line), pc);
	return line;
}

#define FGETWS(name, parameters, arguments, CALL)                                             \
	RT_EXPORT wchar_t *name parameters                                                    \
	{                                                                                     \
		if (!stream_enter(stream, PC))                                                \
			return REAL_FN(name) arguments;                                       \
		return CALL(stream, (libc_will_write(to, size > 0 ? sizeof(*to) : 0, PC),     \
				     wrote_line(REAL_FN(name) arguments, (size_t)size, PC))); \
	}
FGETWS(fgetws, (wchar_t *restrict to, int size, FILE *restrict stream), (to, size, stream),
       STREAM_CALL)
FGETWS(fgetws_unlocked, (wchar_t *restrict to, int size, FILE *restrict stream), (to, size, stream),
       STREAM_CALL_UNLOCKED)
FGETWS(__fgetws_chk, (wchar_t *restrict to, size_t room, int size, FILE *restrict stream),
       (to, room, size, stream), STREAM_CALL)
FGETWS(__fgetws_unlocked_chk, (wchar_t *restrict to, size_t room, int size, FILE *restrict stream),
       (to, room, size, stream), STREAM_CALL_UNLOCKED)

/* ---- stdio_ext.h: it takes no lock ---- */

OF_STREAM(int, __freading, STREAM_CALL_UNLOCKED)
OF_STREAM(int, __fwriting, STREAM_CALL_UNLOCKED)
OF_STREAM(int, __freadable, STREAM_CALL_UNLOCKED)
OF_STREAM(int, __fwritable, STREAM_CALL_UNLOCKED)
OF_STREAM(int, __flbf, STREAM_CALL_UNLOCKED)
OF_STREAM(size_t, __fbufsize, STREAM_CALL_UNLOCKED)

/* Libc's own locking stays as it is: under control it decides nothing. */
RT_EXPORT int __fsetlocking(FILE *stream, int type)
{
	if (!stream_enter(stream, PC))
		return REAL_FN(__fsetlocking)(stream, type);
	return STREAM_CALL_UNLOCKED(stream, REAL_FN(__fsetlocking)(stream, type));
}
