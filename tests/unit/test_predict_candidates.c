/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Candidates of src/predict: which pairs of accesses and which cycles of waits are proposed, how
 * keys and numbers of instances limit them, and how they become items.
 */
#include "predict/items.h"
#include "predict_samples.h"

/* Two threads that nothing orders after their begin. */
#define THREADS                                                             \
	"T0 begin = 0xffffffff\nT0 fork = 1 -> 0x10\nT0 fork = 2 -> 0x10\n" \
	"T1 begin = 0\nT2 begin = 0\n"
#define X " 4 0x1000"
#define Y " 4 0x2000"

static void expect_races(const char *events, size_t count, const char *places)
{
	struct sample_finder s;
	sample_finder_open(&s, events);
	find_races(&s.f);
	assert_int_equal(s.f.candidates.len, count);
	if (count)
		assert_true(sample_has(&s, FINDING_RACE, places));
	sample_finder_close(&s);
}

static void conflicts(void **state)
{
	(void)state;
	expect_races(THREADS "T1 write" X " = 1 @1\nT2 write" X " = 2 @2", 1, "1 2");
	expect_races(THREADS "T1 read" X " = 0 @1\nT2 write" X " = 2 @2", 1, "1 2");
	expect_races(THREADS "T1 write" X " = 1 @1\nT2 read" X " = 1 @2", 1, "1 2");
	expect_races(THREADS "T1 read" X " = 0 @1\nT2 read" X " = 0 @2", 0, "");
	expect_races(THREADS "T1 write" X " = 1 @1\nT2 write" Y " = 2 @2", 0, "");
	/* Bytes that overlap; bytes that do not. */
	expect_races(THREADS "T1 write 4 0x1000 = 1 @1\nT2 write 4 0x1002 = 2 @2", 1, "1 2");
	expect_races(THREADS "T1 write 4 0x1000 = 1 @1\nT2 write 4 0x1004 = 2 @2", 0, "");
	/* Of one thread. */
	expect_races(THREADS "T1 write" X " = 1 @1\nT1 write" X " = 2 @2\nT2 write" Y " = 1 @3", 0,
		     "");
}

static void atomics(void **state)
{
	(void)state;
	expect_races(THREADS "T1 write:relaxed" X " = 1 @1\nT2 write:relaxed" X " = 2 @2", 0, "");
	expect_races(THREADS "T1 write:relaxed" X " = 1 @1\nT2 write" X " = 2 @2", 1, "1 2");
}

static void locks(void **state)
{
	(void)state;
#define UNDER(thread, lock, access)                                            \
	thread " acquire:mutex 0x" lock " = 1 @20\n" thread access "\n" thread \
	       " release:mutex 0x" lock " = 0 @21\n"
	expect_races(THREADS UNDER("T1", "3000", " write" X " = 1 @1")
			     UNDER("T2", "3000", " write" X " = 2 @2"),
		     0, "");
	expect_races(THREADS UNDER("T1", "3000", " write" X " = 1 @1")
			     UNDER("T2", "3100", " write" X " = 2 @2"),
		     1, "1 2");
	expect_races(THREADS UNDER("T1", "3000", " write" X " = 1 @1") "T2 write" X " = 2 @2", 1,
		     "1 2");
#define SHARED(thread, access)                                              \
	thread " acquire:rdlock 0x3000 = 1 @20\n" thread access "\n" thread \
	       " release:rdlock 0x3000 = 0 @21\n"
	/* Readers of a lock do not exclude each other. */
	expect_races(THREADS SHARED("T1", " write" X " = 1 @1") SHARED("T2", " write" X " = 2 @2"),
		     1, "1 2");
}

/* A thread that has ended before it is joined does not race with what comes then, nor before its
 * fork. */
static void orders(void **state)
{
	(void)state;
	expect_races("T0 begin = 0xffffffff\nT0 write" X
		     " = 5 @4\nT0 fork = 1 -> 0x10\nT1 begin = 0\n"
		     "T1 write" X " = 1 @1\nT1 end = 0\nT0 join-wait = 1\nT0 join = 1\nT0 write" X
		     " = 2 @2",
		     0, "");
	expect_races("T0 begin = 0xffffffff\nT0 fork = 1 -> 0x10\nT1 begin = 0\nT1 write" X
		     " = 1 @1\n"
		     "T0 write" X " = 2 @2\nT1 end = 0\nT0 join-wait = 1\nT0 join = 1",
		     1, "1 2");
}

static void expect_deadlocks(const char *events, size_t count, const char *places)
{
	struct sample_finder s;
	sample_finder_open(&s, events);
	find_deadlocks(&s.f);
	assert_int_equal(s.f.candidates.len, count);
	if (count)
		assert_true(sample_has(&s, FINDING_DEADLOCK, places));
	sample_finder_close(&s);
}

#define TAKE(thread, lock, place) thread " acquire:mutex 0x" lock " = 1 @" place "\n"
#define GIVE(thread, lock) thread " release:mutex 0x" lock " = 0 @29\n"
#define NESTED(thread, outer, inner, p1, p2) \
	TAKE(thread, outer, p1) TAKE(thread, inner, p2) GIVE(thread, inner) GIVE(thread, outer)

