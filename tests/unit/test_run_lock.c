/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of `heddle run` under both orders (run/lock.c), the sets of locks in stamps
 * (run/stamp.c), and lock orders (run/order.c). */
#include "run/order.h"
#include "unit/run_samples.h"

#define ALL 4
static struct thr *t[ALL];

static bool sees_weakly(const struct thr *one, const struct thr *other, uint32_t epoch)
{
	return seen_weak(one, other->slot, epoch);
}

/* A section with one access; returns the epoch in it. */
static uint32_t write_under(struct thr *one, uintptr_t lock, uintptr_t address)
{
	core_lock(one, lock, HOLD_WRITE);
	uint32_t epoch = one->epoch;
	write_at(one, address);
	core_unlock(one, lock);
	return epoch;
}

/* Happens-before orders all sections of a lock, the weak order those with conflicts. */
static void sections(void **state)
{
	(void)state;
	uintptr_t lock = fresh_address(), x = fresh_address(), y = fresh_address();
	core_threads(t, ALL);
	uint32_t first = write_under(t[0], lock, x);
	core_lock(t[1], lock, HOLD_WRITE);
	assert_true(seen_hb(t[1], 0, first));
	assert_false(sees_weakly(t[1], t[0], first));
	write_at(t[1], y);
	assert_false(sees_weakly(t[1], t[0], first));
	write_at(t[1], x);
	assert_true(sees_weakly(t[1], t[0], first));
	core_unlock(t[1], lock);
	assert_int_equal(found_count, 0);
	/* Without the lock there is no order at all. */
	assert_false(seen_hb(t[2], 0, first));
}

/* Old sections are joined: a thread that conflicts with one of them is after all of them. */
static void old_sections(void **state)
{
	(void)state;
	uintptr_t lock = fresh_address(), x = fresh_address(), y = fresh_address(),
		  z = fresh_address();
	core_threads(t, ALL);
	uint32_t first = write_under(t[0], lock, x), second = write_under(t[1], lock, y);
	for (int i = 0; i < 4; i++)
		write_under(t[2], lock, z);
	core_lock(t[3], lock, HOLD_WRITE);
	write_at(t[3], x);
	assert_true(sees_weakly(t[3], t[0], first));
	assert_true(sees_weakly(t[3], t[1], second));
	core_unlock(t[3], lock);
	assert_int_equal(found_count, 0);
}

static void readers(void **state)
{
	(void)state;
	uintptr_t lock = fresh_address();
	core_threads(t, ALL);
	core_lock(t[0], lock, HOLD_READ);
	uint32_t first = t[0]->epoch;
	core_lock(t[1], lock, HOLD_READ);
	uint32_t second = t[1]->epoch;
	core_unlock(t[0], lock);
	core_unlock(t[1], lock);
	core_lock(t[2], lock, HOLD_READ);
	assert_false(seen_hb(t[2], 0, first));
	core_unlock(t[2], lock);
	core_lock(t[3], lock, HOLD_WRITE);
	assert_true(seen_hb(t[3], 0, first));
	assert_true(seen_hb(t[3], 1, second));
	uint32_t third = t[3]->epoch;
	core_unlock(t[3], lock);
	core_lock(t[0], lock, HOLD_READ);
	assert_true(seen_hb(t[0], 3, third));
	core_unlock(t[0], lock);
}

/* A recursive lock is released by the last release. */
static void recursion(void **state)
{
	(void)state;
	uintptr_t lock = fresh_address();
	core_threads(t, ALL);
	core_lock(t[0], lock, HOLD_WRITE);
	core_lock(t[0], lock, HOLD_WRITE);
	uint32_t epoch = t[0]->epoch;
	assert_int_equal(t[0]->held_count, 1);
	core_unlock(t[0], lock);
	assert_int_equal(t[0]->held_count, 1);
	assert_int_equal(t[0]->epoch, epoch);
	core_unlock(t[0], lock);
	assert_int_equal(t[0]->held_count, 0);
	assert_true(t[0]->epoch > epoch);
}

static uint32_t index_of(struct thr *one, uintptr_t lock)
{
	struct object *s = object_take(one, lock, OBJECT_RWLOCK);
	object_put(s);
	return object_index(s);
}

/* Stamps name the locks from the innermost to the outermost one. */
static void stamps(void **state)
{
	(void)state;
	uintptr_t a = fresh_address(), b = fresh_address(), c = fresh_address();
	core_threads(t, ALL);
	uint32_t none = stamp_now(t[0]);
	assert_int_equal(stamp_lock(STAMP(none)), 0);
	assert_int_equal(stamp_now(t[0]), none);
	core_lock(t[0], a, HOLD_WRITE);
	core_lock(t[0], b, HOLD_READ);
	core_lock(t[0], c, HOLD_WRITE);
	uint32_t three = stamp_now(t[0]);
	assert_int_equal(stamp_now(t[0]), three);
	const struct stamp *s = STAMP(three);
	assert_int_equal(stamp_slot(s), 0);
	assert_int_equal(s->epoch, t[0]->epoch);
	assert_int_equal(stamp_lock(s), index_of(t[0], c));
	assert_int_equal(stamp_mode(s), HOLD_WRITE);
	s = STAMP(s->outer);
	assert_int_equal(stamp_lock(s), index_of(t[0], b));
	assert_int_equal(stamp_mode(s), HOLD_READ);
	s = STAMP(s->outer);
	assert_int_equal(stamp_lock(s), index_of(t[0], a));
	assert_int_equal(stamp_lock(STAMP(s->outer)), 0);
	/* Not the last one first. */
	core_unlock(t[0], b);
	s = STAMP(stamp_now(t[0]));
	assert_int_equal(stamp_lock(s), index_of(t[0], c));
	assert_int_equal(stamp_lock(STAMP(s->outer)), index_of(t[0], a));
	assert_int_equal(stamp_lock(STAMP(STAMP(s->outer)->outer)), 0);
	core_unlock(t[0], c);
	core_unlock(t[0], a);
	/* The second section of a lock is another one. */
	uint32_t section = STAMP(STAMP(three)->outer)->section;
	core_lock(t[0], b, HOLD_READ);
	assert_int_equal(STAMP(stamp_now(t[0]))->section, section + 1);
	core_unlock(t[0], b);
}

