/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory functions: every byte that is examined is a read, every byte that is set a write.  A
 * comparison or search examines up to the byte that decides it, no further.
 *
 * Under control the work is done by the runtime's own loops, so that a bad pointer faults in our
 * code and is charged to the caller.  Natively these are among the hottest functions there are:
 * one test, then a jump into libc.  They can be called before libc's are known (a constructor,
 * the resolution itself), so the copies have a fallback of their own.
 */
#include "rt/chunk.h"
#include "wire/fault.h"
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "rt/thread.h"
#include "wire/wire.h"

static void *move_bytes(void *to, const void *from, size_t n)
{
	char *d = to;
	const char *s = from;
	if (d <= s || d >= s + n)
		return rt_memcpy(to, from, n);
	while (n--)
		d[n] = s[n];
	return to;
}

/* Position of the first difference, n if there is none. */
static size_t first_difference(const unsigned char *a, const unsigned char *b, size_t n)
{
	size_t i = 0;
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* ---- word by word (wire_divided in wire/wire.h) ---- */

#define WORD 8u

static bool is_divided(pc_t pc)
{
	const struct wire_divided *d = &g.session->divided;
	if (likely(!d->count))
		return false;
	uint64_t place = g.session->policy == POLICY_EXPLORE ? pc : canonical_code(pc);
	for (uint64_t i = 0; i < d->count && i < WIRE_DIVIDED_MAX; i++)
		if (d->places[i] == place)
			return true;
	return false;
}

/* In front of each access of a divided call but the first, which has the hook of the call. */
static void next_access(pc_t pc)
{
	rt_enter(pc);
	g.cur->step.is_in_copy = true;
	if (!FAULT(COPY_WITHOUT_STEPS))
		rt_point();
	g.cur->step.is_in_copy = false;
	g.cur->step.is_pure = true;
}

static void copy_at_once(void *to, const void *from, size_t n, pc_t pc)
{
	rt_libc_read(from, n, pc);
	libc_will_write(to, n, pc);
	move_bytes(to, from, n);
	rt_libc_wrote(to, n, pc);
}

/* To read a word and to write it are two accesses: others can change either place in between. */
static void copy_word(char *to, const char *from, size_t n, pc_t pc)
{
	char word[WORD];
	rt_libc_read(from, n, pc);
	rt_memcpy(word, from, n);
	if (!FAULT(COPIED_WORD_IS_ONE_STEP))
		next_access(pc);
	libc_will_write(to, n, pc);
	rt_memcpy(to, word, n);
	rt_libc_wrote(to, n, pc);
}

/*
 * Words are those of the destination: eight bytes at a multiple of eight, and what lies before
 * and behind. At most eight bytes are one word wherever they lie.  Whether the first or the last
 * one comes first is what move_bytes() does.
 */
static void copy_words(char *to, const char *from, size_t n, pc_t pc)
{
	bool is_upwards = to <= from || to >= from + n;
	for (size_t done = 0, size; done < n; done += size) {
		uintptr_t edge = (uintptr_t)to + (is_upwards ? done : n - done);
		size_t in_word = is_upwards ? WORD - edge % WORD : (edge - 1) % WORD + 1;
		size = in_word < n - done && n > WORD ? in_word : n - done;
		size_t at = is_upwards ? done : n - done - size;
		if (done)
			next_access(pc);
		copy_word(to + at, from + at, size, pc);
	}
}

static void *copy(void *to, const void *from, size_t n, pc_t pc)
{
	if (unlikely(is_divided(pc)))
		copy_words(to, from, n, pc);
	else
		copy_at_once(to, from, n, pc);
	return to;
}

static void *fill(void *to, int byte, size_t n, pc_t pc)
{
	bool is_by_words = is_divided(pc);
	char *at = to;
	for (size_t left = n, size; left; left -= size, at += size) {
		size_t in_word = WORD - (uintptr_t)at % WORD;
		size = is_by_words && n > WORD && in_word < left ? in_word : left;
		if (left < n)
			next_access(pc);
		libc_will_write(at, size, pc);
		rt_memset(at, byte, size);
		rt_libc_wrote(at, size, pc);
	}
	return to;
}

static int compare(const void *a, const void *b, size_t n, pc_t pc)
{
	const unsigned char *x = a, *y = b;
	size_t i = first_difference(x, y, n);
	size_t examined = i < n ? i + 1 : n;
	rt_libc_read(a, examined, pc);
	rt_libc_read(b, examined, pc);
	return i < n ? x[i] - y[i] : 0;
}

RT_EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	if (libc_enter_pure(PC))
		return copy(to, from, n, PC);
	return likely(real_memcpy != NULL) ? real_memcpy(to, from, n) : rt_memcpy(to, from, n);
}

RT_EXPORT void *memmove(void *to, const void *from, size_t n)
{
	if (libc_enter_pure(PC))
		return copy(to, from, n, PC);
	return likely(real_memmove != NULL) ? real_memmove(to, from, n) : move_bytes(to, from, n);
}

RT_EXPORT void *memset(void *to, int byte, size_t n)
{
	if (libc_enter_pure(PC))
		return fill(to, byte, n, PC);
	return likely(real_memset != NULL) ? real_memset(to, byte, n) : rt_memset(to, byte, n);
}

RT_EXPORT int memcmp(const void *a, const void *b, size_t n)
{
	if (libc_enter_pure(PC))
		return compare(a, b, n, PC);
	return likely(real_memcmp != NULL) ? real_memcmp(a, b, n) : rt_memcmp(a, b, n);
}

