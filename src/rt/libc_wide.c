/* SPDX-License-Identifier: Apache-2.0 */
/* Wide characters: the memory and string functions that programs commonly use, and the conversions. */
#include "rt/libc_wrap.h"

static size_t length_of(const wchar_t *s, size_t max)
{
	size_t i = 0;
	while (i < max && s[i])
		i++;
	return i;
}

static void read_wide(const wchar_t *s, size_t n, pc_t pc)
{
	rt_libc_read(s, n * sizeof(*s), pc);
}

static void copy(wchar_t *to, const wchar_t *from, size_t n, pc_t pc)
{
	libc_will_write(to, n * sizeof(*to), pc);
	REAL_FN(memmove)(to, from, n * sizeof(*to));
	rt_libc_wrote(to, n * sizeof(*to), pc);
}

RT_EXPORT size_t wcslen(const wchar_t *s)
{
	if (!libc_enter(PC))
		return REAL_FN(wcslen)(s);
	size_t n = length_of(s, SIZE_MAX);
	read_wide(s, n + 1, PC);
	return n;
}

RT_EXPORT size_t wcsnlen(const wchar_t *s, size_t max)
{
	if (!libc_enter(PC))
		return REAL_FN(wcsnlen)(s, max);
	size_t n = length_of(s, max);
	read_wide(s, n < max ? n + 1 : n, PC);
	return n;
}

RT_EXPORT wchar_t *wcscpy(wchar_t *restrict to, const wchar_t *restrict from)
{
	if (!libc_enter(PC))
		return REAL_FN(wcscpy)(to, from);
	size_t n = length_of(from, SIZE_MAX) + 1;
	read_wide(from, n, PC);
	copy(to, from, n, PC);
	return to;
}

RT_EXPORT wchar_t *wcsncpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(wcsncpy)(to, from, n);
	size_t length = length_of(from, n);
	read_wide(from, length < n ? length + 1 : n, PC);
	libc_will_write(to, n * sizeof(*to), PC);
	REAL_FN(wcsncpy)(to, from, n);
	rt_libc_wrote(to, n * sizeof(*to), PC);
	return to;
}

RT_EXPORT wchar_t *wcscat(wchar_t *restrict to, const wchar_t *restrict from)
{
	if (!libc_enter(PC))
		return REAL_FN(wcscat)(to, from);
	size_t at = length_of(to, SIZE_MAX), n = length_of(from, SIZE_MAX) + 1;
	read_wide(to, at + 1, PC);
	read_wide(from, n, PC);
	copy(to + at, from, n, PC);
	return to;
}

static int compare(const wchar_t *a, const wchar_t *b, size_t max, bool stops, pc_t pc)
{
	size_t i = 0;
	while (i < max && a[i] == b[i] && (a[i] || !stops))
		i++;
	size_t examined = i < max ? i + 1 : max;
	read_wide(a, examined, pc);
	read_wide(b, examined, pc);
	return i == max || a[i] == b[i] ? 0 : a[i] < b[i] ? -1 : 1;
}

RT_EXPORT int wcscmp(const wchar_t *a, const wchar_t *b)
{
	if (!libc_enter(PC))
		return REAL_FN(wcscmp)(a, b);
	return compare(a, b, SIZE_MAX, true, PC);
}

RT_EXPORT int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(wcsncmp)(a, b, n);
	return compare(a, b, n, true, PC);
}

RT_EXPORT wchar_t *wcschr(const wchar_t *s, wchar_t c)
{
	if (!libc_enter(PC))
		return REAL_FN(wcschr)(s, c);
	size_t i = 0;
	while (s[i] && s[i] != c)
		i++;
	read_wide(s, i + 1, PC);
	return s[i] == c ? (wchar_t *)(uintptr_t)(s + i) : NULL;
}

RT_EXPORT wchar_t *wcsrchr(const wchar_t *s, wchar_t c)
{
	if (!libc_enter(PC))
		return REAL_FN(wcsrchr)(s, c);
	read_wide(s, length_of(s, SIZE_MAX) + 1, PC);
	return REAL_FN(wcsrchr)(s, c);
}

RT_EXPORT wchar_t *wcsstr(const wchar_t *in, const wchar_t *what)
{
	if (!libc_enter(PC))
		return REAL_FN(wcsstr)(in, what);
	size_t size = length_of(what, SIZE_MAX);
	read_wide(what, size + 1, PC);
	wchar_t *hit = REAL_FN(wcsstr)(in, what);
	read_wide(in, hit ? (size_t)(hit - in) + size : length_of(in, SIZE_MAX) + 1, PC);
	return hit;
}

RT_EXPORT wchar_t *wcsdup(const wchar_t *s)
{
	if (!libc_enter(PC))
		return REAL_FN(wcsdup)(s);
	size_t n = length_of(s, SIZE_MAX) + 1;
	read_wide(s, n, PC);
	wchar_t *twin = LIBC_CALL(REAL_FN(wcsdup)(s));
	if (twin)
		rt_libc_wrote(twin, n * sizeof(*s), PC);
	return twin;
}

RT_EXPORT wchar_t *wmemcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(wmemcpy)(to, from, n);
	read_wide(from, n, PC);
	copy(to, from, n, PC);
	return to;
}

RT_EXPORT wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(wmemmove)(to, from, n);
	read_wide(from, n, PC);
	copy(to, from, n, PC);
	return to;
}

RT_EXPORT wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(wmemset)(to, c, n);
	libc_will_write(to, n * sizeof(*to), PC);
	REAL_FN(wmemset)(to, c, n);
	rt_libc_wrote(to, n * sizeof(*to), PC);
	return to;
}

RT_EXPORT int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(wmemcmp)(a, b, n);
	return compare(a, b, n, false, PC);
}

RT_EXPORT wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(wmemchr)(s, c, n);
	wchar_t *hit = REAL_FN(wmemchr)(s, c, n);
	read_wide(s, hit ? (size_t)(hit - s) + 1 : n, PC);
	return hit;
}

RT_EXPORT size_t mbstowcs(wchar_t *restrict to, const char *restrict from, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(mbstowcs)(to, from, n);
	libc_read_string(from, PC);
	size_t made = LIBC_CALL(REAL_FN(mbstowcs)(to, from, n));
	if (to && made != SIZE_MAX)
		rt_libc_wrote(to, (made < n ? made + 1 : n) * sizeof(*to), PC);
	return made;
}

RT_EXPORT size_t wcstombs(char *restrict to, const wchar_t *restrict from, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(wcstombs)(to, from, n);
	read_wide(from, length_of(from, SIZE_MAX) + 1, PC);
	size_t made = LIBC_CALL(REAL_FN(wcstombs)(to, from, n));
	if (to && made != SIZE_MAX)
		rt_libc_wrote(to, made < n ? made + 1 : n, PC);
	return made;
}