/* Every section of an older action is over for a thread that holds its locks. */
static void covers(void **state)
{
	(void)state;
	uintptr_t a = fresh_address(), b = fresh_address();
	core_threads(t, ALL);
	core_lock(t[0], a, HOLD_WRITE);
	core_lock(t[0], b, HOLD_WRITE);
	const struct stamp *s = STAMP(stamp_now(t[0]));
	core_unlock(t[0], b);
	core_unlock(t[0], a);
	assert_false(lock_covers(t[1], s));
	core_lock(t[1], a, HOLD_WRITE);
	assert_false(lock_covers(t[1], s));
	core_lock(t[1], b, HOLD_WRITE);
	assert_true(lock_covers(t[1], s));
	core_unlock(t[1], b);
	core_lock(t[1], b, HOLD_READ);
	assert_false(lock_covers(t[1], s));
	core_unlock(t[1], b);
	core_unlock(t[1], a);
	assert_true(lock_covers(t[1], STAMP(stamp_now(t[0]))));
}

/* A thread that ends releases its locks. */
static void the_end_of_a_thread(void **state)
{
	(void)state;
	uintptr_t a = fresh_address(), b = fresh_address();
	core_threads(t, ALL);
	core_lock(t[0], a, HOLD_WRITE);
	core_lock(t[0], b, HOLD_WRITE);
	core_lock(t[0], b, HOLD_WRITE);
	uint32_t epoch = t[0]->epoch;
	lock_release_all(t[0]);
	assert_int_equal(t[0]->held_count, 0);
	core_lock(t[1], a, HOLD_WRITE);
	assert_true(seen_hb(t[1], 0, epoch));
	core_unlock(t[1], a);
}

/* ---- lock orders ---- */

static void lock_in_order(struct thr *one, uintptr_t lock)
{
	lock_order_acquire(one, index_of(one, lock), 0);
	core_lock(one, lock, HOLD_WRITE);
}

static void lock_both(struct thr *one, uintptr_t first, uintptr_t second)
{
	lock_in_order(one, first);
	lock_in_order(one, second);
	core_unlock(one, second);
	core_unlock(one, first);
}

static void lock_orders(void **state)
{
	(void)state;
	uintptr_t a = fresh_address(), b = fresh_address(), c = fresh_address();
	core_threads(t, ALL);
	lock_both(t[0], a, b);
	lock_both(t[1], a, b);
	assert_int_equal(found_count, 0);
	lock_both(t[1], b, a);
	assert_int_equal(found_count, 1);
	assert_int_equal(found_list[0].kind, FINDING_LOCK_ORDER);
	assert_int_equal(found_list[0].status, RUN_POTENTIAL);
	assert_int_equal(found_list[0].address, a);
	assert_int_equal(found_list[0].past.address, b);
	/* Once is enough. */
	lock_both(t[2], b, a);
	assert_int_equal(found_count, 1);
	/* A cycle of three. */
	uintptr_t d = fresh_address();
	lock_both(t[0], b, c);
	lock_both(t[1], c, d);
	assert_int_equal(found_count, 1);
	lock_both(t[2], d, b);
	assert_int_equal(found_count, 2);
}

static void harmless_lock_orders(void **state)
{
	(void)state;
	uintptr_t a = fresh_address(), b = fresh_address(), guard = fresh_address();
	core_threads(t, ALL);
	/* One thread alone. */
	lock_both(t[0], a, b);
	lock_both(t[0], b, a);
	assert_int_equal(found_count, 0);
	/* A lock around both. */
	uintptr_t c = fresh_address(), d = fresh_address();
	for (int i = 0; i < 2; i++) {
		lock_in_order(t[i], guard);
		lock_both(t[i], i ? d : c, i ? c : d);
		core_unlock(t[i], guard);
	}
	assert_int_equal(found_count, 0);
	/* A lock that was destroyed, and another one at the same address. */
	uintptr_t e = fresh_address(), f = fresh_address();
	lock_both(t[0], e, f);
	lock_order_forget(index_of(t[0], e));
	lock_both(t[1], f, e);
	assert_int_equal(found_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections),
		cmocka_unit_test(old_sections),
		cmocka_unit_test(readers),
		cmocka_unit_test(recursion),
		cmocka_unit_test(stamps),
		cmocka_unit_test(covers),
		cmocka_unit_test(the_end_of_a_thread),
		cmocka_unit_test(lock_orders),
		cmocka_unit_test(harmless_lock_orders),
	};
	return cmocka_run_group_tests(tests, core_setup, NULL);
}
