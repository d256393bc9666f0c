/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of libc that read or write memory of the program: their ranges are accesses.
 * New mappings and unmapped ones have their shadow cleared.
 */
#include "run/object.h"
#include "run/place.h"
#include "run/real.h"
#include "run/run.h"
#include "run/shadow.h"

#define READS(p, n) access_range(t, (uintptr_t)(p), (n), 0, pc)
#define WRITES(p, n) access_range(t, (uintptr_t)(p), (n), CELL_WRITE, pc)

static void *copied(void *to, const void *from, size_t n, uintptr_t pc)
{
	struct thr *t = run_self;
	if (t && n) {
		READS(from, n);
		WRITES(to, n);
	}
	return REAL_FN(memmove)(to, from, n);
}

static void *set(void *to, int c, size_t n, uintptr_t pc)
{
	struct thr *t = run_self;
	if (t && n)
		WRITES(to, n);
	return REAL_FN(memset)(to, c, n);
}

RUN_EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	return copied(to, from, n, PLACE);
}

RUN_EXPORT void *memmove(void *to, const void *from, size_t n)
{
	return copied(to, from, n, PLACE);
}

RUN_EXPORT void *memset(void *to, int c, size_t n)
{
	return set(to, c, n, PLACE);
}

/* With fortification; libc ends the program if the room is too small. */
RUN_EXPORT void *__memcpy_chk(void *restrict to, const void *restrict from, size_t n, size_t room)
{
	return n > room ? REAL_FN(__memcpy_chk)(to, from, n, room) : copied(to, from, n, PLACE);
}

RUN_EXPORT void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
	return n > room ? REAL_FN(__memmove_chk)(to, from, n, room) : copied(to, from, n, PLACE);
}

RUN_EXPORT void *__memset_chk(void *to, int c, size_t n, size_t room)
{
	return n > room ? REAL_FN(__memset_chk)(to, c, n, room) : set(to, c, n, PLACE);
}

RUN_EXPORT void *__tsan_memcpy(void *to, const void *from, size_t n);
RUN_EXPORT void *__tsan_memcpy(void *to, const void *from, size_t n)
{
	return copied(to, from, n, PLACE);
}

RUN_EXPORT void *__tsan_memmove(void *to, const void *from, size_t n);
RUN_EXPORT void *__tsan_memmove(void *to, const void *from, size_t n)
{
	return copied(to, from, n, PLACE);
}

RUN_EXPORT void *__tsan_memset(void *to, int c, size_t n);
RUN_EXPORT void *__tsan_memset(void *to, int c, size_t n)
{
	return set(to, c, n, PLACE);
}

RUN_EXPORT int memcmp(const void *a, const void *b, size_t n)
{
	struct thr *t = run_self;
	int result = REAL_FN(memcmp)(a, b, n);
	if (t && n) {
		uintptr_t pc = PLACE;
		size_t read = 0; /* as far as they are equal */
		while (read < n && ((const char *)a)[read] == ((const char *)b)[read])
			read++;
		read += read < n;
		READS(a, read);
		READS(b, read);
	}
	return result;
}

RUN_EXPORT void *memchr(const void *p, int c, size_t n)
{
	struct thr *t = run_self;
	void *found = REAL_FN(memchr)(p, c, n);
	uintptr_t pc = PLACE;
	if (t && n)
		READS(p, found ? (size_t)((char *)found - (const char *)p) + 1 : n);
	return found;
}

RUN_EXPORT size_t strlen(const char *s)
{
	struct thr *t = run_self;
	size_t n = REAL_FN(strlen)(s);
	uintptr_t pc = PLACE;
	if (t)
		READS(s, n + 1);
	return n;
}

RUN_EXPORT size_t strnlen(const char *s, size_t max)
{
	struct thr *t = run_self;
	size_t n = REAL_FN(strnlen)(s, max);
	uintptr_t pc = PLACE;
	if (t && max)
		READS(s, n < max ? n + 1 : n);
	return n;
}

#define COPY_BY(name, parameters, arguments)                  \
	RUN_EXPORT char *name parameters                      \
	{                                                     \
		struct thr *t = run_self;                     \
		uintptr_t pc = PLACE;                         \
		if (t) {                                      \
			size_t n = REAL_FN(strlen)(from) + 1; \
			READS(from, n);                       \
			WRITES(to, n);                        \
		}                                             \
		return REAL_FN(name) arguments;               \
	}
#define TO_FROM char *restrict to, const char *restrict from

COPY_BY(strcpy, (TO_FROM), (to, from))
COPY_BY(stpcpy, (TO_FROM), (to, from))
COPY_BY(__strcpy_chk, (TO_FROM, size_t room), (to, from, room))
COPY_BY(__stpcpy_chk, (TO_FROM, size_t room), (to, from, room))

