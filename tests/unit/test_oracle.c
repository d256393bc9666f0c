/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracle on small histories with known answers: the examples of the SeqCheck paper (Figures 1
 * and 2), the cases that the printed algorithm gets wrong, deadlocks, atomicity.  Both engines
 * must give the answer, each for itself, and every witness is judged by the checker.
 */
#include "base/stop.h"
#include "notation.h"
#include "oracle/oracle.h"

/* Both engines; the answer of the closure is left in *a if it is wanted. */
static void expect(const char *name, const struct history *h, const struct question *q,
		   enum verdict verdict, struct answer *a)
{
	static const struct oracle_limits limits;
	struct answer answers[2] = { { 0 } };
	closure_ask(h, q, &limits, &answers[0]);
	solver_ask(h, q, &limits, &answers[1]);
	for (int i = 0; i < 2; i++) {
		/* Of many threads closure need not know what is impossible. */
		bool fits = answers[i].verdict == verdict ||
			    (!i && verdict == VERDICT_INFEASIBLE &&
			     answers[i].verdict == VERDICT_UNKNOWN && h->threads > 3);
		if (!fits)
			fail_msg("%s: the %s answers %d instead of %d", name,
				 i ? "solver" : "closure", answers[i].verdict, verdict);
		if (answers[i].verdict == VERDICT_FEASIBLE)
			assert_null(
				witness_flaw(h, q, answers[i].witness.at, answers[i].witness.len));
	}
	if (a)
		*a = answers[0];
	else
		answer_release(&answers[0]);
	answer_release(&answers[1]);
}

static void add_sequence(struct question *q, const op_id *sequence)
{
	op_id ops[16];
	size_t n = 0;
	for (; sequence && sequence[n]; n++)
		ops[n] = sequence[n] - 1;
	question_add_sequence(q, ops, n);
}

/* A sequence, and perhaps the adjacent pair of its first two. */
static void check(const char *text, const op_id *sequence, bool is_adjacent, enum verdict verdict)
{
	struct history h = the_history(text);
	struct question q = { 0 };
	add_sequence(&q, sequence);
	if (is_adjacent)
		vec_push(&q.adjacent, ((struct op_order){ sequence[0] - 1, sequence[1] - 1 }));
	expect(text, &h, &q, verdict, NULL);
	question_release(&q);
	history_release(&h);
}

/* A race: adjacent in both orders, and both threads about to access. */
static void check_race(const char *text, op_id x, op_id y, enum verdict verdict)
{
	struct history h = the_history(text);
	for (int i = 0; i < 4; i++) {
		struct question q = { 0 };
		if (i < 3)
			vec_push(&q.adjacent, ((struct op_order){ x - 1, y - 1 }));
		if (i == 1 || i == 2)
			add_sequence(&q, i == 1 ? SEQUENCE(x, y) : SEQUENCE(y, x));
		if (i == 3) {
			vec_push(&q.pending, x - 1);
			vec_push(&q.pending, y - 1);
		}
		expect(text, &h, &q, verdict, NULL);
		question_release(&q);
	}
	history_release(&h);
}

/* ---- the running example ---- */

static const char delta[] = DELTA("3:wr(p)", "3:wr(x)");

static void test_running_example(void **state)
{
	(void)state;
	struct history h = the_history(delta);
	struct question q = { 0 };
	struct answer a;
	add_sequence(&q, SEQUENCE(6, 18, 12));
	expect("delta", &h, &q, VERDICT_FEASIBLE, &a);
	/* The set that algorithm 1 computes: all but 13 and 14. */
	static const op_id witness[] = { 1,  2,	 3,  4,	 5,  6,	 7, 8,	15, 16,
					 17, 18, 19, 20, 21, 22, 9, 10, 11, 12 };
	assert_int_equal(a.witness.len, sizeof(witness) / sizeof(witness[0]));
	for (size_t i = 0; i < a.witness.len; i++)
		assert_int_equal(a.witness.at[i] + 1, witness[i]);
	assert_int_equal(a.attempts, 1);
	answer_release(&a);
	question_release(&q);
	history_release(&h);
}

