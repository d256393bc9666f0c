/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of hand-made runs: what the scene knows, the findings made from it, and their text,
 * word by word.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "report/report.h"
#include "unit/unit.h"

#define HEAP 0x100000000010ull
#define MUTEX_A 0x555555558040ull
#define MUTEX_B 0x555555558080ull
#define COND 0x5555555580c0ull

struct run {
	struct trace_tables tables;
	struct scene scene;
	struct names names;
	struct findings findings;
	uint64_t index;
};

static void add_location(struct trace_tables *t, const char *function, const char *file,
			 uint32_t line)
{
	struct location l = { .region = 1,
			      .function = mem_strdup(function),
			      .file = mem_strdup(file),
			      .line = line };
	vec_push(&t->locations, l);
}

/* Locations: 1 main, 2..5 in bank.c; stack 1 is a call from main. */
static void setup(struct run *r)
{
	*r = (struct run){ 0 };
	struct trace_tables *t = &r->tables;
	vec_add(&t->locations);
	vec_add(&t->stacks);
	vec_add(&t->regions);
	struct region program = { .start = 0x555555554000ull,
				  .size = 0x5000,
				  .kind = REGION_MODULE,
				  .thread = THR_NONE,
				  .path = mem_strdup("/bin/bank"),
				  .build_id = mem_strdup("") };
	struct region heap = { .start = ARENA_HEAP,
			       .size = 0x1000,
			       .kind = REGION_HEAP,
			       .path = mem_strdup(""),
			       .build_id = mem_strdup("") };
	vec_push(&t->regions, program);
	vec_push(&t->regions, heap);
	add_location(t, "main", "/no/bank.c", 40);
	add_location(t, "give", "/no/bank.c", 11);
	add_location(t, "give", "/no/bank.c", 12);
	add_location(t, "take", "/no/bank.c", 21);
	add_location(t, "take", "/no/bank.c", 22);
	struct stack_node call = { .parent = 0, .loc = 1 };
	vec_push(&t->stacks, call);
	scene_init(&r->scene);
	r->names = (struct names){ .tables = t, .scene = &r->scene };
}

static void teardown(struct run *r)
{
	findings_release(&r->findings);
	names_release(&r->names);
	scene_release(&r->scene);
	trace_tables_release(&r->tables);
}

static struct event make(unsigned kind, thr_id thread, loc_id loc, uint64_t obj)
{
	return (struct event){ .kind = (uint8_t)kind, .thread = thread, .loc = loc, .obj = obj };
}

static void feed(struct run *r, struct event e)
{
	e.index = r->index++;
	scene_follow(&r->scene, &e);
	if (e.kind == EV_FAILURE)
		findings_add_failure(&r->findings, &e, &r->scene, &r->names);
}

static void lock(struct run *r, thr_id thread, loc_id loc, uint64_t obj)
{
	struct event e = make(EV_REQUEST, thread, loc, obj);
	e.mode = SYNC_MUTEX;
	e.stack = 1;
	feed(r, e);
	e.kind = EV_ACQUIRE;
	e.a = 1;
	feed(r, e);
}

static void request(struct run *r, thr_id thread, loc_id loc, uint64_t obj)
{
	struct event e = make(EV_REQUEST, thread, loc, obj);
	e.mode = SYNC_MUTEX;
	e.stack = 1;
	feed(r, e);
}

static void failure(struct run *r, thr_id thread, loc_id loc, unsigned number, uint64_t obj,
		    uint64_t b, const char *data)
{
	struct event e = make(EV_FAILURE, thread, loc, obj);
	e.a = number;
	e.b = b;
	e.data = (const unsigned char *)data;
	e.data_len = strlen(data);
	feed(r, e);
}

static void expect_text(struct run *r, const char *wanted)
{
	struct report_style style = { .has_color = false, .width = 80 };
	struct buf out = { 0 };
	for (size_t i = 0; i < r->findings.list.len; i++)
		report_finding(&r->findings.list.at[i], &r->names, &style, NULL, &out);
	assert_string_equal(out.at, wanted);
	buf_release(&out);
}

