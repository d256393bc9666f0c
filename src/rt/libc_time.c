/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calendar time: conversions and text.  The zone is an object inside libc; the forms without _r
 * answer in one static buffer, which every call writes.
 */
#include "rt/libc_wrap.h"
#include "wire/wire.h"

static struct tm *answered(struct tm *tm, pc_t pc)
{
	if (tm)
		rt_libc_wrote(tm, sizeof(*tm), pc);
	return tm;
}

static char *answered_text(char *text, pc_t pc)
{
	if (text)
		libc_wrote_string(text, pc);
	return text;
}

#define STATIC_TIME(name)                                         \
	RT_EXPORT struct tm *name(const time_t *t)                \
	{                                                         \
		if (!libc_enter(PC))                              \
			return REAL_FN(name)(t);                  \
		rt_libc_read(t, sizeof(*t), PC);                  \
		libc_hidden(HIDDEN_TIME_ZONE, true, PC);          \
		return answered(LIBC_CALL(REAL_FN(name)(t)), PC); \
	}
STATIC_TIME(localtime)
STATIC_TIME(gmtime)

#define GIVEN_TIME(name)                                                            \
	RT_EXPORT struct tm *name(const time_t *restrict t, struct tm *restrict to) \
	{                                                                           \
		if (!libc_enter(PC))                                                \
			return REAL_FN(name)(t, to);                                \
		rt_libc_read(t, sizeof(*t), PC);                                    \
		libc_will_write(to, sizeof(*to), PC);                               \
		libc_hidden(HIDDEN_TIME_ZONE, false, PC);                           \
		return answered(LIBC_CALL(REAL_FN(name)(t, to)), PC);               \
	}
GIVEN_TIME(localtime_r)
GIVEN_TIME(gmtime_r)
extern __typeof__(gmtime_r) __gmtime_r LIBC_ALIAS(gmtime_r);

RT_EXPORT char *ctime(const time_t *t)
{
	if (!libc_enter(PC))
		return REAL_FN(ctime)(t);
	rt_libc_read(t, sizeof(*t), PC);
	libc_hidden(HIDDEN_TIME_ZONE, true, PC);
	return answered_text(LIBC_CALL(REAL_FN(ctime)(t)), PC);
}

RT_EXPORT char *ctime_r(const time_t *restrict t, char *restrict to)
{
	if (!libc_enter(PC))
		return REAL_FN(ctime_r)(t, to);
	rt_libc_read(t, sizeof(*t), PC);
	libc_hidden(HIDDEN_TIME_ZONE, false, PC);
	return answered_text(LIBC_CALL(REAL_FN(ctime_r)(t, to)), PC);
}

RT_EXPORT char *asctime(const struct tm *tm)
{
	if (!libc_enter(PC))
		return REAL_FN(asctime)(tm);
	rt_libc_read(tm, sizeof(*tm), PC);
	libc_hidden(HIDDEN_TIME_ZONE, true, PC);
	return answered_text(LIBC_CALL(REAL_FN(asctime)(tm)), PC);
}

RT_EXPORT char *asctime_r(const struct tm *restrict tm, char *restrict to)
{
	if (!libc_enter(PC))
		return REAL_FN(asctime_r)(tm, to);
	rt_libc_read(tm, sizeof(*tm), PC);
	return answered_text(LIBC_CALL(REAL_FN(asctime_r)(tm, to)), PC);
}

/* Both normalise their argument. */
#define MAKE_TIME(name)                                               \
	RT_EXPORT time_t name(struct tm *tm)                          \
	{                                                             \
		if (!libc_enter(PC))                                  \
			return REAL_FN(name)(tm);                     \
		rt_libc_read(tm, offsetof(struct tm, tm_gmtoff), PC); \
		libc_hidden(HIDDEN_TIME_ZONE, true, PC);              \
		time_t t = LIBC_CALL(REAL_FN(name)(tm));              \
		answered(tm, PC);                                     \
		return t;                                             \
	}
MAKE_TIME(mktime)
MAKE_TIME(timegm)

RT_EXPORT size_t strftime(char *restrict to, size_t room, const char *restrict format,
			  const struct tm *restrict tm)
{
	if (!libc_enter(PC))
		return REAL_FN(strftime)(to, room, format, tm);
	libc_read_string(format, PC);
	rt_libc_read(tm, sizeof(*tm), PC);
	libc_will_write(to, room ? 1 : 0, PC);
	libc_hidden(HIDDEN_TIME_ZONE, false, PC);
	size_t n = LIBC_CALL(REAL_FN(strftime)(to, room, format, tm));
	if (n)
		rt_libc_wrote(to, n + 1, PC);
	return n;
}

static size_t wide_size(const wchar_t *s)
{
	size_t n = 0;
	while (s[n])
		n++;
	return (n + 1) * sizeof(*s);
}

WRAP(size_t, strftime_l,
     (char *restrict to, size_t room, const char *restrict format, const struct tm *restrict tm,
      locale_t locale),
     (to, room, format, tm, locale), READS_TEXT(format);
     READS_OBJECT(tm); ROOM(to, room ? 1 : 0);
     LOOKS_AT(TIME_ZONE), WROTE(to, result ? result + 1 : 0))
WRAP(size_t, wcsftime,
     (wchar_t *restrict to, size_t room, const wchar_t *restrict format,
      const struct tm *restrict tm),
     (to, room, format, tm), READS(format, wide_size(format));
     READS_OBJECT(tm); ROOM(to, room ? sizeof(*to) : 0);
     LOOKS_AT(TIME_ZONE), WROTE(to, result ? (result + 1) * sizeof(*to) : 0))
WRAP(size_t, wcsftime_l,
     (wchar_t *restrict to, size_t room, const wchar_t *restrict format,
      const struct tm *restrict tm, locale_t locale),
     (to, room, format, tm, locale), READS(format, wide_size(format));
     READS_OBJECT(tm); ROOM(to, room ? sizeof(*to) : 0);
     LOOKS_AT(TIME_ZONE), WROTE(to, result ? (result + 1) * sizeof(*to) : 0))
extern __typeof__(strftime_l) __strftime_l LIBC_ALIAS(strftime_l);
extern __typeof__(wcsftime_l) __wcsftime_l LIBC_ALIAS(wcsftime_l);

RT_EXPORT char *strptime(const char *restrict text, const char *restrict format,
			 struct tm *restrict tm)
{
	if (!libc_enter(PC))
		return REAL_FN(strptime)(text, format, tm);
	libc_read_string(text, PC);
	libc_read_string(format, PC);
	libc_will_write(tm, sizeof(*tm), PC);
	char *end = LIBC_CALL(REAL_FN(strptime)(text, format, tm));
	libc_wrote_if_changed(tm, sizeof(*tm), PC);
	return end;
}

RT_EXPORT void tzset(void)
{
	if (libc_enter(PC))
		libc_hidden(HIDDEN_TIME_ZONE, true, PC);
	REAL_FN(tzset)();
}
