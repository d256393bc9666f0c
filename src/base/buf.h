/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing byte string.  The zero state is empty.  `at` is NULL or ends in a NUL that does not
 * count in `len`.
 */
#ifndef HEDDLE_BUF_H
#define HEDDLE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	char *at;
	size_t len;
	size_t cap;
};

void buf_add(struct buf *b, const void *bytes, size_t len);
void buf_str(struct buf *b, const char *s);
void buf_reserve(struct buf *b, size_t more); /* room for `more` bytes and a NUL */
static inline void buf_char(struct buf *b, char c);
void buf_fill(struct buf *b, char c, size_t count);
/* Fast number output: exports write several numbers per line, and printf would dominate their cost.
 */
void buf_decimal(struct buf *b, uint64_t v);
void buf_hex(struct buf *b, uint64_t v);			  /* without 0x */
void buf_hex_bytes(struct buf *b, const void *bytes, size_t len); /* two digits for each */
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_clear(struct buf *b); /* keeps the memory */
void buf_release(struct buf *b);
char *buf_take(struct buf *b); /* the string, owned by the caller; never NULL */

static inline void buf_char(struct buf *b, char c)
{
	if (b->cap - b->len < 2) {
		buf_add(b, &c, 1);
		return;
	}
	b->at[b->len++] = c;
	b->at[b->len] = 0;
}

/* Variable-length integer: 7 bits per byte, least significant first. */
void buf_varint(struct buf *b, uint64_t v);

#endif
