/* SPDX-License-Identifier: Apache-2.0 */
/* Strings: what libc_mem.c is for memory.  What they share with wide strings is in libc_text.inc.
 */
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "wire/wire.h"

#define UNIT char
#define COMPARED int
#define SOUGHT int
#define VALUE(c) ((unsigned char)(c))
#define TEXT(narrow, wide) narrow
#define REAL_TEXT(narrow, wide) real_##narrow
#define REAL_FN_TEXT(narrow, wide) REAL_FN(narrow)
#define ORDER(a, b) ((a) - (b))
#define FOLD tolower
#define IS_SPACE(c) isspace((unsigned char)(c))
#include "rt/libc_text.inc"

/* Second names. */
extern __typeof__(stpcpy) __stpcpy LIBC_ALIAS(stpcpy);
extern __typeof__(strdup) __strdup LIBC_ALIAS(strdup);
extern __typeof__(strcasecmp) __strcasecmp LIBC_ALIAS(strcasecmp);
extern __typeof__(strchr) index LIBC_ALIAS(strchr);
extern __typeof__(strrchr) rindex LIBC_ALIAS(strrchr);
extern __typeof__(strtok_r) __strtok_r LIBC_ALIAS(strtok_r);
extern __typeof__(strcoll_l) __strcoll_l LIBC_ALIAS(strcoll_l);
extern __typeof__(strxfrm_l) __strxfrm_l LIBC_ALIAS(strxfrm_l);
extern __typeof__(strtol_l) __strtol_l LIBC_ALIAS(strtol_l);
extern __typeof__(strtoul_l) __strtoul_l LIBC_ALIAS(strtoul_l);
extern __typeof__(strtoll_l) __strtoll_l LIBC_ALIAS(strtoll_l);
extern __typeof__(strtoull_l) __strtoull_l LIBC_ALIAS(strtoull_l);
extern __typeof__(strtod_l) __strtod_l LIBC_ALIAS(strtod_l);
extern __typeof__(strtof_l) __strtof_l LIBC_ALIAS(strtof_l);
extern __typeof__(strtold_l) __strtold_l LIBC_ALIAS(strtold_l);

RT_EXPORT char *strcasestr(const char *in, const char *what)
{
	if (!libc_enter_pure(PC))
		return REAL_FN(strcasestr)(in, what);
	return find_string(in, what, tolower, PC);
}

WRAP(int, strverscmp, (const char *a, const char *b), (a, b), READS_TEXT(a); READS_TEXT(b), NOTHING)

/* In a locale that is given: how far they look depends on its tables, so both are read to their
 * ends. */
WRAP(int, strcasecmp_l, (const char *a, const char *b, locale_t locale), (a, b, locale),
     READS_TEXT(a);
     READS_TEXT(b), NOTHING)
WRAP(int, strncasecmp_l, (const char *a, const char *b, size_t n, locale_t locale),
     (a, b, n, locale), read_bounded(a, bounded_length(a, n), n, PC);
     read_bounded(b, bounded_length(b, n), n, PC), NOTHING)

RT_EXPORT char *strndup(const char *s, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(strndup)(s, n);
	size_t length = bounded_length(s, n);
	read_bounded(s, length, n, PC);
	char *copy = LIBC_CALL(REAL_FN(strndup)(s, n));
	if (copy)
		rt_libc_wrote(copy, length + 1, PC);
	return copy;
}

extern __typeof__(strndup) __strndup LIBC_ALIAS(strndup);

/* ---- splitting: strtok keeps its place in an object that all threads share; ours stands in for
 * libc's ---- */

static RT_STATE char *strtok_place;

RT_EXPORT char *strtok(char *restrict s, const char *restrict set)
{
	if (!libc_enter(PC))
		return REAL_FN(strtok)(s, set);
	libc_hidden(HIDDEN_STRTOK, true, PC);
	if (!s)
		s = strtok_place;
	return s ? next_token(s, set, &strtok_place, PC) : NULL;
}

RT_EXPORT char *strsep(char **restrict place, const char *restrict set)
{
	if (!libc_enter(PC))
		return REAL_FN(strsep)(place, set);
	rt_libc_read(place, sizeof(*place), PC);
	char *s = *place;
	if (!s)
		return NULL;
	libc_read_string(set, PC);
	size_t length = span_length(s, set, false);
	rt_libc_read(s, length + 1, PC);
	libc_will_write(place, sizeof(*place), PC);
	if (s[length]) {
		libc_will_write(s + length, 1, PC);
		s[length] = 0;
		rt_libc_wrote(s + length, 1, PC);
		*place = s + length + 1;
	} else {
		*place = NULL;
	}
	rt_libc_wrote(place, sizeof(*place), PC);
	return s;
}

/* One option of a list: the comma after it becomes its end, the rest of the text the next one. */
WRAP(int, getsubopt, (char **place, char *const *names, char **value), (place, names, value),
     READS(place, sizeof(*place));
     READS_TEXT(*place); libc_read_texts(names, PC); char *text = *place;
     size_t length = rt_strlen(text) + 1, WROTE(place, sizeof(*place));
     WROTE(value, sizeof(*value)); WROTE_CHANGES(text, length))

/* ---- paths and patterns ---- */

WRAP(int, fnmatch, (const char *pattern, const char *s, int flags), (pattern, s, flags),
     READS_TEXT(pattern);
     READS_TEXT(s), NOTHING)
WRAP(char *, basename, (const char *path), (path), READS_TEXT(path), NOTHING)

/* The last part of a path, or all but it, in place. */
WRAP(char *, __xpg_basename, (char *path), (path), READS_TEXT(path);
     size_t n = path ? rt_strlen(path) + 1 : 0, WROTE_CHANGES(path, n))
WRAP(char *, dirname, (char *path), (path), READS_TEXT(path);
     size_t n = path ? rt_strlen(path) + 1 : 0, WROTE_CHANGES(path, n))

/* ---- numbers ---- */

#define SIMPLE(name, type, convert)                \
	RT_EXPORT type name(const char *s)         \
	{                                          \
		if (!libc_enter(PC))               \
			return REAL_FN(name)(s);   \
		char *end;                         \
		type v = (type)LIBC_CALL(convert); \
		examined(s, end, PC);              \
		return v;                          \
	}
SIMPLE(atoi, int, REAL_FN(strtol)(s, &end, 10))
SIMPLE(atol, long, REAL_FN(strtol)(s, &end, 10))
SIMPLE(atoll, long long, REAL_FN(strtoll)(s, &end, 10))
SIMPLE(atof, double, REAL_FN(strtod)(s, &end))