static void test_orders_of_the_running_example(void **state)
{
	(void)state;
	check(delta, SEQUENCE(6, 12, 18), false, VERDICT_FEASIBLE);
	check(delta, SEQUENCE(12, 6, 18), false, VERDICT_INFEASIBLE);
	check(delta, SEQUENCE(12, 18, 6), false, VERDICT_INFEASIBLE);
	check(delta, SEQUENCE(18, 6, 12), false, VERDICT_INFEASIBLE);
	check(delta, SEQUENCE(18, 12, 6), false, VERDICT_INFEASIBLE);
	check(delta, SEQUENCE(18, 12), false, VERDICT_FEASIBLE);
	check(delta, SEQUENCE(7, 2), false, VERDICT_FEASIBLE);
	check(delta, SEQUENCE(13, 20), false, VERDICT_FEASIBLE);
	check(delta, SEQUENCE(20, 13), false, VERDICT_FEASIBLE);
	check(delta, SEQUENCE(20, 4), false, VERDICT_INFEASIBLE);
	check(delta, SEQUENCE(13, 4), false, VERDICT_INFEASIBLE);
}

static void test_races_of_the_running_example(void **state)
{
	(void)state;
	static const op_id yes[][2] = { { 2, 10 }, { 7, 10 }, { 7, 16 } };
	static const op_id no[][2] = { { 6, 12 },  { 12, 18 }, { 4, 13 }, { 4, 20 },
				       { 13, 20 }, { 6, 18 },  { 2, 7 } };
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		check_race(delta, yes[i][0], yes[i][1], VERDICT_FEASIBLE);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		check_race(delta, no[i][0], no[i][1], VERDICT_INFEASIBLE);
	/* With two writes exchanged: that branches are adjacent does not decide about races. */
	check_race(DELTA("3:wr(x)", "3:wr(p)"), 7, 12, VERDICT_FEASIBLE);
}

/* Small traces of other authors, with the race on y that each is about. */
static void test_micro_traces(void **state)
{
	(void)state;
	/* Sections that write the same variable may change places. */
	check_race("1:acq(l) 1:wr(x) 1:wr(y) 1:rel(l) 2:acq(l) 2:wr(x) 2:rel(l) 2:rd(y)", 3, 8,
		   VERDICT_FEASIBLE);
	check_race("1:acq(m) 1:rel(m) 1:acq(l) 1:rd(y) 1:wr(x) 1:rel(l) 2:acq(m) 2:acq(l) 2:wr(x) "
		   "2:rel(l) "
		   "2:rel(m) 2:wr(y)",
		   4, 12, VERDICT_FEASIBLE);
	check_race("1:acq(l) 1:wr(x) 1:rel(l) 2:acq(l) 2:wr(y) 2:wr(x) 2:rel(l) 3:acq(l) 3:wr(x) "
		   "3:rel(l) "
		   "3:wr(y)",
		   5, 11, VERDICT_FEASIBLE);
	check_race("1:wr(y) 1:acq(l) 1:wr(x) 1:rel(l) 2:acq(l) 2:wr(x) 2:rel(l) 3:acq(l) 3:wr(x) "
		   "3:rel(l) "
		   "3:wr(y)",
		   1, 11, VERDICT_FEASIBLE);
	/* What is read under l3 orders the sections of l2, and these those of l1. */
	check_race("1:acq(l1) 1:acq(l2) 1:acq(l3) 1:wr(x) 1:rel(l3) 1:rel(l2) 1:acq(l4) 1:rel(l4) "
		   "1:wr(y) "
		   "1:rel(l1) 2:acq(l2) 2:wr(x) 2:rel(l2) 2:acq(l1) 2:rel(l1) 2:acq(l4) 2:acq(l3) "
		   "2:rd(x) 2:br "
		   "2:rel(l3) 2:rd(y) 2:rel(l4)",
		   9, 21, VERDICT_INFEASIBLE);
}

