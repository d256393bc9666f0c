/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of accesses in the shadow of `heddle run` (run/access.c, run/conflict.c, run/free.c): which are reported,
 * and as what. */
#include "unit/run_samples.h"

#define ALL 3
static struct thr *t[ALL];

static void expect(unsigned count, enum finding_kind kind, enum run_status status)
{
	assert_int_equal(found_count, count);
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(found_list[i].kind, kind);
		assert_int_equal(found_list[i].status, status);
	}
	found_count = 0;
}

static void expect_nothing(void)
{
	expect(0, FINDING_RACE, RUN_UNORDERED);
}

static void conflicts(void **state)
{
	(void)state;
	core_threads(t, ALL);
	uintptr_t x = fresh_address();
	write_at(t[0], x);
	write_at(t[1], x);
	assert_int_equal(found_list[0].past.slot, 0);
	assert_int_equal(found_list[0].past.act, ACT_WRITE);
	assert_ptr_equal(found_list[0].thr, t[1]);
	expect(1, FINDING_RACE, RUN_UNORDERED);
	x = fresh_address();
	read_at(t[0], x);
	write_at(t[1], x);
	expect(1, FINDING_RACE, RUN_UNORDERED);
	x = fresh_address();
	write_at(t[0], x);
	read_at(t[1], x);
	expect(1, FINDING_RACE, RUN_UNORDERED);
	x = fresh_address();
	read_at(t[0], x);
	read_at(t[1], x);
	write_at(t[0], x + 16);
	write_at(t[1], x + 32);
	expect_nothing();
}

/* Bytes of one granule that overlap, and bytes that do not. */
static void bytes(void **state)
{
	(void)state;
	core_threads(t, ALL);
	uintptr_t x = fresh_address();
	access_any(t[0], x, 2, CELL_WRITE, 0);
	access_any(t[1], x + 2, 2, CELL_WRITE, 0);
	expect_nothing();
	access_any(t[2], x + 1, 2, CELL_WRITE, 0);
	expect(2, FINDING_RACE, RUN_UNORDERED);
	/* Across the end of a granule. */
	x = fresh_address();
	access_any(t[0], x + 6, 4, CELL_WRITE, 0);
	access_any(t[1], x + 9, 1, 0, 0);
	expect(1, FINDING_RACE, RUN_UNORDERED);
}

static void atomics(void **state)
{
	(void)state;
	core_threads(t, ALL);
	uintptr_t x = fresh_address();
	access_any(t[0], x, 4, CELL_WRITE | CELL_ATOMIC, 0);
	access_any(t[1], x, 4, CELL_WRITE | CELL_ATOMIC, 0);
	expect_nothing();
	read_at(t[2], x);
	assert_true(found_count >= 1);
	assert_true(found_list[0].past.is_atomic);
	assert_false(found_list[0].is_atomic);
}

/* A hard edge orders; a lock without a conflict orders in this run only. */
static void orders(void **state)
{
	(void)state;
	core_threads(t, ALL);
	uintptr_t x = fresh_address(), message = fresh_address(), lock = fresh_address();
	write_at(t[0], x);
	send(t[0], message);
	receive(t[1], message);
	write_at(t[1], x);
	expect_nothing();
	x = fresh_address();
	write_at(t[0], x);
	core_lock(t[0], lock, HOLD_WRITE);
	core_unlock(t[0], lock);
	core_lock(t[1], lock, HOLD_WRITE);
	core_unlock(t[1], lock);
	write_at(t[1], x);
	expect(1, FINDING_RACE, RUN_PREDICTED);
	/* And not reported without prediction. */
	run_state.options.is_predicting = false;
	x = fresh_address();
	write_at(t[0], x);
	core_lock(t[0], lock, HOLD_WRITE);
	core_unlock(t[0], lock);
	core_lock(t[1], lock, HOLD_WRITE);
	core_unlock(t[1], lock);
	write_at(t[1], x);
	expect_nothing();
}

