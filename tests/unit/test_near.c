/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/near. */
#include "base/near.h"
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

static void near_words(void **state)
{
	(void)state;
	assert_true(is_near("free", "use-after-free"));
	assert_true(is_near("deadlok", "deadlock"));
	assert_true(is_near("uninitialized", "uninitialised"));
	assert_false(is_near("fr", "use-after-free"));
	assert_false(is_near("", "race"));
	assert_false(is_near("", "or"));
	assert_false(is_near("abcd", "race"));
	assert_false(is_near("rusty", "race"));
}

int main(void)
{
	RUN(cmocka_unit_test(distances), cmocka_unit_test(near_words));
}
