/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Further functions of libc that read or write memory of the program: text, numbers in text, time,
 * names, sorting.  What they write is recorded after the call, when its size is known.
 */
#include "run/channel.h"
#include "run/descriptor.h"
#include "run/format.h"
#include "run/place.h"
#include "run/real.h"
#include "run/run.h"
#include "run/shadow.h"

#define READS(p, n) access_range(t, (uintptr_t)(p), (n), 0, pc)
#define WRITES(p, n) access_range(t, (uintptr_t)(p), (n), CELL_WRITE, pc)
#define SIZE(s) (REAL_FN(strlen)(s) + 1)

/*
 * A function with what it accesses before and after the real one, whose result is `got`;
 * `arguments` are the parameters' names in parentheses.
 */
#define WRAP(type, name, parameters, arguments, before, after) \
	RUN_EXPORT type name parameters                        \
	{                                                      \
		struct thr *t = run_self;                      \
		uintptr_t pc = PLACE;                          \
		if (t) {                                       \
			before;                                \
		}                                              \
		type got = REAL_FN(name) arguments;            \
		if (t) {                                       \
			after;                                 \
		}                                              \
		return got;                                    \
	}
#define NOTHING (void)0
#define IF(condition, access) ((condition) ? (void)(access) : (void)0)

/* ---- printing ---- */

/* `...` of a function that prints becomes a call of the one with a list, named v. */
#define PRINT(name, parameters, v, arguments, last)     \
	RUN_EXPORT int name parameters                  \
	{                                               \
		struct thr *t = run_self;               \
		uintptr_t pc = PLACE;                   \
		va_list ap;                             \
		va_start(ap, last);                     \
		if (t)                                  \
			format_access(t, last, ap, pc); \
		int got = REAL_FN(v) arguments;         \
		va_end(ap);                             \
		PRINTED;                                \
		return got;                             \
	}

#define PRINTED                    \
	if (t && got >= 0 && room) \
	WRITES(to, (size_t)got < room ? (size_t)got + 1 : room)
PRINT(snprintf, (char *restrict to, size_t room, const char *restrict format, ...), vsnprintf,
      (to, room, format, ap), format)
RUN_EXPORT int vsnprintf(char *restrict to, size_t room, const char *restrict format, va_list ap)
{
	struct thr *t = run_self;
	uintptr_t pc = PLACE;
	if (t)
		format_access(t, format, ap, pc);
	int got = REAL_FN(vsnprintf)(to, room, format, ap);
	PRINTED;
	return got;
}
PRINT(__snprintf_chk,
      (char *restrict to, size_t room, int flag, size_t size, const char *restrict format, ...),
      __vsnprintf_chk, (to, room, flag, size, format, ap), format)
RUN_EXPORT int __vsnprintf_chk(char *restrict to, size_t room, int flag, size_t size,
			       const char *restrict format, va_list ap)
{
	struct thr *t = run_self;
	uintptr_t pc = PLACE;
	if (t)
		format_access(t, format, ap, pc);
	int got = REAL_FN(__vsnprintf_chk)(to, room, flag, size, format, ap);
	PRINTED;
	return got;
}
#undef PRINTED
#define PRINTED            \
	if (t && got >= 0) \
	WRITES(to, (size_t)got + 1)
PRINT(__sprintf_chk, (char *restrict to, int flag, size_t size, const char *restrict format, ...),
      __vsprintf_chk, (to, flag, size, format, ap), format)
RUN_EXPORT int __vsprintf_chk(char *restrict to, int flag, size_t size, const char *restrict format,
			      va_list ap)
{
	struct thr *t = run_self;
	uintptr_t pc = PLACE;
	if (t)
		format_access(t, format, ap, pc);
	int got = REAL_FN(__vsprintf_chk)(to, flag, size, format, ap);
	PRINTED;
	return got;
}
PRINT(sprintf, (char *restrict to, const char *restrict format, ...), vsprintf, (to, format, ap),
      format)