RT_EXPORT int bcmp(const void *a, const void *b, size_t n)
{
	if (libc_enter_pure(PC))
		return compare(a, b, n, PC);
	return REAL_FN(bcmp)(a, b, n);
}

RT_EXPORT void *mempcpy(void *restrict to, const void *restrict from, size_t n)
{
	if (!libc_enter_pure(PC))
		return REAL_FN(mempcpy)(to, from, n);
	return (char *)copy(to, from, n, PC) + n;
}

extern __typeof__(mempcpy) __mempcpy LIBC_ALIAS(mempcpy);

RT_EXPORT void bcopy(const void *from, void *to, size_t n)
{
	if (libc_enter_pure(PC))
		copy(to, from, n, PC);
	else
		REAL_FN(bcopy)(from, to, n);
}

RT_EXPORT void bzero(void *to, size_t n)
{
	if (libc_enter_pure(PC))
		fill(to, 0, n, PC);
	else
		REAL_FN(bzero)(to, n);
}

RT_EXPORT void explicit_bzero(void *to, size_t n)
{
	if (libc_enter_pure(PC))
		fill(to, 0, n, PC);
	else
		REAL_FN(explicit_bzero)(to, n);
}

RT_EXPORT void *memchr(const void *s, int byte, size_t n)
{
	if (!libc_enter_pure(PC))
		return REAL_FN(memchr)(s, byte, n);
	const unsigned char *p = s;
	size_t i = 0;
	while (i < n && p[i] != (unsigned char)byte)
		i++;
	rt_libc_read(s, i < n ? i + 1 : n, PC);
	return i < n ? (void *)(uintptr_t)(p + i) : NULL;
}

RT_EXPORT void *rawmemchr(const void *s, int byte)
{
	if (!libc_enter_pure(PC))
		return REAL_FN(rawmemchr)(s, byte);
	const unsigned char *p = s;
	while (*p != (unsigned char)byte)
		p++;
	rt_libc_read(s, (size_t)(p - (const unsigned char *)s) + 1, PC);
	return (void *)(uintptr_t)p;
}

extern __typeof__(rawmemchr) __rawmemchr LIBC_ALIAS(rawmemchr);

RT_EXPORT void *memrchr(const void *s, int byte, size_t n)
{
	if (!libc_enter_pure(PC))
		return REAL_FN(memrchr)(s, byte, n);
	const unsigned char *p = s;
	size_t i = n;
	while (i > 0 && p[i - 1] != (unsigned char)byte)
		i--;
	size_t from = i ? i - 1 : 0;
	rt_libc_read(p + from, n - from, PC);
	return i ? (void *)(uintptr_t)(p + from) : NULL;
}

RT_EXPORT void *memccpy(void *restrict to, const void *restrict from, int byte, size_t n)
{
	if (!libc_enter_pure(PC))
		return REAL_FN(memccpy)(to, from, byte, n);
	const unsigned char *p = from;
	size_t i = 0;
	while (i < n && p[i] != (unsigned char)byte)
		i++;
	copy(to, from, i < n ? i + 1 : n, PC);
	return i < n ? (char *)to + i + 1 : NULL;
}

RT_EXPORT void *memmem(const void *in, size_t in_size, const void *what, size_t size)
{
	if (!libc_enter_pure(PC))
		return REAL_FN(memmem)(in, in_size, what, size);
	rt_libc_read(what, size, PC);
	const unsigned char *p = in;
	for (size_t i = 0; i + size <= in_size; i++) {
		if (first_difference(p + i, what, size) != size)
			continue;
		rt_libc_read(in, i + size, PC);
		return (void *)(uintptr_t)(p + i);
	}
	rt_libc_read(in, size <= in_size ? in_size : 0, PC);
	return NULL;
}

RT_EXPORT void swab(const void *restrict from, void *restrict to, ssize_t n)
{
	if (!libc_enter_pure(PC)) {
		REAL_FN(swab)(from, to, n);
		return;
	}
	size_t whole = n > 0 ? (size_t)n & ~1ul : 0;
	rt_libc_read(from, whole, PC);
	libc_will_write(to, whole, PC);
	REAL_FN(swab)(from, to, n);
	rt_libc_wrote(to, whole, PC);
}

/*
 * Names that compilers produce: clang's memory intrinsics, fortified calls.  The size check of
 * the latter stays.
 */
extern __typeof__(memcpy) __tsan_memcpy LIBC_ALIAS(memcpy);
extern __typeof__(memmove) __tsan_memmove LIBC_ALIAS(memmove);
extern __typeof__(memset) __tsan_memset LIBC_ALIAS(memset);

RT_EXPORT void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	if (n <= room && libc_enter_pure(PC))
		return copy(to, from, n, PC);
	return REAL_FN(__memcpy_chk)(to, from, n, room);
}

RT_EXPORT void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
	if (n <= room && libc_enter_pure(PC))
		return copy(to, from, n, PC);
	return REAL_FN(__memmove_chk)(to, from, n, room);
}

RT_EXPORT void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	if (n <= room && libc_enter_pure(PC))
		return (char *)copy(to, from, n, PC) + n;
	return REAL_FN(__mempcpy_chk)(to, from, n, room);
}

RT_EXPORT void *__memset_chk(void *to, int byte, size_t n, size_t room)
{
	if (n <= room && libc_enter_pure(PC))
		return fill(to, byte, n, PC);
	return REAL_FN(__memset_chk)(to, byte, n, room);
}

RT_EXPORT void __explicit_bzero_chk(void *to, size_t n, size_t room)
{
	if (n <= room && libc_enter_pure(PC))
		fill(to, 0, n, PC);
	else
		REAL_FN(__explicit_bzero_chk)(to, n, room);
}
