/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of src/trace: what is written is read, in both forms, field by field; conversion gives
 * the same bytes; same calls give the same file; what must be refused is refused.
 */
#include "trace/block.h"
#include "unit/trace_samples.h"

/* Read a trace and compare it with the calls that made it, made again. */
static void compare_with_plan(const char *path, uint64_t seed, uint64_t events, bool complete)
{
	struct sample s = { .rng = seed, .threads = 1 + seed % 7 };
	struct trace_writer *ignored;
	struct trace_reader *r;
	struct event e;
	struct err err;
	uint64_t own[8] = { 0 };
	sample_ok(trace_writer_open(&ignored, sample_path("ignored"), TRACE_BINARY, &err), &err);
	sample_ok(trace_reader_open(&r, path, &err), &err);
	assert_string_equal(trace_fact(trace_reader_tables(r), "seed"), "2");
	assert_string_equal(trace_fact(trace_reader_tables(r), "a name with blanks"), "");
	assert_null(trace_fact(trace_reader_tables(r), "end"));
	for (uint64_t i = 0; i < events; i++) {
		while (test_random(&s.rng) % 8 == 0 && s.locations < 3000)
			sample_define(&s, ignored);
		struct event want = sample_event(&s);
		int rc = trace_reader_next(r, &e, &err);
		sample_ok(rc, &err);
		assert_int_equal(rc, 1);
		assert_int_equal(e.index, i);
		assert_int_equal(e.own_index, own[want.thread]++);
		assert_int_equal(e.thread, want.thread);
		assert_int_equal(e.kind, want.kind);
		assert_int_equal(e.mode, want.mode);
		assert_int_equal(e.flags, want.flags);
		assert_int_equal(e.loc, want.loc);
		assert_int_equal(e.stack, want.stack);
		assert_int_equal(e.obj, want.obj);
		assert_int_equal(e.a, want.a);
		assert_int_equal(e.b, want.b);
		assert_int_equal(e.size, want.size);
		assert_int_equal(e.data_len, want.data_len);
		if (e.data_len)
			assert_memory_equal(e.data, want.data, e.data_len);
	}
	assert_int_equal(trace_reader_next(r, &e, &err), 0);
	assert_int_equal(trace_reader_next(r, &e, &err), 0);
	assert_int_equal(trace_reader_is_complete(r), complete);
	const struct trace_tables *t = trace_reader_tables(r);
	if (complete && events)
		assert_string_equal(trace_fact(t, "end"), "exit 0");
	if (!complete)
		assert_non_null(strstr(trace_reader_cut_reason(r), "without an end mark"));
	sample_define(&s, ignored);
	assert_int_equal(t->regions.len, s.regions + 1);
	assert_int_equal(t->locations.len, s.locations + 1);
	assert_int_equal(t->stacks.len, s.stacks + 1);
	trace_reader_close(r);
	trace_writer_abandon(ignored);
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	static const uint64_t sizes[] = { 1, 2, 127, 128, 129, 1000, 100000 };
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int form = TRACE_BINARY; form <= TRACE_TEXT; form++) {
			const char *path = sample_path("trace");
			sample_write(path, (enum trace_form)form, i + 1, sizes[i], i % 3 != 0);
			compare_with_plan(path, i + 1, sizes[i], i % 3 != 0);
		}
	}
}

static void conversion_gives_the_same_bytes(void **state)
{
	(void)state;
	static const uint64_t sizes[] = { 0, 1, 50, 3000, 70000 };
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int complete = i + 1 == sizeof(sizes) / sizeof(sizes[0]); complete < 2;
		     complete++) {
			const char *binary = sample_path("binary"), *text = sample_path("text"),
				   *back = sample_path("back");
			sample_write(binary, TRACE_BINARY, 40 + i, sizes[i], complete);
			sample_convert(binary, text, TRACE_TEXT);
			sample_convert(text, back, TRACE_BINARY);
			sample_same_file(binary, back);
			sample_write(back, TRACE_TEXT, 40 + i, sizes[i], complete);
			sample_same_file(text, back);
		}
	}
}