RUN_EXPORT int vsprintf(char *restrict to, const char *restrict format, va_list ap)
{
	struct thr *t = run_self;
	uintptr_t pc = PLACE;
	if (t)
		format_access(t, format, ap, pc);
	int got = REAL_FN(vsprintf)(to, format, ap);
	PRINTED;
	return got;
}
#undef PRINTED
#define PRINTED            \
	if (t && got >= 0) \
	WRITES(to, sizeof(*to))
PRINT(asprintf, (char **restrict to, const char *restrict format, ...), vasprintf, (to, format, ap),
      format)

RUN_EXPORT int vdprintf(int fd, const char *restrict format, va_list ap)
{
	struct thr *t = run_self;
	uintptr_t pc = PLACE;
	if (t) {
		format_access(t, format, ap, pc);
		descriptor_write(t, fd, NULL, 0, pc);
	}
	return REAL_FN(vdprintf)(fd, format, ap);
}

RUN_EXPORT int dprintf(int fd, const char *restrict format, ...)
{
	struct thr *t = run_self;
	uintptr_t pc = PLACE;
	va_list ap;
	va_start(ap, format);
	if (t) {
		format_access(t, format, ap, pc);
		descriptor_write(t, fd, NULL, 0, pc);
	}
	int got = REAL_FN(vdprintf)(fd, format, ap);
	va_end(ap);
	return got;
}

RUN_EXPORT int vasprintf(char **restrict to, const char *restrict format, va_list ap)
{
	struct thr *t = run_self;
	uintptr_t pc = PLACE;
	if (t)
		format_access(t, format, ap, pc);
	int got = REAL_FN(vasprintf)(to, format, ap);
	PRINTED;
	return got;
}

WRAP(int, __isoc99_vsscanf, (const char *restrict from, const char *restrict format, va_list ap),
     (from, format, ap), READS(from, SIZE(from));
     READS(format, SIZE(format)), NOTHING)

RUN_EXPORT int __isoc99_sscanf(const char *restrict from, const char *restrict format, ...);
RUN_EXPORT int __isoc99_sscanf(const char *restrict from, const char *restrict format, ...)
{
	struct thr *t = run_self;
	uintptr_t pc = PLACE;
	if (t) {
		READS(from, SIZE(from));
		READS(format, SIZE(format));
	}
	va_list ap;
	va_start(ap, format);
	int got = REAL_FN(__isoc99_vsscanf)(from, format, ap);
	va_end(ap);
	return got;
}

/* ---- numbers in text: read up to the first byte that is no part of it ---- */

#define NUMBER_OF(type, name, real, parameters, arguments, end) \
	RUN_EXPORT type name parameters                         \
	{                                                       \
		struct thr *t = run_self;                       \
		uintptr_t pc = PLACE;                           \
		char *at;                                       \
		type got = (type)REAL_FN(real) arguments;       \
		if (t)                                          \
			READS(text, (size_t)(at - text) + 1);   \
		if (t && (end))                                 \
			WRITES((end), sizeof(char *));          \
		if (end)                                        \
			*(char **)(end) = at;                   \
		return got;                                     \
	}
#define TEXT (const char *text)
#define TEXT_END (const char *restrict text, char **restrict end)
#define TEXT_BASE (const char *restrict text, char **restrict end, int base)
#define NO_END ((char **)0)

NUMBER_OF(int, atoi, strtol, TEXT, (text, &at, 10), NO_END)
NUMBER_OF(long, atol, strtol, TEXT, (text, &at, 10), NO_END)
NUMBER_OF(long long, atoll, strtoll, TEXT, (text, &at, 10), NO_END)
NUMBER_OF(double, atof, strtod, TEXT, (text, &at), NO_END)
NUMBER_OF(long, strtol, strtol, TEXT_BASE, (text, &at, base), end)
NUMBER_OF(long long, strtoll, strtoll, TEXT_BASE, (text, &at, base), end)
NUMBER_OF(unsigned long, strtoul, strtoul, TEXT_BASE, (text, &at, base), end)
NUMBER_OF(unsigned long long, strtoull, strtoull, TEXT_BASE, (text, &at, base), end)
NUMBER_OF(double, strtod, strtod, TEXT_END, (text, &at), end)

/* ---- text ---- */

RUN_EXPORT void bzero(void *to, size_t n)
{
	struct thr *t = run_self;
	uintptr_t pc = PLACE;
	if (t && n)
		WRITES(to, n);
	REAL_FN(memset)(to, 0, n);
}

