/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/spelling. */
#include "base/spelling.h"
#include "unit/unit.h"

static void distances(void **state)
{
	(void)state;
	assert_int_equal(edit_distance("", ""), 0);
	assert_int_equal(edit_distance("", "abc"), 3);
	assert_int_equal(edit_distance("abc", ""), 3);
	assert_int_equal(edit_distance("race", "race"), 0);
	assert_int_equal(edit_distance("rase", "race"), 1);
	assert_int_equal(edit_distance("rce", "race"), 1);
	assert_int_equal(edit_distance("races", "race"), 1);
	assert_int_equal(edit_distance("kitten", "sitting"), 3);
	assert_int_equal(edit_distance("sitting", "kitten"), 3);
	assert_int_equal(edit_distance("ab", "ba"), 2);
}

static void close_words(void **state)
{
	(void)state;
	assert_true(spelling_is_close("free", "use-after-free"));
	assert_true(spelling_is_close("deadlok", "deadlock"));
	assert_true(spelling_is_close("uninitialized", "uninitialised"));
	assert_false(spelling_is_close("fr", "use-after-free"));
	assert_false(spelling_is_close("", "race"));
	assert_false(spelling_is_close("", "or"));
	assert_false(spelling_is_close("abcd", "race"));
	assert_false(spelling_is_close("rusty", "race"));
}

int main(void)
{
	RUN(cmocka_unit_test(distances), cmocka_unit_test(close_words));
}