static void test_first_figure(void **state)
{
	(void)state;
	static const char figure[] =
		"2:acq(l) 2:rd(y) 2:wr(x) 2:rel(l) 1:acq(l) 1:rd(x) 1:wr(x) 1:rel(l) 1:wr(y)";
	check_race(figure, 2, 9, VERDICT_FEASIBLE);
	check(figure, SEQUENCE(9, 2), false, VERDICT_FEASIBLE);
	check_race(
		"2:acq(l) 2:rd(y) 2:wr(x) 2:rel(l) 1:acq(l) 1:rd(x) 1:br 1:wr(x) 1:rel(l) 1:wr(y)",
		2, 10, VERDICT_INFEASIBLE);
}

/* ---- what the printed algorithm gets wrong ---- */

static void test_initial_content(void **state)
{
	(void)state;
	check("1:rd(x) 1:br 1:wr(z) 2:wr(x)", SEQUENCE(4, 1, 3), false, VERDICT_INFEASIBLE);
	check("1:wr(x) 2:rd(x)", SEQUENCE(2, 1), false, VERDICT_FEASIBLE);
}

static void test_sections(void **state)
{
	(void)state;
	/* The release itself is asked for. */
	check("2:acq(l) 2:rel(l) 1:acq(l) 1:wr(x) 1:rel(l)", SEQUENCE(4, 2), false,
	      VERDICT_FEASIBLE);
	/* A section between two operations of one thread. */
	static const char between[] = "2:wr(x) 2:acq(l) 2:rel(l) 2:rd(x) 1:acq(l) 1:rel(l)";
	check(between, SEQUENCE(5, 1, 4), false, VERDICT_FEASIBLE);
	check(between, SEQUENCE(1, 5, 4), true, VERDICT_FEASIBLE);
	/* A section that must be closed only because of what is read: even the recorded order
	 * needs it. */
	check("2:acq(l) 2:wr(x) 1:rd(x) 2:rel(l) 1:br 1:acq(l) 1:rel(l) 1:wr(z)", SEQUENCE(1, 8),
	      false, VERDICT_FEASIBLE);
	/* The trace ends while the lock is held. */
	check("1:acq(l) 1:wr(x) 2:wr(y) 2:req(l)", SEQUENCE(3, 2), false, VERDICT_FEASIBLE);
	/* A section that never ends comes after those that do, whatever the sequence asks for. */
	static const char open[] = "2:acq(l) 2:wr(y) 2:rel(l) 1:acq(l) 1:wr(x)";
	check(open, SEQUENCE(2, 5), false, VERDICT_FEASIBLE);
	check(open, SEQUENCE(5, 2), false, VERDICT_INFEASIBLE);
	check(open, SEQUENCE(4, 1), false, VERDICT_INFEASIBLE);
}

/* A section that nobody else needs is not closed: its end would need a write that has not happened.
 */
static void test_closing_on_demand(void **state)
{
	(void)state;
	static const char text
		[] = "1:wr(z) 3:acq(l) 3:wr(x) 3:rd(z) 3:br 3:rel(l) 2:rd(x) 2:br 2:wr(y)",
	    needed[] =
		    "1:wr(z) 3:acq(l) 3:wr(x) 3:rd(z) 3:br 3:rel(l) 2:rd(x) 2:br 2:acq(l) 2:wr(y)";
	for (int i = 0; i < 2; i++) {
		struct history h = the_history(i ? needed : text);
		struct question q = { 0 };
		vec_push(&q.include, i ? 9 : 8);
		vec_push(&q.pending, 0);
		expect(i ? needed : text, &h, &q, i ? VERDICT_INFEASIBLE : VERDICT_FEASIBLE, NULL);
		question_release(&q);
		history_release(&h);
	}
}

