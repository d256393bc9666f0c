/* SPDX-License-Identifier: Apache-2.0 */
/* Growing byte strings; see buf.h. */
#include "base/buf.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

static void reserve(struct buf *b, size_t more)
{
	if (b->cap - b->len > more && b->at)
		return;
	size_t n = b->cap ? b->cap * 2 : 64;
	while (n <= b->len + more)
		n *= 2;
	b->at = mem_resize(b->at, n, 1);
	b->cap = n;
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

void buf_decimal(struct buf *b, uint64_t v)
{
	char digits[20];
	size_t n = sizeof(digits);
	do {
		digits[--n] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	buf_add(b, digits + n, sizeof(digits) - n);
}

static const char hex_digits[] = "0123456789abcdef";

void buf_hex(struct buf *b, uint64_t v)
{
	char digits[16];
	size_t n = sizeof(digits);
	do {
		digits[--n] = hex_digits[v & 15];
		v >>= 4;
	} while (v);
	buf_add(b, digits + n, sizeof(digits) - n);
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
	*b = (struct buf){0};
}

char *buf_take(struct buf *b)
{
	reserve(b, 0);
	b->at[b->len] = 0;
	char *s = b->at;
	*b = (struct buf){0};
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
