/* SPDX-License-Identifier: Apache-2.0 */
/* Vector clocks of `heddle run` (run/clock.c, run/ticks.h), which keep two orders side by side. */
#include "unit/run_samples.h"

#define ALL 4
static struct thr *t[ALL];

/* Both parts of what one thread has seen of another one's epoch: 0 none, 1 happens-before, 2 the
 * weak order.
 */
static unsigned sees(const struct thr *one, const struct thr *other, uint32_t epoch)
{
	return seen_hb(one, other->slot, epoch) | seen_weak(one, other->slot, epoch) << 1;
}

static void publish_and_receive(void **state)
{
	(void)state;
	struct clock *c = NULL;
	core_threads(t, ALL);
	uint32_t before = t[0]->epoch, own = t[1]->epoch;
	clock_send(t[0], &c);
	thr_tick(t[0]);
	assert_int_equal(c->n, run_state.slot_count);
	assert_int_equal(sees(t[1], t[0], before), 0);
	clock_join(t[1], c);
	assert_int_equal(sees(t[1], t[0], before), 3);
	assert_int_equal(sees(t[1], t[0], t[0]->epoch), 0);
	assert_int_equal(t[1]->clock[1].hb, own);
	assert_int_equal(t[1]->epoch, own);
	assert_int_equal(sees(t[2], t[0], before), 0);
	clock_join(t[2], NULL);
	assert_int_equal(sees(t[2], t[0], before), 0);
	clock_free(c);
}

/* Each order can be handed over alone. */
static void one_order(void **state)
{
	(void)state;
	struct clock *c = NULL;
	core_threads(t, ALL);
	uint32_t before = t[0]->epoch;
	clock_send(t[0], &c);
	clock_join_hb(t[1], c);
	assert_int_equal(sees(t[1], t[0], before), 1);
	clock_join_weak(t[2], c);
	assert_int_equal(sees(t[2], t[0], before), 2);
	clock_free(c);
	c = NULL;
	clock_send_weak(t[0], &c);
	clock_join(t[3], c);
	assert_int_equal(sees(t[3], t[0], before), 2);
	assert_int_equal(t[0]->shared.exposed_epoch, before);
	clock_free(c);
}

/* To publish keeps what is there, to replace does not. */
static void publish_or_replace(void **state)
{
	(void)state;
	struct clock *c = NULL;
	core_threads(t, ALL);
	uint32_t first = t[0]->epoch;
	clock_send(t[0], &c);
	clock_send(t[1], &c);
	clock_join(t[2], c);
	assert_int_equal(sees(t[2], t[0], first), 3);
	assert_int_equal(sees(t[2], t[1], t[1]->epoch), 3);
	clock_replace(t[1], &c);
	clock_join(t[3], c);
	assert_int_equal(sees(t[3], t[0], first), 0);
	assert_int_equal(sees(t[3], t[1], t[1]->epoch), 3);
	clock_free(c);
}

static void merge(void **state)
{
	(void)state;
	struct clock *a = NULL, *b = NULL;
	core_threads(t, ALL);
	clock_replace(t[0], &a);
	clock_replace(t[1], &b);
	clock_merge(&a, b);
	clock_merge(&a, NULL);
	clock_join(t[2], a);
	assert_int_equal(sees(t[2], t[0], t[0]->epoch), 3);
	assert_int_equal(sees(t[2], t[1], t[1]->epoch), 3);
	clock_join(t[3], b);
	assert_int_equal(sees(t[3], t[0], t[0]->epoch), 0);
	clock_free(a);
	clock_free(b);
}

/* A clock grows with the number of threads; memory of an older clock has no effect. */
static void growth(void **state)
{
	(void)state;
	struct clock *small = NULL, *used = NULL, *again = NULL;
	core_threads(t, ALL);
	uint32_t count = run_state.slot_count;
	clock_replace(t[0], &small);
	struct thr *late = thr_new(count + 20);
	clock_send(late, &small);
	assert_int_equal(small->n, count + 21);
	assert_true(small->room >= small->n);
	assert_int_equal(small->at[0].hb, t[0]->epoch);
	for (uint32_t i = count; i < count + 20; i++)
		assert_int_equal(small->at[i].hb | small->at[i].weak, 0);
	clock_join(t[1], small);
	assert_int_equal(sees(t[1], late, late->epoch), 3);
	clock_merge(&used, small);
	struct clock *address = used;
	clock_free(used);
	clock_send(t[2], &again);
	assert_ptr_equal(again, address);
	assert_int_equal(again->at[0].hb, 0);
	assert_int_equal(again->at[late->slot].weak, 0);
	assert_int_equal(again->at[2].hb, t[2]->epoch);
	clock_free(small);
	clock_free(again);
}

