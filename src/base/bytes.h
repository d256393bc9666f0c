/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading what was written into a struct buf, out of a file that may be damaged.  What is not there reads as
 * zero and is noted, so that a reader of many parts asks once, at its end; counts are checked where they are
 * read, so that nothing is allocated for what cannot follow.
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

uint64_t bytes_varint(struct bytes *b);		/* as buf_varint() wrote it */
void bytes_read(struct bytes *b, void *to, size_t len);
/* The number of things that follow, of at least `size` bytes each; 0 if they cannot. */
size_t bytes_count(struct bytes *b, size_t size);

#endif