static void cycles(void **state)
{
	(void)state;
	expect_deadlocks(THREADS NESTED("T1", "3000", "3100", "1", "2")
				 NESTED("T2", "3100", "3000", "3", "4"),
			 1, "2 4");
	expect_deadlocks(THREADS NESTED("T1", "3000", "3100", "1", "2")
				 NESTED("T2", "3000", "3100", "3", "4"),
			 0, "");
	/* One thread alone. */
	expect_deadlocks(THREADS NESTED("T1", "3000", "3100", "1", "2")
				 NESTED("T1", "3100", "3000", "3", "4"),
			 0, "");
	/* A lock around both. */
#define GUARDED(thread, events) TAKE(thread, "3200", "5") events GIVE(thread, "3200")
	expect_deadlocks(THREADS GUARDED("T1", NESTED("T1", "3000", "3100", "1", "2"))
				 GUARDED("T2", NESTED("T2", "3100", "3000", "3", "4")),
			 0, "");
	/* The second thread begins when the first one has been joined. */
#define FIRST NESTED("T1", "3000", "3100", "1", "2")
#define SECOND NESTED("T2", "3100", "3000", "3", "4")
#define BEGIN_FIRST "T0 begin = 0xffffffff\nT0 fork = 1 -> 0x10\nT1 begin = 0\n"
#define BEGIN_SECOND "T0 fork = 2 -> 0x10\nT2 begin = 0\n"
#define JOIN_FIRST "T1 end = 0\nT0 join-wait = 1\nT0 join = 1\n"
	expect_deadlocks(BEGIN_FIRST FIRST JOIN_FIRST BEGIN_SECOND SECOND, 0, "");
	expect_deadlocks(BEGIN_FIRST FIRST BEGIN_SECOND SECOND JOIN_FIRST, 1, "2 4");
}

static void keys(void **state)
{
	(void)state;
	const loc_id ab[] = { 1, 2 }, ba[] = { 2, 1 }, aa[] = { 1, 1 };
	assert_true(finder_key(FINDING_RACE, ab, 2, true) == finder_key(FINDING_RACE, ba, 2, true));
	assert_false(finder_key(FINDING_RACE, ab, 2, false) ==
		     finder_key(FINDING_RACE, ba, 2, false));
	assert_false(finder_key(FINDING_RACE, ab, 2, true) ==
		     finder_key(FINDING_RACE, aa, 2, true));
	assert_false(finder_key(FINDING_RACE, ab, 2, true) ==
		     finder_key(FINDING_DEADLOCK, ab, 2, true));
	assert_false(finder_key(FINDING_RACE, ab, 1, false) ==
		     finder_key(FINDING_RACE, ab, 2, false));
}

/* As many as the options say, for each key; what is left out is counted. */
static void instances(void **state)
{
	(void)state;
	struct predict_options o = { .instances = 3 };
	struct prediction out = { 0 };
	struct finder f = { .o = &o, .out = &out };
	for (int i = 0; i < 5; i++)
		assert_true(!!finder_add(&f, FINDING_RACE, 77) == (i < 3));
	assert_non_null(finder_add(&f, FINDING_RACE, 78));
	assert_int_equal(f.candidates.len, 4);
	assert_int_equal(out.candidates, 6);
	assert_int_equal(*map_get(&f.seen, 77), 5);
	assert_int_equal(*map_get(&f.left, 77), 2);
	assert_null(map_get(&f.left, 78));
	finder_release(&f);
	/* None given: there is a default. */
	struct predict_options none = { 0 };
	assert_true(finder_instances(&(struct finder){ .o = &none }) > 3);
}

static void add(struct finder *f, enum finding_kind kind, uint64_t key, uint64_t distance, op_id op)
{
	struct candidate *c = finder_add(f, kind, key);
	c->distance = distance;
	vec_push(&c->ops, op);
}

/* One item for each key, the nearest candidates first, races before the rest. */
static void items(void **state)
{
	(void)state;
	struct predict_options o = { 0 };
	struct prediction out = { 0 };
	struct finder f = { .o = &o, .out = &out };
	struct items all = { 0 };
	add(&f, FINDING_DEADLOCK, 1, 1, 10);
	add(&f, FINDING_RACE, 2, 9, 20);
	add(&f, FINDING_RACE, 3, 4, 30);
	add(&f, FINDING_RACE, 2, 2, 21);
	add(&f, FINDING_RACE, 3, 4, 29);
	items_make(&all, &f);
	static const struct {
		size_t first, count;
	} expected[] = { { 0, 2 }, { 2, 2 }, { 4, 1 } };
	static const op_id order[] = { 21, 20, 29, 30, 10 };
	assert_int_equal(all.list.len, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(all.list.at[i].first, expected[i].first);
		assert_int_equal(all.list.at[i].count, expected[i].count);
		assert_int_equal(all.list.at[i].result.candidate, UINT32_MAX);
	}
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(f.candidates.at[i].ops.at[0], order[i]);
	items_release(&all);
	finder_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conflicts), cmocka_unit_test(atomics), cmocka_unit_test(locks),
		cmocka_unit_test(orders),    cmocka_unit_test(cycles),	cmocka_unit_test(keys),
		cmocka_unit_test(instances), cmocka_unit_test(items),
	};
	return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
