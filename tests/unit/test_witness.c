/* SPDX-License-Identifier: Apache-2.0 */
/* Witnesses: built from events, printed, parsed back; and a parser that survives any input. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "trace/witness.h"
#include "unit/unit.h"

static char file_name[] = "/src/a.c", function_name[] = "work", empty[] = "";

static void make_tables(struct trace_tables *t)
{
	*t = (struct trace_tables){ 0 };
	vec_add(&t->locations);
	struct location l = { .function = function_name, .file = file_name, .line = 12 };
	vec_push(&t->locations, l);
	l.file = empty;
	vec_push(&t->locations, l);
}

static void add(struct witness *w, const struct trace_tables *t, unsigned kind, thr_id thread,
		loc_id loc, uint64_t a, uint64_t b)
{
	struct event e = { .kind = (uint8_t)kind, .thread = thread, .loc = loc, .a = a, .b = b };
	witness_add(w, &e, t);
}

/* T0 runs 5 hooks, is preempted by T1, which blocks after 3, T0 goes on to the end. */
static void build(struct witness *w, const struct trace_tables *t)
{
	witness_init(w);
	w->program = mem_strdup("./a \"b\"");
	w->build_id = mem_strdup("0123abcd");
	vec_push(&w->args, mem_strdup("one"));
	vec_push(&w->args, mem_strdup(""));
	vec_push(&w->args, mem_strdup("new\nline\\"));
	w->kind = mem_strdup("deadlock");
	w->message = mem_strdup("all wait");
	w->race[0] = 1;
	w->race[1] = 6;
	w->step_limit = 100;
	w->memory = MEMORY_TSO;
	add(w, t, EV_BEGIN, 0, 1, 0, 0);
	add(w, t, EV_WRITE, 0, 2, 7, 0);
	add(w, t, EV_SWITCH, 1, 0, 5, 0);
	add(w, t, EV_CHOICE, 1, 1, 2, 3);
	struct event e = { .kind = EV_SWITCH, .mode = SWITCH_BLOCK, .thread = 0, .a = 8, .b = 1 };
	witness_add(w, &e, t);
	struct event flush = { .kind = EV_FLUSH_TURN, .mode = 2, .thread = 0, .a = 9, .b = 1 };
	witness_add(w, &flush, t);
	add(w, t, EV_FAILURE, 0, 1, 1, 0);
	witness_finish(w, t);
}

static void prints_what_it_was_told(void **state)
{
	(void)state;
	struct trace_tables t;
	make_tables(&t);
	struct witness w;
	build(&w, &t);
	struct buf out = { 0 }, wanted = { 0 };
	witness_print(&w, &out);
	buf_printf(&wanted,
		   "heddle-witness 1\nprogram \"./a \\\"b\\\"\"\nbuild-id 0123abcd\narg "
		   "\"one\"\narg \"\"\n"
		   "arg \"new\\x0aline\\\\\"\nfound deadlock \"all wait\"\nrace 1 6\nsteps "
		   "100\nmemory tso\nchoice 2 of 3\n"
		   "run T0 5 preempted events 2 hash %016llx last write \"work\"\n"
		   "run T1 3 blocked events 4 hash %016llx last choice \"/src/a.c:12\"\n"
		   "run T0 1 flush T1 2 events 5 hash %016llx last switch \"\"\n"
		   "run T0 end events 7 hash %016llx last failure \"/src/a.c:12\"\n"
		   "end events 7 hash %016llx\n",
		   (unsigned long long)w.segments.at[0].hash,
		   (unsigned long long)w.segments.at[1].hash,
		   (unsigned long long)w.segments.at[2].hash, (unsigned long long)w.hash,
		   (unsigned long long)w.hash);
	assert_string_equal(out.at, wanted.at);
	buf_release(&out);
	buf_release(&wanted);
	witness_release(&w);
	vec_release(&t.locations);
}

