/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Characters of several bytes: conversions to and from wide characters, and between character
 * sets.  A conversion goes on from a state, which is the caller's object or, if none is given,
 * one inside libc.
 */
#include "rt/libc_wrap.h"
#include "wire/wire.h"

/* The state that a conversion goes on from and leaves behind. */
static void before_state(const mbstate_t *state, pc_t pc)
{
	if (state)
		rt_libc_read(state, sizeof(*state), pc);
	else
		libc_hidden(HIDDEN_CHARACTERS, true, pc);
}

static void after_state(const mbstate_t *state, pc_t pc)
{
	if (state)
		libc_wrote_if_changed(state, sizeof(*state), pc);
}

/* Bytes of a character that a call with this result looked at; it never looks behind a terminator.
 */
static size_t looked_at(const char *from, size_t n, size_t result)
{
	if (!from)
		return 0;
	if (result && result <= n)
		return result;
	size_t i = 0;
	while (i < n && i < MB_LEN_MAX && from[i])
		i++;
	return i < n && i < MB_LEN_MAX ? i + 1 : i;
}

static size_t wide_length(const wchar_t *s, size_t max)
{
	size_t i = 0;
	while (i < max && s[i])
		i++;
	return i;
}

static size_t byte_length(const char *s, size_t max)
{
	size_t i = 0;
	while (i < max && s[i])
		i++;
	return i;
}

static bool is_stored(size_t result)
{
	return result != (size_t)-1 && result != (size_t)-2;
}

/* ---- one character ---- */

WRAP(size_t, mbrtowc,
     (wchar_t *restrict to, const char *restrict from, size_t n, mbstate_t *restrict state),
     (to, from, n, state), before_state(state, PC);
     ROOM_OBJECT(to), READS(from, looked_at(from, n, result)); after_state(state, PC);
     WROTE_OBJECT_IF(from && is_stored(result), to))
WRAP(size_t, mbrlen, (const char *restrict from, size_t n, mbstate_t *restrict state),
     (from, n, state), before_state(state, PC), READS(from, looked_at(from, n, result));
     after_state(state, PC))
extern __typeof__(mbrlen) __mbrlen LIBC_ALIAS(mbrlen);
WRAP(size_t, wcrtomb, (char *restrict to, wchar_t c, mbstate_t *restrict state), (to, c, state),
     before_state(state, PC);
     ROOM(to, to ? 1 : 0), after_state(state, PC); WROTE(to, to &&is_stored(result) ? result : 0))
WRAP(size_t, __wcrtomb_chk, (char *restrict to, wchar_t c, mbstate_t *restrict state, size_t room),
     (to, c, state, room), before_state(state, PC);
     ROOM(to, to ? 1 : 0), after_state(state, PC); WROTE(to, to &&is_stored(result) ? result : 0))
WRAP(int, mbtowc, (wchar_t *restrict to, const char *restrict from, size_t n), (to, from, n),
     CHANGES(CHARACTERS);
     ROOM_OBJECT(to), READS(from, looked_at(from, n, (size_t)result));
     WROTE_OBJECT_IF(from && result >= 0, to))
WRAP(int, mblen, (const char *from, size_t n), (from, n), CHANGES(CHARACTERS),
     READS(from, looked_at(from, n, (size_t)result)))
WRAP(int, wctomb, (char *to, wchar_t c), (to, c), CHANGES(CHARACTERS);
     ROOM(to, to ? 1 : 0), WROTE(to, to &&result > 0 ? (size_t)result : 0))
WRAP(int, __wctomb_chk, (char *to, wchar_t c, size_t room), (to, c, room), CHANGES(CHARACTERS);
     ROOM(to, to ? 1 : 0), WROTE(to, to &&result > 0 ? (size_t)result : 0))

RT_EXPORT int mbsinit(const mbstate_t *state)
{
	if (libc_enter(PC) && state)
		rt_libc_read(state, sizeof(*state), PC);
	return REAL_FN(mbsinit)(state);
}

/* ---- strings ---- */

/* The terminator is stored if there is room, which a result below the room tells. */
static void wrote_wide(const wchar_t *to, size_t room, size_t result, pc_t pc)
{
	if (to && is_stored(result))
		rt_libc_wrote(to, (result < room ? result + 1 : room) * sizeof(*to), pc);
}

static void wrote_bytes(const char *to, size_t room, size_t result, pc_t pc)
{
	if (to && is_stored(result))
		rt_libc_wrote(to, result < room ? result + 1 : room, pc);
	else if (to)
		libc_wrote_if_changed(to, byte_length(to, room), pc);
}

static void before_source(const void *place, pc_t pc)
{
	rt_libc_read(place, sizeof(void *), pc);
}