static void test_adjacent_pairs(void **state)
{
	(void)state;
	check("1:wr(x) 3:wr(z) 2:wr(x) 4:rd(z) 4:br 4:wr(q)", SEQUENCE(1, 3, 6), true,
	      VERDICT_FEASIBLE);
	/* A branch after the read does not hide its race. */
	check_race("1:wr(x) 2:rd(x) 2:br", 1, 2, VERDICT_FEASIBLE);
}

/* ---- deadlocks ---- */

static void check_deadlock(const char *text, op_id x, op_id y, const op_id *first,
			   const op_id *second, enum verdict verdict)
{
	check(text, first, false, verdict);
	check(text, second, false, verdict);
	struct history h = the_history(text);
	struct question q = { 0 };
	vec_push(&q.pending, x - 1);
	vec_push(&q.pending, y - 1);
	expect(text, &h, &q, verdict, NULL);
	question_release(&q);
	history_release(&h);
}

static void test_deadlocks(void **state)
{
	(void)state;
	check_deadlock("1:acq(l) 1:req(m) 1:acq(m) 1:rel(m) 1:rel(l) 2:acq(m) 2:req(l) 2:acq(l) "
		       "2:rel(l) 2:rel(m)",
		       3, 8, SEQUENCE(6, 2, 7), SEQUENCE(1, 7, 2), VERDICT_FEASIBLE);
	/* Without requests it cannot be asked for. */
	static const char bare[] =
		"1:acq(l) 1:acq(m) 1:rel(m) 1:rel(l) 2:acq(m) 2:acq(l) 2:rel(l) 2:rel(m)";
	check(bare, SEQUENCE(5, 2, 6), false, VERDICT_INFEASIBLE);
	check(bare, SEQUENCE(1, 6, 2), false, VERDICT_INFEASIBLE);
	/* A gate lock around both. */
	check_deadlock("1:acq(g) 1:acq(l) 1:req(m) 1:acq(m) 1:rel(m) 1:rel(l) 1:rel(g) "
		       "2:acq(g) 2:acq(m) 2:req(l) 2:acq(l) 2:rel(l) 2:rel(m) 2:rel(g)",
		       4, 11, SEQUENCE(9, 3, 10), SEQUENCE(2, 10, 3), VERDICT_INFEASIBLE);
	/*
	 * The second thread begins only after it has seen a flag; without the branch nothing
	 * depends on that.
	 */
	check_deadlock("1:acq(l) 1:req(m) 1:acq(m) 1:rel(m) 1:rel(l) 1:wr(f) 2:rd(f) 2:br "
		       "2:acq(m) 2:req(l) 2:acq(l) 2:rel(l) 2:rel(m)",
		       3, 11, SEQUENCE(9, 2, 10), SEQUENCE(1, 10, 2), VERDICT_INFEASIBLE);
	check_deadlock("1:acq(l) 1:req(m) 1:acq(m) 1:rel(m) 1:rel(l) 1:wr(f) 2:rd(f) "
		       "2:acq(m) 2:req(l) 2:acq(l) 2:rel(l) 2:rel(m)",
		       3, 10, SEQUENCE(8, 2, 9), SEQUENCE(1, 9, 2), VERDICT_FEASIBLE);
}

static void test_philosophers(void **state)
{
	(void)state;
	static const char text[] = "1:acq(l) 1:req(m) 1:acq(m) 1:rel(m) 1:rel(l) 2:acq(m) 2:req(n) "
				   "2:acq(n) 2:rel(n) 2:rel(m) "
				   "3:acq(n) 3:req(l) 3:acq(l) 3:rel(l) 3:rel(n)";
	check(text, SEQUENCE(1, 6, 11, 2, 7, 12), false, VERDICT_FEASIBLE);
	struct history h = the_history(text);
	struct question q = { 0 };
	for (op_id i = 3; i < 15; i += 5)
		vec_push(&q.pending, i - 1);
	expect(text, &h, &q, VERDICT_FEASIBLE, NULL);
	question_release(&q);
	history_release(&h);
}

