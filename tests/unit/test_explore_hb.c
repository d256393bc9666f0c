/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the table of synchronisation (wire/sync.def): edges, dependence, and vector clocks. */
#include "explore/execution/hb.h"

#include "unit/unit.h"
#include "wire/depend.h"

#define M 0x2000

static struct wire_op op(uint8_t kind, uint64_t object, uint8_t mode, uint64_t value)
{
	return (struct wire_op){
		.kind = kind, .object = object, .mode = mode, .value = value, .size = 4
	};
}

static void follow(struct hb *h, uint32_t thread, struct wire_op o)
{
	struct sync_edge from = op_edge(&o, thread, false), to = op_edge(&o, thread, true);
	if (from.via != VIA_NOTHING)
		hb_receive(h, thread, from);
	if (to.via != VIA_NOTHING)
		hb_publish(h, thread, to);
}

/* What a thread does before it publishes is covered by who receives it, what it does then is not. */
static void test_clocks(void **state)
{
	struct hb h = { 0 };
	(void)state;
	for (int execution = 0; execution < 2; execution++) {
		hb_begin(&h);
		follow(&h, 0, op(EV_FORK, 1, 0, 0));
		follow(&h, 0, op(EV_FORK, 2, 0, 0));
		assert_true(hb_covers(&h, 1, 0, 1));
		assert_false(hb_covers(&h, 1, 0, 2));
		assert_true(hb_covers(&h, 2, 0, 2));
		uint32_t before = hb_time(&h, 1);
		follow(&h, 1, op(EV_RELEASE, M, SYNC_MUTEX, 0));
		assert_false(hb_covers(&h, 2, 1, before));
		follow(&h, 2, op(EV_ACQUIRE, M, SYNC_ANNOTATED, 1));
		assert_false(hb_covers(&h, 2, 1, before));
		follow(&h, 2, op(EV_ACQUIRE, M, SYNC_MUTEX, 1));
		assert_true(hb_covers(&h, 2, 1, before));
		assert_false(hb_covers(&h, 2, 1, hb_time(&h, 1)));
		follow(&h, 1, op(EV_END, 1, 0, 0));
		struct wire_op vain = op(EV_JOIN, 1, 0, 0);
		vain.flags = EVF_FAILED;
		follow(&h, 0, vain);
		assert_false(hb_covers(&h, 0, 1, before));
		follow(&h, 0, op(EV_JOIN, 1, 0, 0));
		assert_true(hb_covers(&h, 0, 1, before));
	}
	hb_release(&h);
}

static bool depend(struct wire_op a, struct wire_op b)
{
	assert_int_equal(ops_depend(&a, &b), ops_depend(&b, &a));
	return ops_depend(&a, &b);
}

static void test_dependence(void **state)
{
	(void)state;
	struct wire_op cas = op(EV_RMW, M, MODE_SEQ_CST, 1), failed = cas;
	failed.flags = EVF_FAILED;
	assert_true(depend(cas, cas));
	assert_true(depend(cas, failed));
	assert_false(depend(failed, failed));
	assert_false(depend(op(EV_READ, M, 0, 0), op(EV_READ, M, 0, 0)));
	assert_true(depend(op(EV_READ, M, 0, 0), op(EV_WRITE, M + 3, 0, 0)));
	assert_false(depend(op(EV_READ, M, 0, 0), op(EV_WRITE, M + 4, 0, 0)));
	assert_false(depend(op(EV_ACQUIRE, M, SYNC_RDLOCK, 1), op(EV_RELEASE, M, SYNC_RDLOCK, 0)));
	assert_true(depend(op(EV_ACQUIRE, M, SYNC_RDLOCK, 1), op(EV_ACQUIRE, M, SYNC_WRLOCK, 1)));
	assert_false(depend(op(EV_SEM_POST, M, SYNC_SEMAPHORE, 1), op(EV_SEM_POST, M, 0, 2)));
	assert_true(depend(op(EV_SEM_POST, M, SYNC_SEMAPHORE, 1), op(EV_SEM_WAIT, M, 0, 2)));
	assert_false(depend(op(EV_TIMEOUT, M, SYNC_COND, 0), op(EV_WAIT, M, SYNC_COND, 0)));
	assert_true(depend(op(EV_WAIT, M, SYNC_COND, 0), op(EV_WAIT, M, SYNC_COND, 0)));
	assert_false(depend(op(EV_CANCEL, 1, 0, 0), op(EV_END, 1, 0, 0)));
	assert_true(depend(op(EV_JOIN, 1, 0, 0), op(EV_END, 1, 0, 0)));
	/* an annotation does not touch the bytes of the lock, but its memory must be there */
	struct wire_op annotated = op(EV_ACQUIRE, M, SYNC_ANNOTATED, 1);
	assert_false(depend(annotated, op(EV_WRITE, M, 0, 0)));
	assert_true(depend(annotated, op(EV_FREE, M, 0, 0)));
}

/* A kind that is a thread's own has neither a footprint nor an edge, whatever else is in it. */
static void test_own_kinds(void **state)
{
	static const uint8_t own[] = {
#define SYNC_OWN(NAME) EV_##NAME,
#include "wire/sync.def"
	};
	(void)state;
	for (size_t i = 0; i < sizeof(own); i++) {
		struct wire_op o = op(own[i], M, 1, 1);
		assert_int_equal(op_footprint(&o).space, SPACE_NONE);
		assert_int_equal(op_edge(&o, 0, true).via, VIA_NOTHING);
		assert_int_equal(op_edge(&o, 0, false).via, VIA_NOTHING);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_dependence),
		cmocka_unit_test(test_own_kinds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