static void deadlock_shows_the_cycle(void **state)
{
	(void)state;
	struct run r;
	setup(&r);
	feed(&r, make(EV_BEGIN, 1, 2, 0));
	feed(&r, make(EV_BEGIN, 2, 4, 0));
	lock(&r, 1, 2, MUTEX_A);
	lock(&r, 2, 4, MUTEX_B);
	request(&r, 1, 3, MUTEX_B);
	request(&r, 2, 5, MUTEX_A);
	failure(&r, 2, 5, FAILURE_DEADLOCK, 0, 0, "");
	assert_int_equal(r.findings.list.at[0].kind, FINDING_DEADLOCK);
	expect_text(
		&r,
		"deadlock: T1 and T2 wait for each other\n"
		"\n  T1 waits for mutex bank+0x4080\n"
		"      give() /no/bank.c:12\n"
		"      called by main() /no/bank.c:40\n"
		"\n  T1 holds mutex bank+0x4040, acquired here\n"
		"      give() /no/bank.c:11\n"
		"      called by main() /no/bank.c:40\n"
		"\n  T2 waits for mutex bank+0x4040\n"
		"      take() /no/bank.c:22\n"
		"      called by main() /no/bank.c:40\n"
		"\n  T2 holds mutex bank+0x4080, acquired here\n"
		"      take() /no/bank.c:21\n"
		"      called by main() /no/bank.c:40\n"
		"\n  last steps\n"
		"          T1                                  T2\n"
		"       3  lock bank+0x4040  /no/bank.c:11\n"
		"       5                                      lock bank+0x4080  /no/bank.c:21\n"
		"       6  wait for bank+0x4080  bank.c:12\n"
		"       7                                      wait for bank+0x4040  bank.c:22\n");
	teardown(&r);
}

static void lost_wait_is_told_apart_from_a_cycle(void **state)
{
	(void)state;
	struct run r;
	setup(&r);
	lock(&r, 0, 2, MUTEX_A);
	struct event wait = make(EV_WAIT, 0, 3, COND);
	wait.mode = SYNC_COND;
	wait.a = MUTEX_A;
	feed(&r, wait);
	struct event release = make(EV_RELEASE, 0, 3, MUTEX_A);
	release.mode = SYNC_MUTEX;
	feed(&r, release);
	struct event join = make(EV_JOIN_WAIT, 1, 4, 0);
	join.a = 0;
	feed(&r, join);
	failure(&r, 1, 4, FAILURE_DEADLOCK, 0, 0, "");
	const struct finding *f = &r.findings.list.at[0];
	assert_string_equal(
		f->message,
		"T0 'main' waits for condition variable bank+0x40c0, 1 other thread waits too, "
		"and no thread is left that could end it");
	assert_int_equal(f->places.len, 2);
	assert_string_equal(f->places.at[0].role,
			    "T0 'main' waits for condition variable bank+0x40c0");
	assert_string_equal(f->places.at[1].role, "T1 waits for T0 'main' to end");
	assert_int_equal(f->notes.len, 0); /* the mutex was given up by the wait */
	teardown(&r);
}

/* T1 and T2 read A; T1 waits for B, whose holder T0 waits to write A: T2 is in the way but not in
 * the cycle. */
static void cycle_goes_through_one_of_several_readers(void **state)
{
	(void)state;
	struct run r;
	setup(&r);
	for (thr_id t = 1; t <= 2; t++) {
		struct event read = make(EV_ACQUIRE, t, 2, MUTEX_A);
		read.mode = SYNC_RDLOCK;
		read.a = 1;
		feed(&r, read);
	}
	lock(&r, 0, 3, MUTEX_B);
	struct event write = make(EV_REQUEST, 0, 3, MUTEX_A),
		     want = make(EV_REQUEST, 1, 4, MUTEX_B);
	write.mode = SYNC_WRLOCK;
	want.mode = SYNC_MUTEX;
	feed(&r, write);
	feed(&r, want);
	failure(&r, 1, 4, FAILURE_LOCK_CYCLE, MUTEX_B, 0, "");
	const struct finding *f = &r.findings.list.at[0];
	assert_string_equal(f->message, "T0 'main' and T1 wait for each other");
	assert_string_equal(f->places.at[0].role, "T0 'main' waits to write rwlock bank+0x4040");
	assert_string_equal(f->places.at[3].role,
			    "T1 holds rwlock bank+0x4040 for reading, acquired here");
	teardown(&r);
}