static void parses_what_it_prints(void **state)
{
	(void)state;
	struct trace_tables t;
	make_tables(&t);
	struct witness w, again;
	build(&w, &t);
	struct buf out = { 0 }, second = { 0 };
	witness_print(&w, &out);
	witness_init(&again);
	struct err err = { 0 };
	assert_int_equal(witness_parse(&again, "w", out.at, out.len, &err), 0);
	witness_print(&again, &second);
	assert_string_equal(out.at, second.at);
	assert_string_equal(again.args.at[2], "new\nline\\");
	buf_release(&out);
	buf_release(&second);
	witness_release(&w);
	witness_release(&again);
	vec_release(&t.locations);
}

static void schedule_counts_hooks_of_the_process(void **state)
{
	(void)state;
	struct trace_tables t;
	make_tables(&t);
	struct witness w;
	build(&w, &t);
	struct witness_schedule s;
	witness_schedule(&w, &s);
	assert_int_equal(s.steps.len, 3);
	assert_int_equal(s.steps.at[0].hooks, 5);
	assert_int_equal(s.steps.at[0].thread, 1);
	assert_int_equal(s.steps.at[0].why, SWITCH_PREEMPT);
	assert_int_equal(s.steps.at[1].hooks, 8);
	assert_int_equal(s.steps.at[1].thread, 0);
	assert_int_equal(s.steps.at[1].why, SWITCH_BLOCK);
	assert_int_equal(s.steps.at[2].hooks, 9);
	assert_int_equal(s.steps.at[2].thread, 1);
	assert_int_equal(s.steps.at[2].why, SWITCH_FLUSH | WIRE_STORE(2));
	assert_int_equal(s.choices.len, 1);
	assert_int_equal(s.choices.at[0], 2);
	witness_schedule_release(&s);
	witness_release(&w);
	vec_release(&t.locations);
}

static void every_field_changes_the_hash(void **state)
{
	(void)state;
	unsigned char bytes[2] = { 1, 2 };
	struct event base = { .kind = EV_READ,
			      .thread = 1,
			      .obj = 2,
			      .a = 3,
			      .b = 4,
			      .size = 5,
			      .loc = 6,
			      .stack = 7,
			      .mode = 1,
			      .flags = 1,
			      .data = bytes,
			      .data_len = 2 };
	uint64_t h = witness_event_hash(&base);
	struct event e = base;
#define DIFFERS(change) (e = base, change, assert_true(witness_event_hash(&e) != h))
	DIFFERS(e.kind = EV_WRITE);
	DIFFERS(e.thread = 2);
	DIFFERS(e.obj = 3);
	DIFFERS(e.a = 4);
	DIFFERS(e.b = 5);
	DIFFERS(e.size = 6);
	DIFFERS(e.loc = 7);
	DIFFERS(e.stack = 8);
	DIFFERS(e.mode = 2);
	DIFFERS(e.flags = 2);
	DIFFERS(e.data_len = 1);
	DIFFERS((e.a = base.b, e.b = base.a));
	e = base;
	e.index = 99;
	e.own_index = 99;
	assert_true(witness_event_hash(&e) == h);
#undef DIFFERS
}

static const char good[] = "heddle-witness 1\nprogram \"p\"\nbuild-id none\nrun T0 4 preempted "
			   "events 2 hash 0000000000000001\n"
			   "run T1 end events 3 hash 0000000000000002 last end \"a.c:1\"\nend "
			   "events 3 hash 0000000000000002\n";

static int parse(const char *text, size_t len, struct err *err)
{
	/* A copy of exactly this length, so that a read past the end is seen by the sanitizer. */
	char *copy = mem_alloc(len);
	memcpy(copy, text, len);
	struct witness w;
	witness_init(&w);
	int rc = witness_parse(&w, "w", copy, len, err);
	witness_release(&w);
	mem_free(copy);
	return rc;
}

