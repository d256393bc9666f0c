/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of base/hash.  Its values stand in files, so some are pinned; and it must see any single
 * changed bit, swapped words and added zeroes, which are the accidents that happen to files.
 */
#include <string.h>

#include "base/hash.h"
#include "unit/unit.h"

static void values_never_change(void **state)
{
	(void)state;
	assert_int_equal(hash_bytes(0, "", 0), 0xc9d874ca57d9e055ull);
	assert_int_equal(hash_bytes(0, "heddle", 6), 0x9dae5e65fc205920ull);
	assert_int_equal(hash_bytes(1, "0123456789abcdef", 16), 0x296502aa71ec5454ull);
}

static void every_bit_counts(void **state)
{
	(void)state;
	unsigned char bytes[67];
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 37);
	uint64_t whole = hash_bytes(0, bytes, sizeof(bytes));
	for (size_t bit = 0; bit < sizeof(bytes) * 8; bit++) {
		bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
		assert_int_not_equal(hash_bytes(0, bytes, sizeof(bytes)), whole);
		bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	assert_int_not_equal(hash_bytes(1, bytes, sizeof(bytes)), whole);
}

static void order_and_length_count(void **state)
{
	(void)state;
	unsigned char zero[32] = { 0 };
	uint64_t seen[33];
	for (size_t n = 0; n <= 32; n++) {
		seen[n] = hash_bytes(0, zero, n);
		for (size_t i = 0; i < n; i++)
			assert_int_not_equal(seen[i], seen[n]);
	}
	assert_int_not_equal(hash_bytes(0, "AAAAAAAABBBBBBBB", 16),
			     hash_bytes(0, "BBBBBBBBAAAAAAAA", 16));
}

static void alignment_does_not_matter(void **state)
{
	(void)state;
	char space[64];
	const char text[] = "the same bytes at every address";
	for (size_t at = 0; at < 16; at++) {
		memcpy(space + at, text, sizeof(text));
		assert_int_equal(hash_bytes(9, space + at, sizeof(text)),
				 hash_bytes(9, text, sizeof(text)));
	}
}

int main(void)
{
	RUN(cmocka_unit_test(values_never_change), cmocka_unit_test(every_bit_counts),
	    cmocka_unit_test(order_and_length_count), cmocka_unit_test(alignment_does_not_matter));
}
