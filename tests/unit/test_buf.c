/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/buf: content against a plain model, the NUL behind it, varints at their borders. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "unit/unit.h"

static void every_way_to_append_appends(void **state)
{
	(void)state;
	struct buf b = { 0 };
	buf_add(&b, "a\0b", 3);
	buf_str(&b, "cd");
	buf_char(&b, 'e');
	buf_fill(&b, 'f', 3);
	buf_printf(&b, "%d-%s", 42, "g");
	buf_fill(&b, 'z', 0);
	buf_str(&b, "");
	assert_int_equal(b.len, 13);
	assert_memory_equal(b.at, "a\0bcdefff42-g", 14);
	buf_release(&b);
	assert_null(b.at);
}

static void random_appends_match_a_model(void **state)
{
	(void)state;
	uint64_t rng = 1;
	static char model[70000];
	size_t len = 0;
	struct buf b = { 0 };
	while (len < 60000) {
		char piece[300];
		size_t n = test_random(&rng) % sizeof(piece);
		for (size_t i = 0; i < n; i++)
			piece[i] = (char)test_random(&rng);
		buf_add(&b, piece, n);
		memcpy(model + len, piece, n);
		len += n;
		assert_int_equal(b.len, len);
		assert_true(b.cap > b.len);
		assert_int_equal(b.at[b.len], 0);
	}
	assert_memory_equal(b.at, model, len);
	buf_release(&b);
}

static void printing_fits_exactly_at_every_length(void **state)
{
	(void)state;
	struct buf b = { 0 };
	for (int i = 0; i < 300; i++) {
		buf_clear(&b);
		buf_printf(&b, "%*s|", i, "");
		assert_int_equal(b.len, i + 1);
		assert_int_equal(b.at[i], '|');
		assert_int_equal(b.at[i + 1], 0);
	}
	buf_release(&b);
}

static void clear_keeps_the_memory(void **state)
{
	(void)state;
	struct buf b = { 0 };
	buf_clear(&b);
	buf_fill(&b, 'x', 1000);
	char *before = b.at;
	buf_clear(&b);
	assert_int_equal(b.len, 0);
	assert_string_equal(b.at, "");
	buf_fill(&b, 'y', 1000);
	assert_ptr_equal(b.at, before);
	buf_release(&b);
}

static void take_gives_the_string_and_empties(void **state)
{
	(void)state;
	struct buf b = { 0 };
	char *nothing = buf_take(&b);
	assert_string_equal(nothing, "");
	buf_str(&b, "hello");
	char *s = buf_take(&b);
	assert_string_equal(s, "hello");
	assert_null(b.at);
	assert_int_equal(b.len, 0);
	mem_free(nothing);
	mem_free(s);
}

static void varints_have_the_documented_bytes(void **state)
{
	(void)state;
	static const struct {
		uint64_t v;
		size_t len;
		const char *bytes;
	} cases[] = {
		{ 0, 1, "\x00" },
		{ 127, 1, "\x7f" },
		{ 128, 2, "\x80\x01" },
		{ 300, 2, "\xac\x02" },
		{ 16383, 2, "\xff\x7f" },
		{ 16384, 3, "\x80\x80\x01" },
		{ UINT64_MAX, 10, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b = { 0 };
		buf_varint(&b, cases[i].v);
		assert_int_equal(b.len, cases[i].len);
		assert_memory_equal(b.at, cases[i].bytes, cases[i].len);
		buf_release(&b);
	}
}

/* All powers of two and ten and their neighbours, against the C library. */
static void numbers_are_as_printf_makes_them(void **state)
{
	(void)state;
	uint64_t rng = 11, power = 1;
	for (unsigned i = 0; i < 4000; i++) {
		uint64_t v = i < 200   ? i
			     : i < 264 ? 1ull << (i - 200)
				       : test_random(&rng) >> test_random(&rng) % 64;
		if (i >= 264 && i < 284) {
			v = power;
			power *= 10;
		}
		for (int d = -1; d <= 1; d++) {
			struct buf got = { 0 };
			char want[64];
			uint64_t n = v + (uint64_t)d;
			snprintf(want, sizeof(want), "%llu %llx", (unsigned long long)n,
				 (unsigned long long)n);
			buf_decimal(&got, n);
			buf_char(&got, ' ');
			buf_hex(&got, n);
			assert_string_equal(got.at, want);
			buf_release(&got);
		}
	}
	struct buf bytes = { 0 };
	buf_hex_bytes(&bytes, "\x00\x7f\xff", 3);
	buf_hex_bytes(&bytes, "", 0);
	assert_string_equal(bytes.at, "007fff");
	buf_release(&bytes);
}

int main(void)
{
	RUN(cmocka_unit_test(every_way_to_append_appends),
	    cmocka_unit_test(random_appends_match_a_model),
	    cmocka_unit_test(printing_fits_exactly_at_every_length),
	    cmocka_unit_test(clear_keeps_the_memory),
	    cmocka_unit_test(take_gives_the_string_and_empties),
	    cmocka_unit_test(varints_have_the_documented_bytes),
	    cmocka_unit_test(numbers_are_as_printf_makes_them));
}
