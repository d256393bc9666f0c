/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of explore/candidates on small executions written out: which pairs are candidates under
 * limited happens-before plus locksets, and which are not.
 */
#include "explore/deepening/candidates.h"
#include <stdio.h>

#include "unit/unit.h"

#define X 0x1000
#define M 0x2000
#define C 0x2100

static struct wire_op ops[64];
static size_t count;

static void op(uint8_t kind, uint64_t object, uint32_t size, uint8_t mode, uint64_t pc)
{
	ops[count++] = (struct wire_op){
		.object = object, .size = size, .kind = kind, .mode = mode, .pc = pc
	};
}
static void start(void)
{
	count = 0;
}
static void step(uint32_t thread)
{
	op(OP_STEP, thread, 0, 0, 0);
}
static void rd(uint64_t pc)
{
	op(EV_READ, X, 4, MODE_PLAIN, pc);
}
static void wr(uint64_t pc)
{
	op(EV_WRITE, X, 4, MODE_PLAIN, pc);
}
static void lock(void)
{
	op(EV_ACQUIRE, M, 0, SYNC_MUTEX, 0);
}
static void unlock(void)
{
	op(EV_RELEASE, M, 0, SYNC_MUTEX, 0);
}

/* Candidates of the operations written, as pairs of decimal numbers. */
static struct candidates collected(void)
{
	struct candidates c = { 0 };
	struct execution x = { .ops = ops, .ops_count = count };
	candidates_collect(&c, &x);
	return c;
}

static void expect(const char *pairs)
{
	struct candidates c = collected();
	char text[200] = "";
	for (size_t i = 0; i < c.found.len; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%d-%d%s",
			 i ? " " : "", (int)c.found.at[i].earlier, (int)c.found.at[i].later,
			 c.found.at[i].is_recycled ? "r" : "");
	candidates_release(&c);
	assert_string_equal(text, pairs);
}

/* A plain access that fails needs no partner; of other failures nothing is known. */
static void failures(void **state)
{
	(void)state;
	start();
	step(1);
	rd(1);
	op(EV_FAILURE, X, 0, FAILED_PLAIN_ACCESS, 1);
	expect("1-1");
	start();
	step(1);
	rd(1);
	op(EV_FAILURE, X, 0, FAILED_SOMEHOW, 1);
	expect("");
	start();
	step(1);
	op(EV_FREE, X, 8, 0, 1);
	step(2);
	rd(2);
	op(EV_FAILURE, X, 0, FAILED_PLAIN_ACCESS, 2);
	expect("1-2 2-2");
}

static void conflicts_of_two_threads(void **state)
{
	(void)state;
	start();
	step(1);
	rd(1);
	wr(2);
	step(2);
	rd(3);
	wr(4);
	expect("2-3 2-4 1-4");
	/* Reading is no conflict, other bytes are none, and one thread has none with itself. */
	start();
	step(1);
	rd(1);
	wr(5);
	step(1);
	wr(6);
	step(2);
	op(EV_WRITE, X + 4, 4, MODE_PLAIN, 7);
	step(3);
	op(EV_READ, X + 8, 8, MODE_PLAIN, 8);
	expect("");
	/* Overlap of different sizes, across a border of cells. */
	start();
	step(1);
	op(EV_WRITE, X + 6, 4, MODE_PLAIN, 1);
	step(2);
	op(EV_READ, X + 9, 1, MODE_PLAIN, 2);
	step(2);
	op(EV_READ, X + 10, 1, MODE_PLAIN, 3);
	expect("1-2");
}

static void a_common_lock_protects(void **state)
{
	(void)state;
	start();
	step(1);
	lock();
	wr(1);
	unlock();
	step(2);
	lock();
	wr(2);
	unlock();
	expect("");
	/* Both for reading: it does not. */
	start();
	step(1);
	op(EV_ACQUIRE, M, 0, SYNC_RDLOCK, 0);
	wr(1);
	op(EV_RELEASE, M, 0, SYNC_RDLOCK, 0);
	step(2);
	op(EV_ACQUIRE, M, 0, SYNC_RDLOCK, 0);
	wr(2);
	op(EV_RELEASE, M, 0, SYNC_RDLOCK, 0);
	expect("1-2");
	/* One of them for writing: it does. */
	start();
	step(1);
	op(EV_ACQUIRE, M, 0, SYNC_RDLOCK, 0);
	rd(1);
	op(EV_RELEASE, M, 0, SYNC_RDLOCK, 0);
	step(2);
	op(EV_ACQUIRE, M, 0, SYNC_WRLOCK, 0);
	wr(2);
	op(EV_RELEASE, M, 0, SYNC_WRLOCK, 0);
	expect("");
	/* Recursively: held until the last release. */
	start();
	step(1);
	lock();
	lock();
	unlock();
	wr(1);
	unlock();
	step(2);
	lock();
	wr(2);
	unlock();
	wr(3);
	expect("1-3");
}

