/* SPDX-License-Identifier: Apache-2.0 */
/* Multiply-and-fold over 8-byte little-endian words, the tail zero-padded, the length mixed in
 * last; see hash.h. */
#include "base/hash.h"

#include <string.h>

uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t h = seed, w;
	size_t n = len;
	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&w, p, 8);
		h = hash_mix(h, w);
	}
	if (n) {
		w = 0;
		memcpy(&w, p, n);
		h = hash_mix(h, w);
	}
	return hash_mix(h, len);
}
