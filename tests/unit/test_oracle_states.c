/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the closure engine knows in between, on the running example of the SeqCheck paper: which
 * operations a question needs, which reads are bound, which orders follow, and where each
 * thread's neighbours are in the other threads.
 */
#include "notation.h"
#include "base/stop.h"
#include "oracle/closure.h"
#include "oracle/question.h"

#define OPERATIONS 22

static const char delta[] = DELTA("3:wr(p)", "3:wr(x)");

struct example {
	struct history h;
	struct question q;
	struct attempt a;
	uint64_t sweeps, work;
};

/* The question whether 6, 18 and 12 can happen in this order. */
static void begin(struct example *e)
{
	*e = (struct example){ .sweeps = 1000, .work = 100000 };
	e->h = the_history(delta);
	question_add_sequence(&e->q, (const op_id[]){ 5, 17, 11 }, 3);
	e->a = (struct attempt){ .h = &e->h, .q = &e->q, .sweeps = &e->sweeps, .work = &e->work };
	assert_true(op_set_init(&e->a.set, &e->h, &e->q));
}

static void end(struct example *e)
{
	attempt_end(&e->a);
	op_set_release(&e->a.set);
	question_release(&e->q);
	history_release(&e->h);
}

static void expect_set(const struct op_set *s, const char *expected)
{
	for (op_id i = 0; i < OPERATIONS; i++)
		assert_int_equal(op_set_has(s, i), expected[i] == 'x');
}

static void test_set_without_locks(void **state)
{
	(void)state;
	struct example e;
	begin(&e);
	assert_true(op_set_close(&e.a.set));
	/* 6, 18 and 12 with what precedes them in their threads, and 7, which 10 and 16 have seen
	 * before their branches. */
	expect_set(&e.a.set, "xxxxxxx.xxxx..xxxx....");
	end(&e);
}

/* All of it: releases that the order asks for are added until there are no more. */
static void close_all(struct example *e)
{
	for (;;) {
		assert_true(op_set_close(&e->a.set));
		assert_true(attempt_begin(&e->a) && attempt_saturate(&e->a));
		if (!e->a.needed.len)
			return;
		for (size_t i = 0; i < e->a.needed.len; i++)
			assert_true(op_set_want(&e->a.set, e->a.needed.at[i]));
		attempt_end(&e->a);
	}
}

static void test_set(void **state)
{
	(void)state;
	struct example e;
	begin(&e);
	close_all(&e);
	/* All but 13 and 14. */
	expect_set(&e.a.set, "xxxxxxxxxxxx..xxxxxxxx");
	/* 10 and 16 are bound to 7; 18 and 20 are not bound. */
	assert_int_equal(e.a.reads.len, 2);
	assert_int_equal(e.a.reads.at[0].access->op + 1, 10);
	assert_int_equal(e.a.reads.at[0].write + 1, 7);
	assert_int_equal(e.a.reads.at[1].access->op + 1, 16);
	assert_int_equal(e.a.reads.at[1].write + 1, 7);
	end(&e);
}

/* Reachability by the edges that the specification gives, and program order. */
static void reach(const struct history *h, bool to[OPERATIONS][OPERATIONS])
{
	static const op_id edges[][2] = { { 3, 5 },  { 7, 16 }, { 8, 19 },
					  { 22, 9 }, { 6, 18 }, { 18, 12 } };
	for (op_id i = 0; i < OPERATIONS; i++)
		for (op_id k = 0; k < OPERATIONS; k++)
			to[i][k] = i != k && h->ops.at[i].thread == h->ops.at[k].thread && i < k;
	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
		to[edges[i][0] - 1][edges[i][1] - 1] = true;
	for (op_id m = 0; m < OPERATIONS; m++)
		for (op_id i = 0; i < OPERATIONS; i++)
			for (op_id k = 0; k < OPERATIONS; k++)
				to[i][k] |= to[i][m] && to[m][k];
}

static void test_orders(void **state)
{
	(void)state;
	struct example e;
	bool to[OPERATIONS][OPERATIONS];
	begin(&e);
	close_all(&e);
	reach(&e.h, to);
	for (op_id i = 0; i < OPERATIONS; i++)
		for (op_id k = 0; k < OPERATIONS; k++) {
			const struct op *x = &e.h.ops.at[i], *y = &e.h.ops.at[k];
			if (!op_set_has(&e.a.set, i) || !op_set_has(&e.a.set, k) ||
			    x->thread == y->thread)
				continue;
			bool is_ordered =
				graph_after(&e.a.graph, x->thread, x->own, y->thread) <= y->own;
			if (is_ordered != to[i][k])
				fail_msg("%u and %u are %sordered", i + 1, k + 1,
					 is_ordered ? "" : "not ");
		}
	end(&e);
}