/* A store ends a release sequence, an rmw continues it; the weak part is the thread's own. */
static void stores(void **state)
{
	(void)state;
	struct clock *c = NULL;
	core_threads(t, ALL);
	clock_store(t[0], &c, true, false);
	clock_join(t[1], c);
	assert_int_equal(sees(t[1], t[0], t[0]->epoch), 3);
	clock_store(t[2], &c, false, true); /* a relaxed rmw */
	assert_int_equal(c->at[0].hb, t[0]->epoch);
	assert_int_equal(c->at[2].hb, 0);
	assert_int_equal(c->at[2].weak, t[2]->epoch);
	assert_int_equal(c->at[0].weak, 0);
	clock_store(t[3], &c, false, false); /* a relaxed store */
	assert_int_equal(c->at[0].hb, 0);
	assert_int_equal(c->at[3].hb, 0);
	assert_int_equal(c->at[3].weak, t[3]->epoch);
	clock_free(c);
}

/* What another thread did in an epoch is before: with all that the other one knows, in the weak
 * order. */
static void see(void **state)
{
	(void)state;
	struct clock *c = NULL;
	core_threads(t, ALL);
	clock_send(t[2], &c);
	clock_join(t[0], c);
	uint32_t epoch = t[0]->epoch;
	clock_order_after(t[1], t[0], epoch);
	assert_int_equal(sees(t[1], t[0], epoch), 2);
	assert_int_equal(sees(t[1], t[2], t[2]->epoch), 2);
	/* Others have seen this epoch while it is not over. */
	assert_int_equal(t[0]->shared.exposed_epoch, epoch);
	assert_false(is_before_reset(0, epoch));
	clock_free(c);
}

/* The slot has a new thread: actions up to now are excluded from predictions. */
static void see_a_thread_that_is_gone(void **state)
{
	(void)state;
	core_threads(t, ALL);
	uint32_t epoch = t[0]->epoch;
	t[0] = thr_new(0);
	clock_order_after(t[1], t[0], epoch);
	for (unsigned i = 0; i < ALL; i++)
		assert_true(is_before_reset(i, t[i]->epoch));
	assert_int_equal(sees(t[1], t[0], t[0]->epoch), 0);
}

/* A reader receives late writes before its next action. */
static void late_writes(void **state)
{
	(void)state;
	core_threads(t, ALL);
	late_add(t[3], t[0]);
	late_add(t[3], t[1]);
	assert_int_equal(sees(t[3], t[0], t[0]->epoch), 0);
	late_receive(t[3]);
	assert_int_equal(sees(t[3], t[0], t[0]->epoch), 2);
	assert_int_equal(sees(t[3], t[1], t[1]->epoch), 2);
	assert_int_equal(sees(t[3], t[2], t[2]->epoch), 0);
	assert_int_equal(t[3]->late.flags, 0);
	assert_false(is_before_reset(0, t[0]->epoch));
	/* More than LATE_MAX. */
	for (uint32_t i = 0; i <= LATE_MAX; i++)
		late_add(t[3], thr_new(100 + i));
	late_receive(t[3]);
	assert_true(is_before_reset(0, t[0]->epoch));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(publish_and_receive),
		cmocka_unit_test(one_order),
		cmocka_unit_test(publish_or_replace),
		cmocka_unit_test(merge),
		cmocka_unit_test(growth),
		cmocka_unit_test(stores),
		cmocka_unit_test(see),
		cmocka_unit_test(see_a_thread_that_is_gone),
		cmocka_unit_test(late_writes),
	};
	return cmocka_run_group_tests(tests, core_setup, NULL);
}
