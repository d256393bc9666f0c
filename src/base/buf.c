/* SPDX-License-Identifier: Apache-2.0 */
/* Growing byte strings; see buf.h. */
#include "base/buf.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

static __attribute__((noinline)) void grow(struct buf *b, size_t more)
{
	size_t n = b->cap ? b->cap * 2 : 64;
	while (n <= b->len + more)
		n *= 2;
	b->at = mem_resize(b->at, n, 1);
	b->cap = n;
}

void buf_reserve(struct buf *b, size_t more)
{
	if (b->cap - b->len <= more)
		grow(b, more);
}

static inline void reserve(struct buf *b, size_t more)
{
	if (b->cap - b->len <= more)
		grow(b, more);
}

void buf_add(struct buf *b, const void *bytes, size_t len)
{
	reserve(b, len);
	if (len)
		memcpy(b->at + b->len, bytes, len);
	b->len += len;
	b->at[b->len] = 0;
}

void buf_str(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_fill(struct buf *b, char c, size_t count)
{
	reserve(b, count);
	memset(b->at + b->len, c, count);
	b->len += count;
	b->at[b->len] = 0;
}

/* Append room for n digits and return its end: digits are written backwards. */
static inline char *number_end(struct buf *b, unsigned n)
{
	reserve(b, n);
	b->len += n;
	b->at[b->len] = 0;
	return b->at + b->len;
}

static unsigned decimal_digits(uint64_t v)
{
	static const uint64_t powers[] = { 0,
					   10ull,
					   100ull,
					   1000ull,
					   10000ull,
					   100000ull,
					   1000000ull,
					   10000000ull,
					   100000000ull,
					   1000000000ull,
					   10000000000ull,
					   100000000000ull,
					   1000000000000ull,
					   10000000000000ull,
					   100000000000000ull,
					   1000000000000000ull,
					   10000000000000000ull,
					   100000000000000000ull,
					   1000000000000000000ull,
					   10000000000000000000ull };
	/* log10(2) is a little more than 1233 / 4096. */
	unsigned about = (64 - (unsigned)__builtin_clzll(v | 1)) * 1233 >> 12;
	return about + (v >= powers[about]);
}

void buf_decimal(struct buf *b, uint64_t v)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
		"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
		"8081828384858687888990919293949596979899";
	char *at = number_end(b, decimal_digits(v));
	for (; v >= 100; v /= 100)
		memcpy(at -= 2, pairs + v % 100 * 2, 2);
	if (v >= 10)
		memcpy(at - 2, pairs + v * 2, 2);
	else
		at[-1] = (char)('0' + v);
}

static const char hex_digits[] = "0123456789abcdef";

void buf_hex(struct buf *b, uint64_t v)
{
	unsigned n = (67 - (unsigned)__builtin_clzll(v | 1)) / 4;
	for (char *at = number_end(b, n); n--; v >>= 4)
		*--at = hex_digits[v & 15];
}

void buf_hex_bytes(struct buf *b, const void *bytes, size_t len)
{
	const unsigned char *from = bytes;
	reserve(b, 2 * len);
	for (size_t i = 0; i < len; i++) {
		b->at[b->len++] = hex_digits[from[i] >> 4];
		b->at[b->len++] = hex_digits[from[i] & 15];
	}
	b->at[b->len] = 0;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	va_list again;
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n > 0) {
		reserve(b, (size_t)n);
		vsnprintf(b->at + b->len, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->at)
		b->at[0] = 0;
}

void buf_release(struct buf *b)
{
	mem_free(b->at);
	*b = (struct buf){ 0 };
}

char *buf_take(struct buf *b)
{
	reserve(b, 0);
	b->at[b->len] = 0;
	char *s = b->at;
	*b = (struct buf){ 0 };
	return s;
}

void buf_varint(struct buf *b, uint64_t v)
{
	unsigned char out[10];
	size_t n = 0;
	while (v >= 0x80) {
		out[n++] = (unsigned char)(v | 0x80);
		v >>= 7;
	}
	out[n++] = (unsigned char)v;
	buf_add(b, out, n);
}
