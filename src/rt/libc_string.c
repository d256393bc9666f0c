/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings: what libc_mem.c is for memory.  A string is examined with its terminator, a comparison up to the
 * first difference, a search up to the hit.  Functions that only copy or compare are done by loops of our own
 * (a fault is then charged to the caller); those that depend on the locale or allocate are left to libc.
 */
#include "rt/libc_wrap.h"

static size_t bounded_length(const char *s, size_t n)
{
	size_t i = 0;
	while (i < n && s[i])
		i++;
	return i;
}

static void put(char *to, const char *from, size_t n, pc_t pc)
{
	libc_will_write(to, n, pc);
	rt_memcpy(to, from, n);
	rt_libc_wrote(to, n, pc);
}

/* ---- lengths ---- */

RT_EXPORT size_t strlen(const char *s)
{
	if (!libc_enter(PC))
		return likely(real_strlen != NULL) ? real_strlen(s) : rt_strlen(s);
	size_t n = rt_strlen(s);
	rt_libc_read(s, n + 1, PC);
	return n;
}

RT_EXPORT size_t strnlen(const char *s, size_t max)
{
	if (!libc_enter(PC))
		return REAL_FN(strnlen)(s, max);
	size_t n = bounded_length(s, max);
	rt_libc_read(s, n < max ? n + 1 : n, PC);
	return n;
}

/* ---- copies ---- */

static size_t copy_string(char *to, const char *from, pc_t pc)
{
	size_t n = rt_strlen(from);
	rt_libc_read(from, n + 1, pc);
	put(to, from, n + 1, pc);
	return n;
}

/*
 * strncpy: exactly n bytes are written, zero after the end of the string.  Gives the bytes before the
 * terminator.
 */
static size_t copy_padded(char *to, const char *from, size_t n, pc_t pc)
{
	size_t len = bounded_length(from, n);
	rt_libc_read(from, len < n ? len + 1 : n, pc);
	libc_will_write(to, n, pc);
	rt_memcpy(to, from, len);
	rt_memset(to + len, 0, n - len);
	rt_libc_wrote(to, n, pc);
	return len;
}

static void append(char *to, const char *from, size_t max, pc_t pc)
{
	size_t at = rt_strlen(to), n = bounded_length(from, max);
	rt_libc_read(to, at + 1, pc);
	rt_libc_read(from, n < max ? n + 1 : n, pc);
	libc_will_write(to + at, n + 1, pc);
	rt_memcpy(to + at, from, n);
	to[at + n] = 0;
	rt_libc_wrote(to + at, n + 1, pc);
}

RT_EXPORT char *strcpy(char *restrict to, const char *restrict from)
{
	if (!libc_enter(PC))
		return REAL_FN(strcpy)(to, from);
	copy_string(to, from, PC);
	return to;
}

RT_EXPORT char *stpcpy(char *restrict to, const char *restrict from)
{
	if (!libc_enter(PC))
		return REAL_FN(stpcpy)(to, from);
	return to + copy_string(to, from, PC);
}

extern __typeof__(stpcpy) __stpcpy LIBC_ALIAS(stpcpy);

RT_EXPORT char *strncpy(char *restrict to, const char *restrict from, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(strncpy)(to, from, n);
	copy_padded(to, from, n, PC);
	return to;
}

RT_EXPORT char *stpncpy(char *restrict to, const char *restrict from, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(stpncpy)(to, from, n);
	return to + copy_padded(to, from, n, PC);
}

RT_EXPORT char *strcat(char *restrict to, const char *restrict from)
{
	if (!libc_enter(PC))
		return REAL_FN(strcat)(to, from);
	append(to, from, SIZE_MAX, PC);
	return to;
}

RT_EXPORT char *strncat(char *restrict to, const char *restrict from, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(strncat)(to, from, n);
	append(to, from, n, PC);
	return to;
}

/* ---- fortified copies: libc ends the program if the room is too small ---- */

RT_EXPORT char *__strcpy_chk(char *to, const char *from, size_t room)
{
	if (!g.active || rt_strlen(from) >= room || !libc_enter(PC))
		return REAL_FN(__strcpy_chk)(to, from, room);
	copy_string(to, from, PC);
	return to;
}

RT_EXPORT char *__stpcpy_chk(char *to, const char *from, size_t room)
{
	if (!g.active || rt_strlen(from) >= room || !libc_enter(PC))
		return REAL_FN(__stpcpy_chk)(to, from, room);
	return to + copy_string(to, from, PC);
}

RT_EXPORT char *__strncpy_chk(char *to, const char *from, size_t n, size_t room)
{
	if (n > room || !libc_enter(PC))
		return REAL_FN(__strncpy_chk)(to, from, n, room);
	copy_padded(to, from, n, PC);
	return to;
}

RT_EXPORT char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room)
{
	if (n > room || !libc_enter(PC))
		return REAL_FN(__stpncpy_chk)(to, from, n, room);
	return to + copy_padded(to, from, n, PC);
}

RT_EXPORT char *__strcat_chk(char *to, const char *from, size_t room)
{
	if (!g.active || rt_strlen(to) + rt_strlen(from) >= room || !libc_enter(PC))
		return REAL_FN(__strcat_chk)(to, from, room);
	append(to, from, SIZE_MAX, PC);
	return to;
}

RT_EXPORT char *__strncat_chk(char *to, const char *from, size_t n, size_t room)
{
	if (!g.active || rt_strlen(to) + bounded_length(from, n) >= room || !libc_enter(PC))
		return REAL_FN(__strncat_chk)(to, from, n, room);
	append(to, from, n, PC);
	return to;
}

/* ---- comparisons ---- */

