/* SPDX-License-Identifier: Apache-2.0 */
/* Edges across the borders of critical sections (run/nest.c); the rules have the numbers that
 * they have there. */
#include "unit/run_samples.h"

#define ALL 4
static struct thr *t[ALL];

static bool is_within(struct thr *one, uintptr_t lock, enum lock_mode mode)
{
	struct object *s = object_take(one, lock, OBJECT_RWLOCK);
	bool answer = nest_is_within(one, s, mode);
	object_put(s);
	return answer;
}

/* Rule 1: a thread that has seen another's acquire has, in its own section of the lock, seen the
 * release. */
static void section_before_section(void **state)
{
	(void)state;
	uintptr_t lock = fresh_address(), message = fresh_address();
	core_threads(t, ALL);
	core_lock(t[0], lock, HOLD_WRITE);
	send(t[0], message);
	uint32_t inside = t[0]->epoch; /* after the message: only the release hands it over */
	core_unlock(t[0], lock);
	receive(t[1], message);
	assert_false(seen_weak(t[1], 0, inside));
	core_lock(t[1], lock, HOLD_WRITE);
	assert_true(seen_weak(t[1], 0, inside));
	core_unlock(t[1], lock);
	/* A thread without the message is not ordered. */
	core_lock(t[2], lock, HOLD_WRITE);
	assert_false(seen_weak(t[2], 0, inside));
	core_unlock(t[2], lock);
}

/* The same if the message comes when the second section is open already. */
static void message_in_the_second_section(void **state)
{
	(void)state;
	uintptr_t lock = fresh_address(), message = fresh_address(), x = fresh_address();
	core_threads(t, ALL);
	core_lock(t[0], lock, HOLD_WRITE);
	send(t[0], message);
	uint32_t inside = t[0]->epoch;
	core_unlock(t[0], lock);
	core_lock(t[1], lock, HOLD_WRITE);
	assert_false(seen_weak(t[1], 0, inside));
	receive(t[1], message);
	assert_true(t[1]->has_received);
	lock_catch_up(t[1]);
	assert_true(seen_weak(t[1], 0, inside));
	write_at(t[1], x);
	core_unlock(t[1], lock);
}

/* Readers exclude writers only. */
static void readers(void **state)
{
	(void)state;
	uintptr_t lock = fresh_address(), message = fresh_address();
	core_threads(t, ALL);
	core_lock(t[0], lock, HOLD_READ);
	send(t[0], message);
	uint32_t inside = t[0]->epoch;
	core_unlock(t[0], lock);
	receive(t[1], message);
	core_lock(t[1], lock, HOLD_READ);
	assert_false(seen_weak(t[1], 0, inside));
	core_unlock(t[1], lock);
	receive(t[2], message);
	core_lock(t[2], lock, HOLD_WRITE);
	assert_true(seen_weak(t[2], 0, inside));
	core_unlock(t[2], lock);
}

/* A section that is not kept one by one any more: `exposed_old` has its epochs. */
static void old_sections(void **state)
{
	(void)state;
	uintptr_t lock = fresh_address(), message = fresh_address();
	core_threads(t, ALL);
	core_lock(t[0], lock, HOLD_WRITE);
	send(t[0], message);
	uint32_t inside = t[0]->epoch;
	core_unlock(t[0], lock);
	for (int i = 0; i < 4; i++) {
		core_lock(t[2], lock, HOLD_WRITE);
		core_unlock(t[2], lock);
	}
	core_lock(t[3], lock, HOLD_WRITE);
	assert_false(seen_weak(t[3], 0, inside));
	core_unlock(t[3], lock);
	receive(t[1], message);
	core_lock(t[1], lock, HOLD_WRITE);
	assert_true(seen_weak(t[1], 0, inside));
	core_unlock(t[1], lock);
}