/* With a target the source pointer is moved to where the conversion stopped. */
static void after_source(const void *place, bool has_target, pc_t pc)
{
	if (has_target)
		rt_libc_wrote(place, sizeof(void *), pc);
}

#define FROM_BYTES(name, parameters, arguments, limit)                                        \
	WRAP(size_t, name, parameters, arguments, before_source(from, PC);                    \
	     before_state(state, PC); const char *start = *from;                              \
	     READS(start, byte_length(start, limit) + (byte_length(start, limit) < (limit))), \
	     after_source(from, to != NULL, PC);                                              \
	     after_state(state, PC); wrote_wide(to, n, result, PC))
FROM_BYTES(mbsrtowcs,
	   (wchar_t *restrict to, const char **restrict from, size_t n, mbstate_t *restrict state),
	   (to, from, n, state), SIZE_MAX)
FROM_BYTES(mbsnrtowcs,
	   (wchar_t *restrict to, const char **restrict from, size_t bytes, size_t n,
	    mbstate_t *restrict state),
	   (to, from, bytes, n, state), bytes)
FROM_BYTES(__mbsrtowcs_chk,
	   (wchar_t *restrict to, const char **restrict from, size_t n, mbstate_t *restrict state,
	    size_t room),
	   (to, from, n, state, room), SIZE_MAX)

#define FROM_WIDE(name, parameters, arguments, limit)                      \
	WRAP(size_t, name, parameters, arguments, before_source(from, PC); \
	     before_state(state, PC); const wchar_t *start = *from;        \
	     size_t length = wide_length(start, limit);                    \
	     READS(start, (length + (length < (limit))) * sizeof(*start)), \
	     after_source(from, to != NULL, PC);                           \
	     after_state(state, PC); wrote_bytes(to, n, result, PC))
FROM_WIDE(wcsrtombs,
	  (char *restrict to, const wchar_t **restrict from, size_t n, mbstate_t *restrict state),
	  (to, from, n, state), SIZE_MAX)
FROM_WIDE(wcsnrtombs,
	  (char *restrict to, const wchar_t **restrict from, size_t wides, size_t n,
	   mbstate_t *restrict state),
	  (to, from, wides, n, state), wides)

WRAP(size_t, mbstowcs, (wchar_t *restrict to, const char *restrict from, size_t n), (to, from, n),
     READS_TEXT(from), wrote_wide(to, n, result, PC))
WRAP(size_t, __mbstowcs_chk,
     (wchar_t *restrict to, const char *restrict from, size_t n, size_t room), (to, from, n, room),
     READS_TEXT(from), wrote_wide(to, n, result, PC))
WRAP(size_t, wcstombs, (char *restrict to, const wchar_t *restrict from, size_t n), (to, from, n),
     READS(from, (wide_length(from, SIZE_MAX) + 1) * sizeof(*from)), wrote_bytes(to, n, result, PC))
WRAP(size_t, __wcstombs_chk,
     (char *restrict to, const wchar_t *restrict from, size_t n, size_t room), (to, from, n, room),
     READS(from, (wide_length(from, SIZE_MAX) + 1) * sizeof(*from)), wrote_bytes(to, n, result, PC))

/* ---- between character sets ---- */

WRAP(iconv_t, iconv_open, (const char *to, const char *from), (to, from), READS_TEXT(to);
     READS_TEXT(from), NOTHING)
WRAP(int, iconv_close, (iconv_t conversion), (conversion),
     libc_object(HIDDEN_CONVERSION, conversion, true, PC), NOTHING)

/* Both buffers shrink from their fronts by what was done. */
static void converted(const char *in_start, char **in, const size_t *in_left, const char *out_start,
		      char **out, const size_t *out_left, pc_t pc)
{
	if (in_start) {
		rt_libc_read(in_start, (size_t)(*in - in_start), pc);
		rt_libc_wrote(in, sizeof(*in), pc);
		rt_libc_wrote(in_left, sizeof(*in_left), pc);
	}
	if (out_start) {
		rt_libc_wrote(out_start, (size_t)(*out - out_start), pc);
		rt_libc_wrote(out, sizeof(*out), pc);
		rt_libc_wrote(out_left, sizeof(*out_left), pc);
	}
}

WRAP(size_t, iconv,
     (iconv_t conversion, char **restrict in, size_t *restrict in_left, char **restrict out,
      size_t *restrict out_left),
     (conversion, in, in_left, out, out_left), libc_object(HIDDEN_CONVERSION, conversion, true, PC);
     READS_OBJECT(in); READS_OBJECT(in_left); READS_OBJECT(out); READS_OBJECT(out_left);
     char *in_start = in ? *in : NULL; char *out_start = out ? *out : NULL;
     ROOM(out_start, out_start ? 1 : 0),
     converted(in_start, in, in_left, out_start, out, out_left, PC))