static void barrier_tells_who_is_missing(void **state)
{
	(void)state;
	struct run r;
	setup(&r);
	for (thr_id t = 0; t < 2; t++) {
		struct event in = make(EV_BARRIER_IN, t, 2, COND);
		in.mode = SYNC_BARRIER;
		in.a = 2 - t;
		feed(&r, in);
	}
	failure(&r, 1, 2, FAILURE_DEADLOCK, 0, 0, "");
	const struct finding *f = &r.findings.list.at[0];
	assert_string_equal(f->places.at[0].role,
			    "T0 'main' waits at barrier bank+0x40c0 for 1 more thread");
	teardown(&r);
}

static void use_after_free_shows_three_places(void **state)
{
	(void)state;
	struct run r;
	setup(&r);
	struct event alloc = make(EV_ALLOC, 0, 1, HEAP);
	alloc.size = 32;
	feed(&r, alloc);
	lock(&r, 1, 2, MUTEX_A);
	struct event release = make(EV_FREE, 1, 3, HEAP);
	release.size = 32;
	feed(&r, release);
	failure(&r, 2, 4, FAILURE_WRITE_FREED, HEAP + 8, 4, "");
	expect_text(
		&r,
		"use-after-free: write to freed memory at heap[/no/bank.c:40]+8\n"
		"\n  T2 writes it here\n"
		"      take() /no/bank.c:21\n"
		"\n  T1 freed the block here\n"
		"      give() /no/bank.c:12\n"
		"\n  T0 'main' allocated its 32 bytes here\n"
		"      main() /no/bank.c:40\n"
		"\n  last steps\n"
		"          T0 'main'                           T1\n"
		"       0  alloc heap[/no/bank.c:40], 3~  :40\n"
		"       2                                      lock bank+0x4040  /no/bank.c:11\n"
		"       3                                      free heap[/no/bank.c:40]  :12\n");
	teardown(&r);
}

static void assertion_shows_its_expression(void **state)
{
	(void)state;
	struct run r;
	setup(&r);
	lock(&r, 1, 2, MUTEX_A);
	failure(&r, 1, 3, FAILURE_ASSERTION, 0, 0, "a || b|bank.c|12|give");
	assert_string_equal(r.findings.list.at[0].message, "'a || b' does not hold");
	assert_int_equal(r.findings.list.at[0].notes.len, 1);
	assert_string_equal(r.findings.list.at[0].notes.at[0],
			    "T1 holds mutex bank+0x4040 (acquired at /no/bank.c:11)");
	teardown(&r);
}

static void misuse_names_owner_and_lock(void **state)
{
	(void)state;
	struct run r;
	setup(&r);
	lock(&r, 1, 2, MUTEX_A);
	failure(&r, 2, 4, FAILURE_UNLOCK_OTHER, MUTEX_A, 1, "");
	failure(&r, 2, 4, FAILURE_UNLOCK_OTHER, MUTEX_A, 1, "");
	assert_int_equal(r.findings.list.len, 1);
	assert_int_equal(r.findings.list.at[0].count, 2);
	expect_text(&r, "lock-misuse: unlock of mutex bank+0x4040, which T1 holds (2 times)\n"
			"\n  T2 unlocks it here\n"
			"      take() /no/bank.c:21\n"
			"\n  T1 holds mutex bank+0x4040, acquired here\n"
			"      give() /no/bank.c:11\n"
			"      called by main() /no/bank.c:40\n"
			"\n  last steps\n"
			"          T1\n"
			"       1  lock bank+0x4040  /no/bank.c:11\n");
	teardown(&r);
}

