/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/vec: growth keeps elements and order, added ones are zero, release gives the
 * empty array. */
#include "base/vec.h"
#include "unit/unit.h"

static void pushed_elements_stay_in_order(void **state)
{
	(void)state;
	VEC(uint64_t) v = { 0 };
	for (uint64_t i = 0; i < 10000; i++)
		vec_push(&v, i * i);
	assert_int_equal(v.len, 10000);
	assert_true(v.cap >= v.len);
	for (uint64_t i = 0; i < v.len; i++)
		assert_int_equal(v.at[i], i * i);
	assert_int_equal(vec_last(&v), 9999ull * 9999);
	vec_release(&v);
	assert_null(v.at);
	assert_int_equal(v.len, 0);
	assert_int_equal(v.cap, 0);
}

static void added_elements_are_zero_even_in_used_memory(void **state)
{
	(void)state;
	VEC(struct {
		int x;
		void *p;
	})
	v = { 0 };
	for (int i = 0; i < 20; i++) {
		vec_add(&v)->x = 7;
		vec_last(&v).p = &v;
	}
	v.len = 0;
	for (int i = 0; i < 20; i++) {
		assert_int_equal(vec_add(&v)->x, 0);
		assert_null(vec_last(&v).p);
	}
	vec_release(&v);
}

static void reserve_makes_room_for_all(void **state)
{
	(void)state;
	VEC(char) v = { 0 };
	vec_reserve(&v, 1000);
	assert_true(v.cap >= 1000);
	char *before = v.at;
	for (int i = 0; i < 1000; i++)
		vec_push(&v, 'x');
	assert_ptr_equal(before, v.at);
	vec_release(&v);
}

int main(void)
{
	RUN(cmocka_unit_test(pushed_elements_stay_in_order),
	    cmocka_unit_test(added_elements_are_zero_even_in_used_memory),
	    cmocka_unit_test(reserve_makes_room_for_all));
}