static void copied_padded(struct thr *t, const char *to, const char *from, size_t max, uintptr_t pc)
{
	if (!t || !max)
		return;
	size_t n = REAL_FN(strnlen)(from, max);
	READS(from, n < max ? n + 1 : n);
	WRITES(to, max);
}

RUN_EXPORT char *strncpy(TO_FROM, size_t max)
{
	copied_padded(run_self, to, from, max, PLACE);
	return REAL_FN(strncpy)(to, from, max);
}

RUN_EXPORT char *__strncpy_chk(TO_FROM, size_t max, size_t room)
{
	copied_padded(run_self, to, from, max, PLACE);
	return REAL_FN(__strncpy_chk)(to, from, max, room);
}

/* `n` bytes of `from` without its end, which is read unless they are `max` already. */
static void appended(struct thr *t, const char *to, const char *from, size_t n, size_t max,
		     uintptr_t pc)
{
	size_t old = REAL_FN(strlen)(to);
	if (max)
		READS(from, n < max ? n + 1 : n);
	READS(to, old + 1);
	WRITES(to + old, n + 1);
}

RUN_EXPORT char *strcat(char *to, const char *from)
{
	if (run_self)
		appended(run_self, to, from, REAL_FN(strlen)(from), SIZE_MAX, PLACE);
	return REAL_FN(strcat)(to, from);
}

RUN_EXPORT char *strncat(char *to, const char *from, size_t max)
{
	if (run_self)
		appended(run_self, to, from, REAL_FN(strnlen)(from, max), max, PLACE);
	return REAL_FN(strncat)(to, from, max);
}

RUN_EXPORT char *__strcat_chk(TO_FROM, size_t room)
{
	if (run_self)
		appended(run_self, to, from, REAL_FN(strlen)(from), SIZE_MAX, PLACE);
	return REAL_FN(__strcat_chk)(to, from, room);
}

RUN_EXPORT char *__strncat_chk(TO_FROM, size_t max, size_t room)
{
	if (run_self)
		appended(run_self, to, from, REAL_FN(strnlen)(from, max), max, PLACE);
	return REAL_FN(__strncat_chk)(to, from, max, room);
}

/* What a comparison has read: up to the first difference or the end. */
static void compared(struct thr *t, const char *a, const char *b, size_t max, uintptr_t pc)
{
	size_t n = 0;
	while (n < max && a[n] && a[n] == b[n])
		n++;
	n += n < max;
	if (n) {
		READS(a, n);
		READS(b, n);
	}
}

/* `arguments` are the parameters' names in parentheses. */
#define COMPARE_BY(name, parameters, arguments, max)          \
	RUN_EXPORT int name parameters                        \
	{                                                     \
		if (run_self)                                 \
			compared(run_self, a, b, max, PLACE); \
		return REAL_FN(name) arguments;               \
	}

COMPARE_BY(strcmp, (const char *a, const char *b), (a, b), SIZE_MAX)
COMPARE_BY(strncmp, (const char *a, const char *b, size_t n), (a, b, n), n)
COMPARE_BY(strcasecmp, (const char *a, const char *b), (a, b), SIZE_MAX)
COMPARE_BY(strncasecmp, (const char *a, const char *b, size_t n), (a, b, n), n)

RUN_EXPORT char *strchr(const char *s, int c)
{
	struct thr *t = run_self;
	char *found = REAL_FN(strchr)(s, c);
	uintptr_t pc = PLACE;
	if (t)
		READS(s, found ? (size_t)(found - s) + 1 : REAL_FN(strlen)(s) + 1);
	return found;
}

RUN_EXPORT char *strrchr(const char *s, int c)
{
	struct thr *t = run_self;
	uintptr_t pc = PLACE;
	if (t)
		READS(s, REAL_FN(strlen)(s) + 1);
	return REAL_FN(strrchr)(s, c);
}

RUN_EXPORT char *strstr(const char *s, const char *part)
{
	struct thr *t = run_self;
	uintptr_t pc = PLACE;
	if (t) {
		READS(s, REAL_FN(strlen)(s) + 1);
		READS(part, REAL_FN(strlen)(part) + 1);
	}
	return REAL_FN(strstr)(s, part);
}

/* ---- mappings ---- */

static void *mapped(void *p, size_t size)
{
	if (run_self && p != MAP_FAILED)
		shadow_clear((uintptr_t)p, size);
	return p;
}

RUN_EXPORT void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return mapped(REAL_FN(mmap)(at, size, protection, flags, fd, offset), size);
}

RUN_EXPORT void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
	return mapped(REAL_FN(mmap64)(at, size, protection, flags, fd, offset), size);
}

RUN_EXPORT int munmap(void *p, size_t size)
{
	if (run_self) {
		shadow_clear((uintptr_t)p, size);
		object_remove((uintptr_t)p, size);
	}
	return REAL_FN(munmap)(p, size);
}