static void accesses_of_one_line_are_folded(void **state)
{
	(void)state;
	struct run r;
	setup(&r);
	for (uint64_t i = 0; i < 10; i++) {
		struct event e = make(EV_READ, 1, 2, MUTEX_A);
		e.size = 4;
		e.a = i;
		feed(&r, e);
		e.kind = EV_WRITE;
		e.a = i + 1;
		feed(&r, e);
	}
	struct event own = make(EV_READ, 1, 3, HEAP);
	own.flags = EVF_STACK; /* nobody else sees it: never shown */
	feed(&r, own);
	struct event other = make(EV_WRITE, 2, 4, MUTEX_A);
	other.size = 4;
	other.a = 0xffffffff;
	feed(&r, other);
	struct scene_steps steps;
	scene_last_steps(&r.scene, &steps);
	struct report_style style = { .width = 100 };
	struct buf out = { 0 };
	report_steps(&steps, &(struct report_choice){ .limit = 25 }, &r.names, &style, &out);
	assert_string_equal(out.at, "          T1                                            T2\n"
				    "      19  write bank+0x4040 = 10 (20x)  /no/bank.c:11\n"
				    "      21                                                write "
				    "bank+0x4040 = -1  /no/bank.c:21\n");
	buf_release(&out);
	vec_release(&steps.events);
	teardown(&r);
}

static void many_threads_share_one_column(void **state)
{
	(void)state;
	struct run r;
	setup(&r);
	for (thr_id t = 0; t < 9; t++)
		feed(&r, make(EV_BEGIN, t, 2, 0));
	struct scene_steps steps;
	scene_last_steps(&r.scene, &steps);
	struct report_style style = { .width = 80 };
	struct buf out = { 0 };
	report_steps(&steps, &(struct report_choice){ .limit = 2 }, &r.names, &style, &out);
	assert_string_equal(out.at,
			    "          T7                                  T8\n"
			    "       7  begin  /no/bank.c:11\n"
			    "       8                                      begin  /no/bank.c:11\n");
	buf_clear(&out);
	report_steps(&steps, &(struct report_choice){ .limit = 4 }, &r.names, &style, &out);
	assert_string_equal(out.at, "       5  T5    begin  /no/bank.c:11\n"
				    "       6  T6    begin  /no/bank.c:11\n"
				    "       7  T7    begin  /no/bank.c:11\n"
				    "       8  T8    begin  /no/bank.c:11\n");
	buf_release(&out);
	vec_release(&steps.events);
	teardown(&r);
}

static void json_follows_its_description(void **state)
{
	(void)state;
	struct run r;
	setup(&r);
	failure(&r, 1, 2, FAILURE_SIGNAL, 8, 11, "");
	r.findings.list.at[0].witness = mem_strdup("a.witness");
	struct report_summary s = { .command = "record", .executions = 1 };
	report_assume_of(&s, ASSUMES_MEMORY_MODEL, "%s", "sc");
	struct buf out = { 0 };
	report_json(&s, &r.findings, &r.names, &out);
	assert_string_equal(
		out.at,
		"{\n  \"command\": \"record\",\n  \"complete\": false,\n  "
		"\"assumptions\": [\n    \"memory-model:sc\"\n  ],\n"
		"  \"executions\": 1,\n  \"inconclusive\": null,\n  \"findings\": [\n    {\n      "
		"\"kind\": "
		"\"crash\",\n      \"status\": \"observed\",\n"
		"      \"message\": \"the program was killed by SIGSEGV for an access to "
		"address 0x8\",\n      \"count\": 1,\n"
		"      \"places\": [\n        {\n          \"file\": \"/no/bank.c\",\n   "
		"       \"line\": 11,\n"
		"          \"function\": \"give\",\n          \"thread\": 1,\n          "
		"\"role\": \"T1 crashes here\",\n"
		"          \"inside\": [],\n          \"stack\": []\n        }\n      ],\n      "
		"\"notes\": [],\n      \"witness\": \"a.witness\"\n    }\n"
		"  ]\n}\n");
	buf_release(&out);
	report_summary_release(&s);
	teardown(&r);
}

int main(void)
{
	RUN(cmocka_unit_test(deadlock_shows_the_cycle),
	    cmocka_unit_test(lost_wait_is_told_apart_from_a_cycle),
	    cmocka_unit_test(cycle_goes_through_one_of_several_readers),
	    cmocka_unit_test(barrier_tells_who_is_missing),
	    cmocka_unit_test(use_after_free_shows_three_places),
	    cmocka_unit_test(assertion_shows_its_expression),
	    cmocka_unit_test(misuse_names_owner_and_lock),
	    cmocka_unit_test(accesses_of_one_line_are_folded),
	    cmocka_unit_test(many_threads_share_one_column),
	    cmocka_unit_test(json_follows_its_description));
}
