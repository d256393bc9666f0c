/* SPDX-License-Identifier: Apache-2.0 */
/* Wide characters: strings (what they share with others is in libc_text.inc) and memory. */
#include "rt/libc_wrap.h"

#define UNIT wchar_t
#define COMPARED wint_t
#define SOUGHT wchar_t
#define VALUE(c) ((wint_t)(c))
#define TEXT(narrow, wide) wide
#define REAL_TEXT(narrow, wide) real_##wide
#define REAL_FN_TEXT(narrow, wide) REAL_FN(wide)
#define ORDER(a, b) (((wchar_t)(a) > (wchar_t)(b)) - ((wchar_t)(a) < (wchar_t)(b)))
#define FOLD towlower
#define IS_SPACE(c) iswspace((wint_t)(c))
#include "rt/libc_text.inc"

extern __typeof__(wcscoll_l) __wcscoll_l LIBC_ALIAS(wcscoll_l);
extern __typeof__(wcsxfrm_l) __wcsxfrm_l LIBC_ALIAS(wcsxfrm_l);

/* ---- memory ---- */

static wchar_t *copy_units(wchar_t *to, const wchar_t *from, size_t n, pc_t pc)
{
	read_units(from, n, pc);
	libc_will_write(to, n * sizeof(*to), pc);
	REAL_FN(memmove)(to, from, n * sizeof(*to));
	wrote_units(to, n, pc);
	return to;
}

static wchar_t *fill_units(wchar_t *to, wchar_t c, size_t n, pc_t pc)
{
	libc_will_write(to, n * sizeof(*to), pc);
	for (size_t i = 0; i < n; i++)
		to[i] = c;
	wrote_units(to, n, pc);
	return to;
}

#define COPY(name, result)                                                                    \
	RT_EXPORT wchar_t *name(wchar_t *restrict to, const wchar_t *restrict from, size_t n) \
	{                                                                                     \
		if (!libc_enter_pure(PC))                                                     \
			return REAL_FN(name)(to, from, n);                                    \
		copy_units(to, from, n, PC);                                                  \
		return result;                                                                \
	}
#define COPY_CHECKED(name, result)                                                            \
	RT_EXPORT wchar_t *name(wchar_t *restrict to, const wchar_t *restrict from, size_t n, \
				size_t room)                                                  \
	{                                                                                     \
		if (n > room || !libc_enter_pure(PC))                                         \
			return REAL_FN(name)(to, from, n, room);                              \
		copy_units(to, from, n, PC);                                                  \
		return result;                                                                \
	}
COPY(wmemcpy, to)
COPY(wmemmove, to)
COPY(wmempcpy, to + n)
COPY_CHECKED(__wmemcpy_chk, to)
COPY_CHECKED(__wmemmove_chk, to)
COPY_CHECKED(__wmempcpy_chk, to + n)

RT_EXPORT wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n)
{
	if (!libc_enter_pure(PC))
		return REAL_FN(wmemset)(to, c, n);
	return fill_units(to, c, n, PC);
}

RT_EXPORT wchar_t *__wmemset_chk(wchar_t *to, wchar_t c, size_t n, size_t room)
{
	if (n > room || !libc_enter_pure(PC))
		return REAL_FN(__wmemset_chk)(to, c, n, room);
	return fill_units(to, c, n, PC);
}

RT_EXPORT int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	if (!libc_enter_pure(PC))
		return REAL_FN(wmemcmp)(a, b, n);
	size_t i = 0;
	while (i < n && a[i] == b[i])
		i++;
	read_units(a, i < n ? i + 1 : n, PC);
	read_units(b, i < n ? i + 1 : n, PC);
	return i < n ? ORDER(a[i], b[i]) : 0;
}

RT_EXPORT wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n)
{
	if (!libc_enter_pure(PC))
		return REAL_FN(wmemchr)(s, c, n);
	wchar_t *hit = REAL_FN(wmemchr)(s, c, n);
	read_units(s, hit ? (size_t)(hit - s) + 1 : n, PC);
	return hit;
}

/* ---- how wide a string is printed ---- */

WRAP(int, wcswidth, (const wchar_t *s, size_t n), (s, n),
     read_bounded(s, bounded_length(s, n), n, PC), NOTHING)