static void test_neighbours(void **state)
{
	(void)state;
	static const struct {
		op_id of;
		uint32_t thread;
		op_id is;
	} after[] = { { 4, 2, 16 }, { 8, 2, 19 }, { 2, 3, 5 } },
	  before[] = { { 9, 2, 22 }, { 9, 3, 8 }, { 16, 3, 7 }, { 5, 2, 3 } };
	struct example e;
	begin(&e);
	close_all(&e);
	for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++) {
		const struct op *o = &e.h.ops.at[after[i].of - 1];
		uint32_t at = graph_after(&e.a.graph, o->thread, o->own, after[i].thread);
		assert_int_equal(history_op(&e.h, after[i].thread, at) + 1, after[i].is);
	}
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		const struct op *o = &e.h.ops.at[before[i].of - 1];
		uint32_t count = graph_before(&e.a.graph, o->thread, o->own, before[i].thread);
		assert_int_equal(history_op(&e.h, before[i].thread, count - 1) + 1, before[i].is);
	}
	end(&e);
}

/* With nothing left to order the sequence is the one that the specification gives. */
static void test_completion(void **state)
{
	(void)state;
	struct example e;
	struct answer a = { 0 };
	begin(&e);
	close_all(&e);
	assert_true(attempt_keep_open(&e.a) && attempt_saturate(&e.a));
	uint64_t edges = e.a.graph.edges;
	assert_true(attempt_complete(&e.a));
	assert_int_equal(e.a.graph.edges, edges);
	assert_true(attempt_linearise(&e.a, &a));
	assert_int_equal(a.witness.len, 20);
	assert_int_equal(vec_last(&a.witness) + 1, 12);
	answer_release(&a);
	end(&e);
}

/* A read of the set of all operations may name another write of its variable, as long as nothing
 * depends on it. */
static void test_other_writes(void **state)
{
	(void)state;
	struct example e = { 0 };
	e.h = the_history(delta);
	vec_push(&e.q.include, OPERATIONS - 1);
	vec_push(&e.q.include, 13);
	vec_push(&e.q.sights,
		 ((struct question_sight){ .read = 17, .variable = 'p' - 'a', .write = 5 }));
	vec_push(&e.q.sights,
		 ((struct question_sight){ .read = 19, .variable = 'y' - 'a', .write = 3 }));
	assert_true(op_set_init(&e.a.set, &e.h, &e.q) && op_set_close(&e.a.set));
	expect_set(&e.a.set, "xxxxxxx.xxxxxxxxxxxxxx");
	op_set_release(&e.a.set);
	/* 16 is bound by its branch: naming 2 leaves no room for what follows. */
	vec_push(&e.q.sights,
		 ((struct question_sight){ .read = 15, .variable = 'x' - 'a', .write = 1 }));
	assert_false(op_set_init(&e.a.set, &e.h, &e.q) && op_set_close(&e.a.set));
	e.a.h = &e.h;
	end(&e);
}

/* The table of pairs of threads takes memory for those that are ordered; a stop cuts an order off. */
static void test_many_threads(void **state)
{
	(void)state;
	static uint32_t length[5000];
	static volatile sig_atomic_t is_stopped;
	struct order_graph g;
	for (uint32_t t = 0; t < 5000; t++)
		length[t] = 2;
	graph_init(&g, 5000, length);
	assert_int_equal(g.bytes, 0);
	for (uint32_t t = 0; t + 1 < 5000; t += 2)
		assert_true(graph_insert(&g, t, 0, t + 1, 1));
	assert_true(g.bytes < 16000000);
	assert_int_equal(graph_after(&g, 64, 0, 65), 1);
	assert_int_equal(graph_after(&g, 64, 0, 66), GRAPH_NOWHERE);
	assert_int_equal(graph_before(&g, 4999, 1, 4998), 1);
	assert_true(graph_insert(&g, 65, 1, 4000, 1));
	assert_int_equal(graph_after(&g, 64, 0, 4000), 1);
	assert_false(graph_insert(&g, 4000, 1, 64, 0));
	stop_watch(&is_stopped, 0);
	assert_true(graph_work(&g, 10000000));
	is_stopped = 1;
	assert_false(graph_work(&g, 10000000));
	assert_true(g.is_cut_off);
	stop_watch(NULL, 0);
	graph_release(&g);
}

int main(void)
{
	RUN(cmocka_unit_test(test_set_without_locks), cmocka_unit_test(test_set),
	    cmocka_unit_test(test_orders), cmocka_unit_test(test_neighbours),
	    cmocka_unit_test(test_completion), cmocka_unit_test(test_other_writes),
	    cmocka_unit_test(test_many_threads));
}
