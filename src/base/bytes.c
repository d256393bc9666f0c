/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds-checked reading of serialised values; see bytes.h. */
#include "base/bytes.h"

#include <string.h>

uint64_t bytes_varint(struct bytes *b)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64 && b->left; shift += 7) {
		uint64_t part = *b->at++;
		b->left--;
		v |= (part & 0x7f) << shift;
		if (!(part & 0x80))
			return v;
	}
	b->is_bad = true;
	return 0;
}

void bytes_read(struct bytes *b, void *to, size_t len)
{
	if (len > b->left) {
		b->is_bad = true;
		b->left = 0;
		memset(to, 0, len);
		return;
	}
	if (len)
		memcpy(to, b->at, len);
	b->at += len;
	b->left -= len;
}

size_t bytes_count(struct bytes *b, size_t size)
{
	uint64_t n = bytes_varint(b);
	if (n <= b->left / (size ? size : 1))
		return (size_t)n;
	b->is_bad = true;
	b->left = 0;
	return 0;
}
