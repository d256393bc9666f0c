/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What src/predict knows of operations without asking the oracle: orders that hold in every
 * execution (must.c), locks that are held (finder.c), and what they exclude (contexts.c).
 */
#include "notation.h"
#include "predict/contexts.h"

/* How many operations of `thread` must precede the operation with this number (from 1). */
static uint32_t must_before(const char *text, op_id op, uint32_t thread)
{
	struct history h = the_history(text);
	struct must m;
	uint32_t count = 0;
	must_init(&m, &h);
	for (op_id id = 0; id < op; id++)
		count = must_step(&m, id)[thread];
	must_release(&m);
	history_release(&h);
	return count;
}

/* Threads of the notation are numbers of the history: 0 does nothing where it is not named. */
static void reads_that_matter(void **state)
{
	(void)state;
	/* Nothing depends on the read. */
	assert_int_equal(must_before("1:wr(x) 2:rd(x) 2:wr(y)", 3, 1), 0);
	/* A branch does: the only write of that value comes first. */
	assert_int_equal(must_before("1:wr(x) 2:rd(x) 2:br", 3, 1), 1);
	assert_int_equal(must_before("1:wr(y) 1:wr(x) 2:rd(x) 2:br 2:wr(z)", 5, 1), 2);
	/* And what that write needs itself. */
	assert_int_equal(must_before("1:wr(x) 2:rd(x) 2:br 2:wr(y) 3:rd(y) 3:br", 6, 1), 1);
	/* The initial content has no write. */
	assert_int_equal(must_before("2:rd(x) 2:br 1:wr(x)", 2, 1), 0);
}

/* A section whose acquire must precede what is in a section of the same lock is over there. */
static void sections(void **state)
{
	(void)state;
	assert_int_equal(
		must_before(
			"1:acq(l) 1:wr(x) 1:wr(z) 1:rel(l) 2:acq(l) 2:rd(x) 2:br 2:wr(y) 2:rel(l)",
			8, 1),
		4);
	/* Not of another lock. */
	assert_int_equal(
		must_before(
			"1:acq(l) 1:wr(x) 1:wr(z) 1:rel(l) 2:acq(m) 2:rd(x) 2:br 2:wr(y) 2:rel(m)",
			8, 1),
		2);
	/* Nor if the write comes before the section. */
	assert_int_equal(
		must_before(
			"1:wr(x) 1:acq(l) 1:wr(z) 1:rel(l) 2:acq(l) 2:rd(x) 2:br 2:wr(y) 2:rel(l)",
			8, 1),
		1);
}

/* Causes bind, and what precedes them. */
static void causes(void **state)
{
	(void)state;
	struct history h = { 0 };
	struct must m;
	history_add(&h, 0, OP_OTHER);
	op_id fork = history_add(&h, 0, OP_OTHER);
	op_id begin = history_add(&h, 1, OP_OTHER);
	history_add(&h, 0, OP_OTHER);
	history_add(&h, 1, OP_OTHER);
	history_add_cause(&h, fork, begin);
	history_finish(&h);
	must_init(&m, &h);
	static const uint32_t expected[] = { 0, 0, 2, 0, 2 };
	for (op_id id = 0; id < 5; id++) {
		const uint32_t *clock = must_step(&m, id);
		if (h.ops.at[id].thread == 1)
			assert_int_equal(clock[0], expected[id]);
		else
			assert_int_equal(clock[1], 0);
	}
	must_release(&m);
	history_release(&h);
}

static void check_held(const char *text, op_id after, uint32_t thread, const op_id *acquires)
{
	struct history h = the_history(text);
	struct held l;
	held_init(&l, &h);
	for (op_id id = 0; id < after; id++)
		held_step(&l, id);
	size_t n = 0;
	for (; acquires[n]; n++) {
		assert_true(n < l.threads[thread].acquires.len);
		assert_int_equal(l.threads[thread].acquires.at[n] + 1, acquires[n]);
	}
	assert_int_equal(l.threads[thread].acquires.len, n);
	held_release(&l);
	history_release(&h);
}

static void held_locks(void **state)
{
	(void)state;
	const char *nested = "1:acq(l) 1:acq(m) 2:acq(n) 1:rel(m) 1:rel(l)";
	check_held(nested, 3, 1, SEQUENCE(1, 2));
	check_held(nested, 3, 2, SEQUENCE(3));
	check_held(nested, 4, 1, SEQUENCE(1));
	check_held(nested, 5, 1, (const op_id[]){ 0 });
	/* Not the last one first. */
	check_held("1:acq(l) 1:acq(m) 1:rel(l) 1:wr(x) 1:rel(m)", 4, 1, SEQUENCE(2));
}

struct asked {
	struct history h;
	struct contexts c;
	struct prediction out;
	struct predict_options o;
	struct finder f;
};

