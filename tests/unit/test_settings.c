/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/settings and base/clock. */
#include "base/clock.h"
#include "base/settings.h"
#include "unit/unit.h"
#include "wire/wire.h"

static void names_are_found(void **state)
{
	(void)state;
	assert_int_equal(name_index(memory_names, "tso", 3), MEMORY_TSO);
	assert_int_equal(name_index(memory_names, "tso,", 3), MEMORY_TSO);
	assert_int_equal(name_index(memory_names, "ts", 2), -1);
	assert_int_equal(name_index(heap_names, "reuse", 5), HEAP_REUSE);
	assert_int_equal(name_index(backend_names, "threads", 7), BACKEND_THREADS);
}

static void names_are_listed(void **state)
{
	(void)state;
	struct buf text = { 0 };
	name_list(memory_names, &text);
	assert_string_equal(text.at, "sc, tso or pso");
	buf_clear(&text);
	name_list(heap_names, &text);
	assert_string_equal(text.at, "fresh or reuse");
	buf_release(&text);
}

static void clock_units_agree(void **state)
{
	(void)state;
	uint64_t before = clock_now_ns();
	double seconds = clock_now_seconds();
	uint64_t after = clock_now_ns();
	assert_true(before && before <= after);
	assert_true(seconds >= 1e-9 * (double)before && seconds <= 1e-9 * (double)after);
	assert_int_equal(clock_read_ns((clockid_t)-12345), 0);
}

int main(void)
{
	RUN(cmocka_unit_test(names_are_found), cmocka_unit_test(names_are_listed),
	    cmocka_unit_test(clock_units_agree));
}
