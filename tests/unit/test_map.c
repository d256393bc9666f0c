/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/map: against a plain array as the model, with keys that collide. */
#include "base/map.h"
#include "unit/unit.h"

static void the_empty_map_has_nothing(void **state)
{
	(void)state;
	struct map m = { 0 };
	assert_null(map_get(&m, 0));
	map_clear(&m);
	map_release(&m);
}

static void zero_is_a_key_and_a_value(void **state)
{
	(void)state;
	struct map m = { 0 };
	bool is_new = false;
	*map_put(&m, 0, &is_new) = 5;
	assert_true(is_new);
	assert_int_equal(*map_get(&m, 0), 5);
	assert_int_equal(*map_put(&m, UINT64_MAX, NULL), 0);
	assert_int_equal(*map_put(&m, 0, &is_new), 5);
	assert_false(is_new);
	assert_int_equal(m.len, 2);
	map_release(&m);
}

static void random_puts_match_a_model(void **state)
{
	(void)state;
	enum { KEYS = 5000 };
	static uint64_t model[KEYS];
	static bool present[KEYS];
	uint64_t rng = 7;
	size_t distinct = 0;
	struct map m = { 0 };
	for (int i = 0; i < 20000; i++) {
		size_t k = test_random(&rng) % KEYS;
		uint64_t value = test_random(&rng);
		bool is_new;
		*map_put(&m, k * 4096, &is_new) = value;
		assert_int_equal(is_new, !present[k]);
		distinct += is_new;
		present[k] = true;
		model[k] = value;
	}
	assert_int_equal(m.len, distinct);
	for (size_t k = 0; k < KEYS; k++) {
		uint64_t *v = map_get(&m, k * 4096);
		assert_int_equal(v != NULL, present[k]);
		if (v)
			assert_int_equal(*v, model[k]);
		assert_null(map_get(&m, k * 4096 + 1));
	}
	map_clear(&m);
	assert_int_equal(m.len, 0);
	assert_null(map_get(&m, 0));
	map_release(&m);
}

int main(void)
{
	RUN(cmocka_unit_test(the_empty_map_has_nothing),
	    cmocka_unit_test(zero_is_a_key_and_a_value),
	    cmocka_unit_test(random_puts_match_a_model));
}
