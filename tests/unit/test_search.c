/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/search: the point of division of every array of up to ten elements, and how often
 * the condition is asked. */
#include "base/search.h"
#include "unit/unit.h"

static void every_point_is_found(void **state)
{
	(void)state;
	for (size_t count = 0; count <= 10; count++)
		for (size_t point = 0; point <= count; point++)
			assert_int_equal(partition_point(count, i, i < point), point);
}

static void equal_elements_are_a_group(void **state)
{
	(void)state;
	const int values[] = { 1, 3, 3, 3, 8 };
	assert_int_equal(partition_point(5, i, values[i] < 3), 1);
	assert_int_equal(partition_point(5, i, values[i] <= 3), 4);
	assert_int_equal(partition_point(5, i, values[i] < 9), 5);
}

static void a_large_array_needs_few_questions(void **state)
{
	(void)state;
	size_t asked = 0;
	assert_int_equal(partition_point((size_t)1 << 40, i, (asked++, i < 12345)), 12345);
	assert_true(asked <= 41);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_point_is_found),
		cmocka_unit_test(equal_elements_are_a_group),
		cmocka_unit_test(a_large_array_needs_few_questions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