static int same(int c)
{
	return c;
}

static int compare(const char *a, const char *b, size_t max, int (*fold)(int), pc_t pc)
{
	const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
	size_t i = 0;
	while (i < max && x[i] && fold(x[i]) == fold(y[i]))
		i++;
	size_t examined = i < max ? i + 1 : max;
	rt_libc_read(a, examined, pc);
	rt_libc_read(b, examined, pc);
	return i < max ? fold(x[i]) - fold(y[i]) : 0;
}

RT_EXPORT int strcmp(const char *a, const char *b)
{
	if (!libc_enter(PC))
		return REAL_FN(strcmp)(a, b);
	return compare(a, b, SIZE_MAX, same, PC);
}

RT_EXPORT int strncmp(const char *a, const char *b, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(strncmp)(a, b, n);
	return compare(a, b, n, same, PC);
}

RT_EXPORT int strcasecmp(const char *a, const char *b)
{
	if (!libc_enter(PC))
		return REAL_FN(strcasecmp)(a, b);
	return compare(a, b, SIZE_MAX, tolower, PC);
}

RT_EXPORT int strncasecmp(const char *a, const char *b, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(strncasecmp)(a, b, n);
	return compare(a, b, n, tolower, PC);
}

RT_EXPORT int strcoll(const char *a, const char *b)
{
	if (!libc_enter(PC))
		return REAL_FN(strcoll)(a, b);
	libc_read_string(a, PC);
	libc_read_string(b, PC);
	return LIBC_CALL(REAL_FN(strcoll)(a, b));
}

RT_EXPORT int strverscmp(const char *a, const char *b)
{
	if (!libc_enter(PC))
		return REAL_FN(strverscmp)(a, b);
	libc_read_string(a, PC);
	libc_read_string(b, PC);
	return REAL_FN(strverscmp)(a, b);
}

RT_EXPORT size_t strxfrm(char *restrict to, const char *restrict from, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(strxfrm)(to, from, n);
	libc_read_string(from, PC);
	size_t need = LIBC_CALL(REAL_FN(strxfrm)(to, from, n));
	if (need < n)
		rt_libc_wrote(to, need + 1, PC);
	return need;
}

/* ---- searches ---- */

static char *find_char(const char *s, int c, pc_t pc)
{
	size_t i = 0;
	while (s[i] && s[i] != (char)c)
		i++;
	rt_libc_read(s, i + 1, pc);
	return (char *)(uintptr_t)(s + i);
}

RT_EXPORT char *strchr(const char *s, int c)
{
	if (!libc_enter(PC))
		return REAL_FN(strchr)(s, c);
	char *p = find_char(s, c, PC);
	return *p == (char)c ? p : NULL;
}

extern __typeof__(strchr) index LIBC_ALIAS(strchr);

RT_EXPORT char *strchrnul(const char *s, int c)
{
	if (!libc_enter(PC))
		return REAL_FN(strchrnul)(s, c);
	return find_char(s, c, PC);
}

RT_EXPORT char *strrchr(const char *s, int c)
{
	if (!libc_enter(PC))
		return REAL_FN(strrchr)(s, c);
	size_t n = rt_strlen(s) + 1;
	rt_libc_read(s, n, PC);
	while (n > 0 && s[n - 1] != (char)c)
		n--;
	return n ? (char *)(uintptr_t)(s + n - 1) : NULL;
}

extern __typeof__(strrchr) rindex LIBC_ALIAS(strrchr);

static bool matches(const char *s, const char *what, int (*fold)(int))
{
	while (*what && fold((unsigned char)*s) == fold((unsigned char)*what)) {
		s++;
		what++;
	}
	return !*what;
}

static char *find_string(const char *in, const char *what, int (*fold)(int), pc_t pc)
{
	libc_read_string(what, pc);
	for (const char *p = in;; p++) {
		if (matches(p, what, fold)) {
			rt_libc_read(in, (size_t)(p - in) + rt_strlen(what), pc);
			return (char *)(uintptr_t)p;
		}
		if (!*p)
			break;
	}
	libc_read_string(in, pc);
	return NULL;
}

RT_EXPORT char *strstr(const char *in, const char *what)
{
	if (!libc_enter(PC))
		return REAL_FN(strstr)(in, what);
	return find_string(in, what, same, PC);
}

RT_EXPORT char *strcasestr(const char *in, const char *what)
{
	if (!libc_enter(PC))
		return REAL_FN(strcasestr)(in, what);
	return find_string(in, what, tolower, PC);
}

static bool is_among(char c, const char *set)
{
	while (*set && *set != c)
		set++;
	return *set != 0;
}

/* Length of the prefix whose bytes are (not) among the set; reads up to the byte that ends it. */
static size_t span(const char *s, const char *set, bool wanted, pc_t pc)
{
	size_t i = 0;
	while (s[i] && is_among(s[i], set) == wanted)
		i++;
	libc_read_string(set, pc);
	rt_libc_read(s, i + 1, pc);
	return i;
}

RT_EXPORT size_t strspn(const char *s, const char *set)
{
	if (!libc_enter(PC))
		return REAL_FN(strspn)(s, set);
	return span(s, set, true, PC);
}

RT_EXPORT size_t strcspn(const char *s, const char *set)
{
	if (!libc_enter(PC))
		return REAL_FN(strcspn)(s, set);
	return span(s, set, false, PC);
}

RT_EXPORT char *strpbrk(const char *s, const char *set)
{
	if (!libc_enter(PC))
		return REAL_FN(strpbrk)(s, set);
	size_t n = span(s, set, false, PC);
	return s[n] ? (char *)(uintptr_t)(s + n) : NULL;
}
