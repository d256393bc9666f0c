/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds-checked reading of what a struct buf wrote, from a file that may be damaged.  A read
 * beyond the end gives zero and sets is_bad, so a reader of many fields checks is_bad once, at
 * its end.  A count is checked against the bytes that are left when it is read, so nothing is
 * allocated for elements that cannot follow.
 */
#ifndef HEDDLE_BYTES_H
#define HEDDLE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	const unsigned char *at;
	size_t left;
	bool is_bad;
};

uint64_t bytes_varint(struct bytes *b); /* as buf_varint() wrote it */
void bytes_read(struct bytes *b, void *to, size_t len);
/* The number of elements that follow, of at least `size` bytes each; 0 and is_bad if they do not
 * fit. */
size_t bytes_count(struct bytes *b, size_t size);

#endif