static void same_calls_give_the_same_file(void **state)
{
	(void)state;
	const char *one = sample_path("one"), *two = sample_path("two");
	sample_write(one, TRACE_BINARY, 5, 5000, true);
	sample_write(two, TRACE_BINARY, 5, 5000, true);
	sample_same_file(one, two);
}

static void definitions_between_events_come_before_their_block(void **state)
{
	(void)state;
	const char *path = sample_path("order");
	struct trace_writer *w;
	struct trace_reader *r;
	struct err err;
	char name[] = "f", none[] = "";
	struct event e = { .kind = EV_READ };
	struct location l = { .function = name, .file = none };
	sample_ok(trace_writer_open(&w, path, TRACE_BINARY, &err), &err);
	sample_ok(trace_writer_event(w, &e, &err), &err);
	sample_ok(trace_writer_location(w, &l, &err), &err);
	e.loc = 1;
	sample_ok(trace_writer_event(w, &e, &err), &err);
	sample_ok(trace_writer_close(w, &err), &err);
	sample_ok(trace_reader_open(&r, path, &err), &err);
	assert_int_equal(trace_reader_next(r, &e, &err), 1);
	assert_int_equal(trace_reader_tables(r)->locations.len, 2);
	assert_int_equal(trace_reader_next(r, &e, &err), 1);
	assert_int_equal(e.loc, 1);
	trace_reader_close(r);
}

static void much_data_and_many_definitions_make_several_blocks(void **state)
{
	(void)state;
	const char *path = sample_path("large"), *text = sample_path("large.text"),
		   *back = sample_path("back");
	struct trace_writer *w;
	struct err err;
	static unsigned char bytes[1 << 20];
	static char name[60000];
	struct event e = {
		.kind = EV_INPUT, .data = bytes, .data_len = sizeof(bytes), .size = sizeof(bytes)
	};
	struct location l = { .function = name, .file = name };
	memset(name, 'n', sizeof(name) - 1);
	sample_ok(trace_writer_open(&w, path, TRACE_BINARY, &err), &err);
	for (unsigned i = 0; i < 40; i++) {
		name[0] = (char)('a' + i % 26);
		memset(bytes, (int)i, sizeof(bytes));
		sample_ok(trace_writer_location(w, &l, &err), &err);
		sample_ok(trace_writer_event(w, &e, &err), &err);
	}
	sample_ok(trace_writer_close(w, &err), &err);
	sample_convert(path, text, TRACE_TEXT);
	sample_convert(text, back, TRACE_BINARY);
	sample_same_file(path, back);
}

static void a_writer_refuses_what_a_reader_would(void **state)
{
	(void)state;
	static const struct {
		struct event e;
		const char *why;
	} cases[] = {
		{ { .kind = 0 }, "unknown kind" },
		{ { .kind = EV_LIMIT }, "unknown kind" },
		{ { .kind = EV_READ, .loc = 1 }, "location that is not defined" },
		{ { .kind = EV_READ, .stack = 1 }, "call stack that is not defined" },
		{ { .kind = EV_READ, .thread = THR_NONE }, "thread number" },
		{ { .kind = EV_READ,
		    .data = (const unsigned char *)"",
		    .data_len = TRACE_DATA_MAX + 1 },
		  "too many bytes" },
	};
	struct err err;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_writer *w;
		sample_ok(trace_writer_open(&w, sample_path("refused"), TRACE_BINARY, &err), &err);
		assert_int_equal(trace_writer_event(w, &cases[i].e, &err), -ERR_FORMAT);
		assert_non_null(strstr(err.text, cases[i].why));
		err.text[0] = 0;
		assert_int_equal(trace_writer_close(w, &err), -ERR_FORMAT);
		assert_non_null(strstr(err.text, cases[i].why));
	}
}

static void a_full_disk_is_an_error_that_stays(void **state)
{
	(void)state;
	struct trace_writer *w;
	struct err err = { 0 };
	struct event e = { .kind = EV_READ };
	sample_ok(trace_writer_open(&w, "/dev/full", TRACE_TEXT, &err), &err);
	trace_writer_event(w, &e, &err);
	assert_int_equal(trace_writer_event(w, &e, &err), -ERR_IO);
	assert_string_equal(err.text, "cannot write /dev/full: No space left on device");
	assert_int_equal(trace_writer_close(w, &err), -ERR_IO);
	assert_int_equal(trace_writer_open(&w, "/nowhere/x", TRACE_BINARY, &err), -ERR_IO);
	assert_non_null(strstr(err.text, "/nowhere/x"));
}