/* Rule 2a: a thread that has seen the acquire of an open section may be inside it. */
static void within(void **state)
{
	(void)state;
	uintptr_t lock = fresh_address(), message = fresh_address();
	core_threads(t, ALL);
	core_lock(t[0], lock, HOLD_WRITE);
	send(t[0], message);
	assert_false(is_within(t[1], lock, HOLD_WRITE));
	receive(t[1], message);
	assert_true(is_within(t[1], lock, HOLD_WRITE));
	assert_true(is_within(t[1], lock, HOLD_READ));
	assert_false(is_within(t[2], lock, HOLD_WRITE));
	assert_false(is_within(t[0], lock, HOLD_WRITE));
	core_unlock(t[0], lock);
	assert_false(is_within(t[1], lock, HOLD_WRITE));
}

static void within_readers(void **state)
{
	(void)state;
	uintptr_t lock = fresh_address(), message = fresh_address();
	core_threads(t, ALL);
	core_lock(t[2], lock, HOLD_READ);
	core_lock(t[0], lock, HOLD_READ);
	send(t[0], message);
	receive(t[1], message);
	assert_true(is_within(t[1], lock, HOLD_WRITE));
	assert_false(is_within(t[1], lock, HOLD_READ));
	/* One reader leaves, the other stays. */
	core_unlock(t[2], lock);
	assert_true(is_within(t[1], lock, HOLD_WRITE));
	core_unlock(t[0], lock);
	assert_false(is_within(t[1], lock, HOLD_WRITE));
}

/* Rule 2b: another thread worked inside of a section, which then waited for it: later sections
 * are after it.
 */
static void nesting(void **state)
{
	(void)state;
	uintptr_t lock = fresh_address(), there = fresh_address(), back = fresh_address();
	core_threads(t, ALL);
	core_lock(t[0], lock, HOLD_WRITE);
	send(t[0], there);
	receive(t[1], there);
	uint32_t helper = t[1]->epoch;
	send(t[1], back);
	receive(t[0], back);
	assert_true(t[0]->held[0].has_nested);
	core_unlock(t[0], lock);
	core_lock(t[2], lock, HOLD_WRITE);
	assert_true(seen_weak(t[2], 1, helper));
	core_unlock(t[2], lock);
}

/* Not if the received clock has nothing from inside the section. */
static void no_nesting(void **state)
{
	(void)state;
	uintptr_t lock = fresh_address(), back = fresh_address();
	core_threads(t, ALL);
	uint32_t helper = t[1]->epoch;
	send(t[1], back);
	core_lock(t[0], lock, HOLD_WRITE);
	receive(t[0], back);
	assert_false(t[0]->held[0].has_nested);
	core_unlock(t[0], lock);
	core_lock(t[2], lock, HOLD_WRITE);
	assert_false(seen_weak(t[2], 1, helper));
	core_unlock(t[2], lock);
}

/* Of two open sections only the one counts whose acquire the other thread has seen. */
static void nesting_in_the_outer_section(void **state)
{
	(void)state;
	uintptr_t outer = fresh_address(), inner = fresh_address(), back = fresh_address();
	uintptr_t there = fresh_address(), later = fresh_address();
	core_threads(t, ALL);
	core_lock(t[0], outer, HOLD_WRITE);
	send(t[0], there);
	receive(t[1], there);
	send(t[1], back);
	core_lock(t[0], inner, HOLD_WRITE);
	send(t[0], later);
	receive(t[1], later);
	receive(t[0], back);
	assert_true(t[0]->held[0].has_nested);
	assert_false(t[0]->held[1].has_nested);
	core_unlock(t[0], inner);
	core_unlock(t[0], outer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(section_before_section),
		cmocka_unit_test(message_in_the_second_section),
		cmocka_unit_test(readers),
		cmocka_unit_test(old_sections),
		cmocka_unit_test(within),
		cmocka_unit_test(within_readers),
		cmocka_unit_test(nesting),
		cmocka_unit_test(no_nesting),
		cmocka_unit_test(nesting_in_the_outer_section),
	};
	return cmocka_run_group_tests(tests, core_setup, NULL);
}