/* Limited against pure happens-before: an unrelated section in between orders nothing. */
static void a_lock_that_was_free_orders_nothing(void **state)
{
	(void)state;
	start();
	step(1);
	wr(1);
	lock();
	unlock();
	step(2);
	lock();
	unlock();
	wr(2);
	expect("1-2");
}

static void a_lock_that_was_waited_for_orders(void **state)
{
	(void)state;
	start();
	step(1);
	lock();
	wr(1);
	step(2);
	op(OP_BLOCKED, M, 0, SYNC_MUTEX, 0);
	step(1);
	unlock();
	wr(3);
	step(2);
	lock();
	unlock();
	wr(2);
	expect("3-2");
	/* Only who let it go on: an earlier owner of the same lock did not. */
	start();
	step(3);
	wr(5);
	lock();
	unlock();
	step(1);
	lock();
	step(2);
	op(OP_BLOCKED, M, 0, SYNC_MUTEX, 0);
	step(1);
	unlock();
	step(2);
	lock();
	unlock();
	wr(2);
	expect("5-2");
}

static void creation_and_end_order(void **state)
{
	(void)state;
	start();
	step(0);
	wr(1);
	op(EV_FORK, 1, 0, 0, 0);
	wr(2);
	step(1);
	op(EV_BEGIN, 0, 0, 0, 0);
	rd(3);
	op(EV_END, 0, 0, 0, 0);
	step(0);
	op(EV_JOIN, 1, 0, 0, 0);
	wr(4);
	expect("2-3");
}

static void signals_and_barriers_order(void **state)
{
	(void)state;
	start();
	step(1);
	op(EV_WAIT, C, 0, SYNC_COND, 0);
	op(OP_BLOCKED, C, 0, SYNC_COND, 0);
	step(2);
	wr(1);
	op(EV_SIGNAL, C, 0, SYNC_COND, 0);
	wr(2);
	step(1);
	op(EV_WAKE, C, 0, SYNC_COND, 0);
	rd(3);
	expect("2-3");
	start();
	step(1);
	wr(1);
	op(EV_BARRIER_IN, C, 0, SYNC_BARRIER, 0);
	op(OP_BLOCKED, C, 0, SYNC_BARRIER, 0);
	step(2);
	op(EV_BARRIER_IN, C, 0, SYNC_BARRIER, 0);
	op(OP_BLOCKED, C, 0, SYNC_BARRIER, 0);
	step(3);
	op(EV_BARRIER_IN, C, 0, SYNC_BARRIER, 0);
	step(2);
	rd(2);
	expect("");
}

static void lives_of_heap_blocks_are_told_apart(void **state)
{
	(void)state;
	start();
	step(1);
	op(EV_ALLOC, X, 16, 0, 0);
	step(1);
	wr(1);
	op(EV_FREE, X, 16, 0, 9);
	step(2);
	op(EV_ALLOC, X, 16, 0, 0);
	wr(2);
	expect("9-2r 1-2r");
	/* The same life. */
	start();
	step(1);
	op(EV_ALLOC, X, 16, 0, 0);
	wr(1);
	step(2);
	wr(2);
	expect("1-2");
}

static void atomic_accesses_are_points_anyway(void **state)
{
	(void)state;
	start();
	step(1);
	op(EV_WRITE, X, 4, MODE_RELAXED, 1);
	step(2);
	op(EV_RMW, X, 4, MODE_SEQ_CST, 2);
	step(2);
	rd(3);
	expect("1-3");
}

/* What is kept from one execution to the next is what was found, and nothing else. */
static void executions_do_not_mix(void **state)
{
	(void)state;
	struct candidates c = { 0 };
	start();
	step(1);
	wr(1);
	candidates_collect(&c, &(struct execution){ .ops = ops, .ops_count = count });
	start();
	step(2);
	wr(2);
	candidates_collect(&c, &(struct execution){ .ops = ops, .ops_count = count });
	assert_int_equal(c.found.len, 0);
	start();
	step(1);
	wr(1);
	step(2);
	wr(2);
	candidates_collect(&c, &(struct execution){ .ops = ops, .ops_count = count });
	candidates_collect(&c, &(struct execution){ .ops = ops, .ops_count = count });
	assert_int_equal(c.found.len, 1);
	candidates_release(&c);
}

int main(void)
{
	RUN(cmocka_unit_test(conflicts_of_two_threads), cmocka_unit_test(failures),
	    cmocka_unit_test(a_common_lock_protects),
	    cmocka_unit_test(a_lock_that_was_free_orders_nothing),
	    cmocka_unit_test(a_lock_that_was_waited_for_orders),
	    cmocka_unit_test(creation_and_end_order), cmocka_unit_test(signals_and_barriers_order),
	    cmocka_unit_test(lives_of_heap_blocks_are_told_apart),
	    cmocka_unit_test(atomic_accesses_are_points_anyway),
	    cmocka_unit_test(executions_do_not_mix));
}