static void addresses_are_named_by_their_region(void **state)
{
	(void)state;
	struct trace_tables t = { 0 };
	struct buf out = { 0 };
	char path[] = "/x/y/main.o", none[] = "";
	vec_add(&t.regions);
	vec_push(&t.regions, ((struct region){ .start = 0x1000,
					       .size = 0x100,
					       .kind = REGION_MODULE,
					       .thread = THR_NONE,
					       .path = path,
					       .build_id = none }));
	vec_push(&t.regions, ((struct region){ .start = 0x2000,
					       .size = 0x1000,
					       .kind = REGION_STACK,
					       .thread = 2,
					       .path = none }));
	vec_push(&t.regions, ((struct region){ .start = 0x1080,
					       .size = 8,
					       .kind = REGION_HEAP,
					       .thread = 0,
					       .path = none }));
	static const struct {
		uint64_t address;
		const char *text;
	} cases[] = { { 0x1040, "main.o+0x40" }, { 0x1000, "main.o+0x0" },
		      { 0x1100, "0x1100" },	 { 0x2ee8, "stack 2-0x118" },
		      { 0x1087, "heap 0+0x7" },	 { 0x1088, "main.o+0x88" },
		      { 0xfff, "0xfff" },	 { 0, "0x0" } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&out);
		trace_text_address(&t, cases[i].address, &out);
		assert_string_equal(out.at, cases[i].text);
	}
	buf_clear(&out);
	trace_text_address(NULL, 0x1040, &out);
	assert_string_equal(out.at, "0x1040");
	buf_release(&out);
	vec_release(&t.regions);
}

static void names_go_both_ways(void **state)
{
	(void)state;
	for (unsigned kind = 1; kind < EV_LIMIT; kind++) {
		const char *name = event_kind_name(kind);
		assert_int_equal(name != NULL, event_kind_exists[kind]);
		if (!name)
			continue;
		assert_int_equal(event_kind_by_name(name, strlen(name)), kind);
		for (unsigned mode = 1; mode < 256; mode++) {
			const char *word = event_mode_name(kind, mode);
			if (word)
				assert_int_equal(event_mode_by_name(kind, word, strlen(word)),
						 mode);
		}
	}
	assert_null(event_kind_name(0));
	assert_null(event_kind_name(EV_LIMIT));
	assert_int_equal(event_kind_by_name("rea", 3), 0);
	assert_int_equal(event_kind_by_name("", 0), 0);
	assert_string_equal(event_mode_name(EV_READ, MODE_SEQ_CST), "seq_cst");
	assert_string_equal(event_mode_name(EV_ACQUIRE, SYNC_WRLOCK), "wrlock");
	for (unsigned bit = 1; bit < 256; bit <<= 1)
		assert_int_equal(
			event_flag_by_name(event_flag_name(bit), strlen(event_flag_name(bit))),
			bit);
	assert_null(event_flag_name(256));
	assert_null(event_flag_name(3));
	assert_int_equal(event_shape(EV_RMW).b, OPERAND_VALUE);
	assert_int_equal(event_shape(EV_FAILURE).a, OPERAND_FAILURE);
	assert_int_equal(event_shape(EV_END).obj, OPERAND_NONE);
	assert_int_equal(event_shape(EV_LIMIT).obj, OPERAND_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(conversion_gives_the_same_bytes),
		cmocka_unit_test(same_calls_give_the_same_file),
		cmocka_unit_test(definitions_between_events_come_before_their_block),
		cmocka_unit_test(much_data_and_many_definitions_make_several_blocks),
		cmocka_unit_test(a_writer_refuses_what_a_reader_would),
		cmocka_unit_test(a_full_disk_is_an_error_that_stays),
		cmocka_unit_test(addresses_are_named_by_their_region),
		cmocka_unit_test(names_go_both_ways),
	};
	return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