static void test_atomicity(void **state)
{
	(void)state;
	check("1:acq(l) 1:wr(x) 1:rel(l) 2:acq(l) 2:wr(x) 2:rel(l) 2:acq(l) 2:rd(x) 2:rel(l)",
	      SEQUENCE(5, 2, 8), false, VERDICT_FEASIBLE);
	check("1:acq(l) 1:wr(x) 1:rel(l) 2:acq(l) 2:wr(x) 2:rd(x) 2:rel(l)", SEQUENCE(5, 2, 6),
	      false, VERDICT_INFEASIBLE);
	check("1:wr(x) 2:wr(x) 3:rd(x) 3:br", SEQUENCE(2, 1, 3), false, VERDICT_FEASIBLE);
}

/* ---- what this oracle adds ---- */

static void test_values(void **state)
{
	(void)state;
	/* Both writes leave 7; the read saw the second and is frozen. */
	struct history h = { 0 };
	struct question q = { 0 };
	for (op_id i = 0; i < 2; i++) {
		history_add(&h, i, OP_ACCESS);
		history_add_access(&h, 0, false, true)->written = 7;
	}
	history_add(&h, 2, OP_ACCESS);
	struct op_access *a = history_add_access(&h, 0, true, false);
	a->seen = 1;
	a->value = 7;
	history_add(&h, 2, OP_OTHER);
	h.ops.at[2].guard = 1;
	h.has_values = true;
	history_finish(&h);
	question_add_sequence(&q, (const op_id[]){ 3, 1 }, 2);
	expect("values do not count", &h, &q, VERDICT_INFEASIBLE, NULL);
	q.same_values = true;
	struct answer s = { 0 };
	oracle_ask(&h, &q, NULL, &s);
	assert_int_equal(s.verdict, VERDICT_FEASIBLE);
	answer_release(&s);
	q.same_values = false;
	vec_push(&q.loose, 2);
	expect("nothing depends on the read", &h, &q, VERDICT_FEASIBLE, NULL);
	question_release(&q);
	history_release(&h);
}

static void test_shared_locks(void **state)
{
	(void)state;
	for (int exclusive = 0; exclusive < 2; exclusive++) {
		struct history h = { 0 };
		struct question q = { 0 };
		for (uint32_t t = 0; t < 2; t++) {
			history_add_lock(&h, t, 0, !(exclusive && t), true);
			history_add(&h, t, OP_OTHER);
			history_add_lock(&h, t, 0, true, false);
		}
		history_finish(&h);
		vec_push(&q.pending, 1);
		vec_push(&q.pending, 4);
		expect("inside both sections", &h, &q,
		       exclusive ? VERDICT_INFEASIBLE : VERDICT_FEASIBLE, NULL);
		question_release(&q);
		history_release(&h);
	}
}

static void test_sights(void **state)
{
	(void)state;
	struct history h = the_history("1:wr(x) 2:wr(x) 3:rd(x) 3:br 3:wr(z)");
	struct question q = { 0 };
	vec_push(&q.sights,
		 ((struct question_sight){ .read = 2, .variable = 'x' - 'a', .write = 0 }));
	expect("sees the other write", &h, &q, VERDICT_FEASIBLE, NULL);
	vec_push(&q.include, 4);
	expect("and what depends on it does not happen", &h, &q, VERDICT_INFEASIBLE, NULL);
	question_release(&q);
	history_release(&h);
}

