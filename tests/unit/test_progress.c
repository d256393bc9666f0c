/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cmd/check_progress: a total is unknown while its estimate grows, and a range that has
 * it otherwise. */
#include <string.h>

#include "check/progress.h"
#include "unit/unit.h"

/* A reduction that knows, after so many schedules, of a total that grows with them. */
static void a_growing_estimate_is_unknown(void **state)
{
	(void)state;
	static const double growth[] = { 0.5, 1, 1.5, 3 };
	for (size_t g = 0; g < 4; g++) {
		struct check_progress p = { 0 };
		for (uint64_t made = 1; made < 10000000; made += 1 + made / 50) {
			double total = 10000 + (double)made;
			for (double done = 1; done < (double)made; done *= 2)
				total *= 1 + growth[g];
			struct buf text = { 0 };
			check_progress_text(&p, made, 0.001 * (double)made, (double)made / total,
					    &text);
			assert_non_null(strstr(text.at, "total unknown"));
			assert_null(strstr(text.at, "left"));
			buf_release(&text);
		}
	}
}

static void a_steady_estimate_is_a_range(void **state)
{
	(void)state;
	struct check_progress p = { 0 };
	double low, high, total = 100000;
	size_t told = 0;
	for (uint64_t made = 1; made < 100000; made += 1 + made / 50) {
		double wrong = made % 2 ? 0.95 : 1.05;
		check_progress_note(&p, made, (double)made / (total * wrong));
		if (!check_progress_total(&p, made, &low, &high))
			continue;
		told++;
		assert_true(low < total && total < high);
		assert_true(made >= 256);
	}
	assert_true(told > 100);
}

static void without_an_estimate_it_is_unknown(void **state)
{
	(void)state;
	struct check_progress p = { 0 };
	double low, high;
	for (uint64_t made = 1; made < 100000; made *= 2) {
		check_progress_note(&p, made, 0);
		assert_false(check_progress_total(&p, made, &low, &high));
	}
}

static void the_count_never_goes_down(void **state)
{
	(void)state;
	struct check_progress p = { 0 };
	struct buf text = { 0 };
	check_progress_text(&p, 1234567, 10, 0, &text);
	assert_string_equal(text.at, "1,234,567 schedules, 123457/s, total unknown");
	buf_clear(&text);
	check_progress_text(&p, 1000, 10, 0, &text);
	assert_memory_equal(text.at, "1,234,567 ", 10);
	buf_release(&text);
}

static void a_range_in_words(void **state)
{
	(void)state;
	struct check_progress p = { 0 };
	struct buf text = { 0 };
	for (uint64_t made = 100; made <= 400; made *= 2)
		check_progress_note(&p, made, (double)made / 1000);
	check_progress_text(&p, 500, 5, 0.5, &text);
	assert_string_equal(text.at, "500 schedules, 100/s, 769 to 1,300 in all, 3 to 8 s left");
	buf_release(&text);
}

int main(void)
{
	RUN(cmocka_unit_test(a_growing_estimate_is_unknown),
	    cmocka_unit_test(a_steady_estimate_is_a_range),
	    cmocka_unit_test(without_an_estimate_it_is_unknown),
	    cmocka_unit_test(the_count_never_goes_down), cmocka_unit_test(a_range_in_words));
}