WRAP(char *, strdup, (const char *s), (s), READS(s, SIZE(s)), NOTHING)
WRAP(size_t, strcspn, (const char *s, const char *set), (s, set), READS(set, SIZE(set)),
     READS(s, got + 1))
WRAP(size_t, strspn, (const char *s, const char *set), (s, set), READS(set, SIZE(set)),
     READS(s, got + 1))
WRAP(char *, strpbrk, (const char *s, const char *set), (s, set), READS(set, SIZE(set)),
     READS(s, got ? (size_t)(got - s) + 1 : SIZE(s)))
WRAP(char *, strtok, (char *restrict s, const char *restrict set), (s, set), READS(set, SIZE(set));
     IF(s, READS(s, SIZE(s))), IF(got, WRITES(got + REAL_FN(strlen)(got), 1)))
WRAP(char *, strtok_r, (char *restrict s, const char *restrict set, char **restrict next),
     (s, set, next), READS(set, SIZE(set));
     IF(s, READS(s, SIZE(s))), WRITES(next, sizeof(*next));
     IF(got, WRITES(got + REAL_FN(strlen)(got), 1)))
WRAP(size_t, wcslen, (const wchar_t *s), (s), NOTHING, READS(s, (got + 1) * sizeof(*s)))
WRAP(wchar_t *, wcscpy, (wchar_t *restrict to, const wchar_t *restrict from), (to, from), NOTHING,
     size_t n = (REAL_FN(wcslen)(from) + 1) * sizeof(*to);
     READS(from, n); WRITES(to, n))

/* ---- time ---- */

WRAP(int, clock_gettime, (clockid_t clock, struct timespec *to), (clock, to), NOTHING,
     IF(!got, WRITES(to, sizeof(*to))))
WRAP(int, gettimeofday, (struct timeval *restrict to, void *restrict zone), (to, zone), NOTHING,
     IF(!got && to, WRITES(to, sizeof(*to))))
WRAP(time_t, time, (time_t * to), (to), NOTHING, IF(to, WRITES(to, sizeof(*to))))
#define BROKEN_DOWN(name)                                                                 \
	WRAP(struct tm *, name, (const time_t *from), (from), READS(from, sizeof(*from)), \
	     IF(got, WRITES(got, sizeof(*got))))
BROKEN_DOWN(localtime)
BROKEN_DOWN(gmtime)
#define BROKEN_DOWN_TO(name)                                                                       \
	WRAP(struct tm *, name, (const time_t *restrict from, struct tm *restrict to), (from, to), \
	     READS(from, sizeof(*from)), IF(got, WRITES(to, sizeof(*to))))
BROKEN_DOWN_TO(localtime_r)
BROKEN_DOWN_TO(gmtime_r)
WRAP(time_t, mktime, (struct tm * from), (from), NOTHING, WRITES(from, sizeof(*from)))
WRAP(char *, ctime, (const time_t *from), (from), READS(from, sizeof(*from)),
     IF(got, WRITES(got, SIZE(got))))
WRAP(char *, asctime, (const struct tm *from), (from), READS(from, sizeof(*from)),
     IF(got, WRITES(got, SIZE(got))))

/* ---- names and addresses ---- */

WRAP(char *, getcwd, (char *to, size_t room), (to, room), NOTHING, IF(got, WRITES(got, SIZE(got))))
WRAP(const char *, inet_ntop,
     (int family, const void *restrict from, char *restrict to, socklen_t room),
     (family, from, to, room), READS(from, family == AF_INET ? 4 : 16),
     IF(got, WRITES(to, SIZE(to))))
WRAP(int, inet_pton, (int family, const char *restrict from, void *restrict to), (family, from, to),
     READS(from, SIZE(from)), IF(got == 1, WRITES(to, family == AF_INET ? 4 : 16)))

/* ---- sorting ---- */

RUN_EXPORT void qsort(void *at, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	struct thr *t = run_self;
	uintptr_t pc = PLACE;
	if (t && n && size)
		WRITES(at, n * size);
	REAL_FN(qsort)(at, n, size, compare);
}