static void test_checker(void **state)
{
	(void)state;
	struct history h = the_history("1:acq(l) 1:wr(x) 1:rel(l) 2:acq(l) 2:rd(x) 2:br 2:rel(l)");
	struct question q = { 0 };
	vec_push(&q.include, 5);
	assert_null(witness_flaw(&h, &q, (const op_id[]){ 0, 1, 2, 3, 4, 5 }, 6));
	assert_string_equal(
		witness_flaw(&h, &q, (const op_id[]){ 3, 4, 5 }, 3),
		"a thread does an operation that depends on a read that saw something else");
	assert_string_equal(witness_flaw(&h, &q, (const op_id[]){ 0, 3 }, 2),
			    "a thread acquires a lock that is held");
	assert_string_equal(witness_flaw(&h, &q, (const op_id[]){ 1 }, 1),
			    "a thread does not do its operations in their order");
	assert_string_equal(witness_flaw(&h, &q, (const op_id[]){ 0, 1 }, 2),
			    "a required operation does not happen");
	assert_string_equal(witness_flaw(&h, &q, (const op_id[]){ 99 }, 1),
			    "there is no such operation");
	question_release(&q);
	history_release(&h);
}

static void test_budgets(void **state)
{
	(void)state;
	struct history h = the_history(delta);
	struct question q = { 0 };
	struct answer a = { 0 };
	add_sequence(&q, SEQUENCE(6, 18, 12));
	closure_ask(&h, &q, &(struct oracle_limits){ .sweeps = 1 }, &a);
	assert_int_equal(a.verdict, VERDICT_UNKNOWN);
	assert_non_null(a.why);
	solver_ask(&h, &q, &(struct oracle_limits){ .operations = 3 }, &a);
	assert_int_equal(a.verdict, VERDICT_UNKNOWN);
	solver_ask(&h, &q, &(struct oracle_limits){ .clauses = 3 }, &a);
	assert_int_equal(a.verdict, VERDICT_UNKNOWN);
	solver_ask(&h, &q, &(struct oracle_limits){ .propagations = 1 }, &a);
	assert_int_equal(a.verdict, VERDICT_UNKNOWN);
	answer_release(&a);
	question_release(&q);
	history_release(&h);
}

/* A question that has begun ends when it should stop: while rules are applied, and while clauses
 * are made. */
static void test_stop(void **state)
{
	(void)state;
	static volatile sig_atomic_t is_wanted;
	struct history h = { 0 };
	struct question q = { 0 };
	struct answer a = { 0 };
	/* Steps of the closure until it looks whether to stop. */
	const struct oracle_limits limits = { .work = 65536 + 100 };
	for (int i = 0; i < 120; i++) {
		history_add_lock(&h, i % 2, 0, false, true);
		history_add_lock(&h, i % 2, 0, false, false);
	}
	history_finish(&h);
	vec_push(&q.include, (op_id)h.ops.len - 1);
	vec_push(&q.include, (op_id)h.ops.len - 3);
	for (is_wanted = 0; is_wanted < 2; is_wanted++) {
		enum verdict expected = is_wanted ? VERDICT_UNKNOWN : VERDICT_FEASIBLE;
		stop_watch(&is_wanted, 0);
		closure_ask(&h, &q, &limits, &a);
		assert_int_equal(a.verdict, expected);
		solver_ask(&h, &q, &limits, &a);
		assert_int_equal(a.verdict, expected);
		if (is_wanted)
			assert_string_equal(a.why, "too many constraints for the solver");
	}
	stop_watch(NULL, 0);
	answer_release(&a);
	question_release(&q);
	history_release(&h);
}

int main(void)
{
	RUN(cmocka_unit_test(test_running_example),
	    cmocka_unit_test(test_orders_of_the_running_example),
	    cmocka_unit_test(test_races_of_the_running_example),
	    cmocka_unit_test(test_micro_traces), cmocka_unit_test(test_first_figure),
	    cmocka_unit_test(test_initial_content), cmocka_unit_test(test_sections),
	    cmocka_unit_test(test_closing_on_demand), cmocka_unit_test(test_adjacent_pairs),
	    cmocka_unit_test(test_deadlocks), cmocka_unit_test(test_philosophers),
	    cmocka_unit_test(test_atomicity), cmocka_unit_test(test_values),
	    cmocka_unit_test(test_shared_locks), cmocka_unit_test(test_sights),
	    cmocka_unit_test(test_checker), cmocka_unit_test(test_budgets),
	    cmocka_unit_test(test_stop));
}