static void begin(struct asked *a, const char *text)
{
	*a = (struct asked){ .h = the_history(text) };
	a->f = (struct finder){ .h = &a->h, .o = &a->o, .out = &a->out };
	contexts_init(&a->c, &a->f);
}

static void end(struct asked *a)
{
	contexts_release(&a->c);
	history_release(&a->h);
}

static bool excludes(const char *text, op_id first, op_id between, op_id pending)
{
	struct asked a;
	begin(&a, text);
	bool is_excluded = contexts_exclude_by_locks(&a.c, first - 1, between - 1, pending - 1);
	end(&a);
	return is_excluded;
}

static void exclusion(void **state)
{
	(void)state;
	/* Both accesses in one section; the other thread's in a section of the same lock,
	 * another, none. */
	assert_true(
		excludes("1:acq(l) 1:rd(x) 1:wr(x) 1:rel(l) 2:acq(l) 2:wr(x) 2:rel(l)", 2, 6, 3));
	assert_false(
		excludes("1:acq(l) 1:rd(x) 1:wr(x) 1:rel(l) 2:acq(m) 2:wr(x) 2:rel(m)", 2, 6, 3));
	assert_false(excludes("1:acq(l) 1:rd(x) 1:wr(x) 1:rel(l) 2:wr(x)", 2, 5, 3));
	/* The section ends between the accesses. */
	assert_false(
		excludes("1:acq(l) 1:rd(x) 1:rel(l) 1:wr(x) 2:acq(l) 2:wr(x) 2:rel(l)", 2, 6, 4));
	assert_false(excludes(
		"1:acq(l) 1:rd(x) 1:rel(l) 1:acq(l) 1:wr(x) 1:rel(l) 2:acq(l) 2:wr(x) 2:rel(l)", 2,
		8, 5));
	/* It is not over in the trace. */
	assert_true(excludes("2:acq(l) 2:wr(x) 2:rel(l) 1:acq(l) 1:rd(x) 1:wr(x)", 5, 2, 6));
	/* One of several. */
	assert_true(excludes(
		"1:acq(m) 1:acq(l) 1:rd(x) 1:rel(l) 1:wr(x) 1:rel(m) 2:acq(m) 2:wr(x) 2:rel(m)", 3,
		8, 5));
}

/* Readers of a lock do not exclude each other; a writer and a reader do. */
static void shared_locks(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct asked a = { 0 };
		bool is_first_shared = i & 1, is_second_shared = i & 2;
		history_add_lock(&a.h, 0, 0, is_first_shared, true);
		op_id first = history_add(&a.h, 0, OP_ACCESS);
		history_add_access(&a.h, 0, true, false)->seen = OP_NONE;
		op_id pending = history_add(&a.h, 0, OP_ACCESS);
		history_add_access(&a.h, 0, false, true);
		history_add_lock(&a.h, 0, 0, is_first_shared, false);
		history_add_lock(&a.h, 1, 0, is_second_shared, true);
		op_id between = history_add(&a.h, 1, OP_ACCESS);
		history_add_access(&a.h, 0, false, true);
		history_add_lock(&a.h, 1, 0, is_second_shared, false);
		history_finish(&a.h);
		a.f = (struct finder){ .h = &a.h, .o = &a.o, .out = &a.out };
		contexts_init(&a.c, &a.f);
		assert_int_equal(contexts_exclude_by_locks(&a.c, first, between, pending),
				 !(is_first_shared && is_second_shared));
		end(&a);
	}
}

/* The same locks have the same number, whatever the order in which they were taken. */
static void numbers_of_locks(void **state)
{
	(void)state;
	struct asked a;
	begin(&a, "1:acq(l) 1:acq(m) 1:wr(x) 1:rel(m) 1:wr(y) 1:rel(l) "
		  "2:acq(m) 2:acq(l) 2:wr(x) 2:rel(l) 2:rel(m) 2:wr(y)");
	const struct context *both = context_of(&a.c, 2), *one = context_of(&a.c, 4),
			     *swapped = context_of(&a.c, 8), *none = context_of(&a.c, 11);
	assert_int_equal(both->count, 2);
	assert_true(both->locks == swapped->locks);
	assert_int_equal(one->count, 1);
	assert_false(both->locks == one->locks);
	assert_int_equal(none->count, 0);
	assert_false(contexts_must_precede(&a.c, 2, 8));
	assert_true(contexts_must_precede(&a.c, 2, 4));
	assert_false(contexts_must_precede(&a.c, 4, 2));
	end(&a);
}

int main(void)
{
	RUN(cmocka_unit_test(reads_that_matter), cmocka_unit_test(sections),
	    cmocka_unit_test(causes), cmocka_unit_test(held_locks), cmocka_unit_test(exclusion),
	    cmocka_unit_test(shared_locks), cmocka_unit_test(numbers_of_locks));
}