static void rejects_with_the_line(void **state)
{
	(void)state;
	static const struct {
		const char *replace, *with, *message;
	} cases[] = {
		{ "heddle-witness 1", "heddle-witness 2",
		  "w is a witness of version 2; this heddle reads version 1" },
		{ "heddle-witness", "hedgehog",
		  "w, line 1: this is not a witness: the first line must be 'heddle-witness 1'" },
		{ "program \"p\"", "program p",
		  "w, line 2: the second line must be 'program' and a path in quotes" },
		{ "\"p\"", "\"\\x00\"",
		  "w, line 2: the second line must be 'program' and a path in quotes" },
		{ "\"p\"", "\"p",
		  "w, line 2: the second line must be 'program' and a path in quotes" },
		{ "build-id none", "build-id",
		  "w, line 3: the third line must be 'build-id' and hexadecimal digits, or "
		  "'none'" },
		{ "T0 4", "T0 99999999999999999999",
		  "w, line 4: the thread must be followed by its number of hooks, or by 'end'" },
		{ "T0 4", "T4294967296 4",
		  "w, line 4: 'run' must be followed by a thread, such as T1" },
		{ "preempted", "tired",
		  "w, line 4: the number of hooks must be followed by 'preempted', 'blocked' or "
		  "'flush'" },
		{ "preempted", "flush T1",
		  "w, line 4: 'flush' must be followed by a thread and the place of a store in its "
		  "buffer, such as T1 0" },
		{ "run T0", "memory arm\nrun T0",
		  "w, line 4: 'memory' must be followed by sc, tso or pso" },
		{ "run T0", "race 2 1\nrun T0",
		  "w, line 4: 'race' must be followed by the numbers of two events, the earlier "
		  "one first" },
		{ "run T0", "race 1 2\nrace 0 1\nrun T0",
		  "w, line 5: there is a second 'race' line" },
		{ "run T0", "race 1 3\nrun T0",
		  "w, line 7: the events of the race are not among those of the witness" },
		{ "events 2", "events 9",
		  "w, line 5: the number of events is lower than in the segment before" },
		{ "0000000000000001", "000000000000000g",
		  "w, line 4: 'hash' and 16 hexadecimal digits are missing" },
		{ "last end", "last dance",
		  "w, line 5: the word after 'last' is not a kind of event" },
		{ "\"a.c:1\"", "\"a.c:1\" x",
		  "w, line 5: there is something left at the end of the line" },
		{ "T0 4 preempted", "T0 end",
		  "w, line 5: there is a segment after the one that runs to the end" },
		{ "T1 end", "T1 3 blocked", "w, line 6: the last segment must run to the end" },
		{ "end events 3 hash 0000000000000002\n", "",
		  "w, line 5: the witness is cut off: there is no 'end' line after this one" },
		{ "end events 3 hash 0000000000000002\n",
		  "end events 3 hash 0000000000000002\nmore\n",
		  "w, line 7: there is text after the end line" },
		{ "run T0", "choice 3 of 3\nrun T0",
		  "w, line 4: the choice is not below the number of possibilities" },
		{ "run T0", "walk T0", "w, line 4: this line is not part of a witness" },
	};
	struct err err = { 0 };
	assert_int_equal(parse(good, strlen(good), &err), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *at = strstr(good, cases[i].replace);
		assert_non_null(at);
		struct buf text = { 0 };
		buf_add(&text, good, (size_t)(at - good));
		buf_str(&text, cases[i].with);
		buf_str(&text, at + strlen(cases[i].replace));
		assert_true(parse(text.at, text.len, &err) < 0);
		assert_string_equal(err.text, cases[i].message);
		buf_release(&text);
	}
}

static void survives_truncation_and_noise(void **state)
{
	(void)state;
	size_t len = strlen(good);
	struct err err;
	/* Without its last newline it is still whole. */
	for (size_t n = 0; n + 1 < len; n++)
		assert_true(parse(good, n, &err) < 0);
	uint64_t random = 42;
	for (int round = 0; round < 20000; round++) {
		char text[sizeof(good)];
		memcpy(text, good, sizeof(good));
		for (int change = 0; change < 3; change++) {
			uint64_t r = test_random(&random);
			text[(r >> 33) % len] = (char)(r >> 20);
		}
		int rc = parse(text, len, &err);
		assert_true(rc == 0 || (rc < 0 && err.text[0]));
	}
}

int main(void)
{
	RUN(cmocka_unit_test(prints_what_it_was_told), cmocka_unit_test(parses_what_it_prints),
	    cmocka_unit_test(schedule_counts_hooks_of_the_process),
	    cmocka_unit_test(every_field_changes_the_hash), cmocka_unit_test(rejects_with_the_line),
	    cmocka_unit_test(survives_truncation_and_noise));
}