static void common_locks(void **state)
{
	(void)state;
	core_threads(t, ALL);
	uintptr_t x = fresh_address(), lock = fresh_address();
	for (int i = 0; i < ALL; i++) {
		core_lock(t[i], lock, HOLD_WRITE);
		write_at(t[i], x);
		core_unlock(t[i], lock);
	}
	expect_nothing();
	/* Two readers of the lock. */
	x = fresh_address();
	core_lock(t[0], lock, HOLD_READ);
	core_lock(t[1], lock, HOLD_READ);
	write_at(t[0], x);
	write_at(t[1], x);
	core_unlock(t[0], lock);
	core_unlock(t[1], lock);
	expect(1, FINDING_RACE, RUN_UNORDERED);
}

static void freed_memory(void **state)
{
	(void)state;
	core_threads(t, ALL);
	uintptr_t x = fresh_address(), message = fresh_address();
	run_self = t[0];
	shadow_free(t[0], x, 16, false, 0);
	/* The same thread, and one that knows of it: this has happened. */
	write_at(t[0], x + 8);
	expect(1, FINDING_USE_AFTER_FREE, RUN_HAPPENED);
	x = fresh_address();
	shadow_free(t[0], x, 16, false, 0);
	send(t[0], message);
	receive(t[1], message);
	read_at(t[1], x);
	expect(1, FINDING_USE_AFTER_FREE, RUN_HAPPENED);
	read_at(t[1], x + 16);
	expect_nothing();
	/* A use before it that nothing orders. */
	x = fresh_address();
	write_at(t[1], x);
	run_self = t[2];
	shadow_free(t[2], x, 16, false, 0);
	expect(1, FINDING_USE_AFTER_FREE, RUN_UNORDERED);
	/* The block is allocated again. */
	shadow_clear(x, 16);
	write_at(t[0], x);
	expect_nothing();
}

/* What t has done up to now is over for a thread that receives the message (stamp.h). */
static void leave_batch(struct thr *leaver, uintptr_t message)
{
	uintptr_t own = fresh_address();
	for (unsigned i = 0; i <= STAMP_BATCH; i++) {
		send(leaver, message);
		write_at(leaver, own);
	}
	send(leaver, message);
}

/*
 * A granule whose cells are all in use, by a write and three reads.  A further read that is after
 * them takes the place of one of the reads, never that of the write.
 */
static void full_granules(void **state)
{
	(void)state;
	struct thr *m[6];
	core_threads(m, 6);
	uintptr_t x[16], message = fresh_address();
	for (unsigned i = 0; i < 16; i++)
		write_at(m[0], x[i] = fresh_address());
	leave_batch(m[0], message);
	for (unsigned k = 1; k < 4; k++) {
		receive(m[k], message);
		for (unsigned i = 0; i < 16; i++)
			read_at(m[k], x[i]);
		leave_batch(m[k], message);
	}
	receive(m[4], message);
	for (unsigned i = 0; i < 16; i++)
		read_at(m[4], x[i]);
	expect_nothing();
	for (unsigned i = 0; i < 16; i++) {
		read_at(m[5], x[i]);
		expect(1, FINDING_RACE, RUN_UNORDERED);
	}
}

/* A batch of stamps is over when its thread has left it and holds no lock. */
static void batches(void **state)
{
	(void)state;
	core_threads(t, ALL);
	uintptr_t message = fresh_address(), lock = fresh_address(), x = fresh_address();
	core_lock(t[0], lock, HOLD_WRITE);
	uint32_t first = stamp_now(t[0]);
	assert_int_equal(stamp_owner(first)->slot, t[0]->slot);
	for (unsigned i = 0; i <= STAMP_BATCH; i++) {
		send(t[0], message);
		write_at(t[0], x);
	}
	assert_int_equal(stamp_owner(first)->over, BATCH_OPEN);
	core_unlock(t[0], lock);
	assert_int_equal(stamp_owner(first)->over, t[0]->epoch);
	assert_int_equal(stamp_owner(stamp_now(t[0]))->over, BATCH_OPEN);
	expect_nothing();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conflicts),	 cmocka_unit_test(bytes),
		cmocka_unit_test(atomics),	 cmocka_unit_test(orders),
		cmocka_unit_test(common_locks),	 cmocka_unit_test(freed_memory),
		cmocka_unit_test(full_granules), cmocka_unit_test(batches),
	};
	return cmocka_run_group_tests(tests, core_setup, NULL);
}
