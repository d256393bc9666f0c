/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One 64-bit hash for checksums, tables and identities.  Not cryptographic.  Its values are part
 * of the trace and witness formats (checksums), so it never changes without a version.
 */
#ifndef HEDDLE_HASH_H
#define HEDDLE_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Add one value to the hash `h`.  The result depends on h ^ v only, so `h` must be a hash
 * already: for two raw values, (a, b) and (a ^ x, b ^ x) would collide.
 */
static inline uint64_t hash_mix(uint64_t h, uint64_t v)
{
	__extension__ unsigned __int128 p =
		(unsigned __int128)(h ^ v ^ 0x9e3779b97f4a7c15ull) * 0xd6e8feb86659fd93ull;
	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t len);

#endif
