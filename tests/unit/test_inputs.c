/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of a run: in a witness, in a file beside it, and files that are not what they should be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "trace/witness.h"
#include "unit/unit.h"

static char dir[] = "/tmp/heddle-inputs.XXXXXX";

static const char *path_of(const char *name)
{
	static char path[200];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void add(struct inputs *in, unsigned kind, thr_id thread, int64_t a, unsigned call,
		const void *data, size_t len)
{
	struct event e = { .kind = (uint8_t)kind,
			   .thread = thread,
			   .a = (uint64_t)a,
			   .b = call,
			   .data = data,
			   .data_len = len };
	inputs_add(in, &e);
}

/* A read that waited and gave bytes of every value, and one that failed. */
static void fill(struct inputs *in, size_t len)
{
	unsigned char *bytes = mem_alloc(len);
	for (size_t i = 0; i < len; i++)
		bytes[i] = (unsigned char)i;
	add(in, EV_IO_WAIT, 1, 3, 0, NULL, 0);
	add(in, EV_IO_TIME, 1, 5000000000, 0, NULL, 0);
	add(in, EV_INPUT, 1, (int64_t)len, 0, NULL, 0);
	add(in, EV_INPUT_DATA, 1, 0, 0, bytes, len);
	add(in, EV_INPUT, 0, -2, 257, NULL, 0);
	mem_free(bytes);
}

static void finish(struct witness *w)
{
	struct trace_tables t = { 0 };
	vec_add(&t.locations);
	w->program = mem_strdup("./a");
	w->build_id = mem_strdup("");
	witness_finish(w, &t);
	vec_release(&t.locations);
}

static void small_ones_are_in_the_witness(void **state)
{
	(void)state;
	struct witness w, back;
	struct err err;
	witness_init(&w);
	witness_init(&back);
	fill(&w.inputs, 256);
	vec_push(&w.environment, mem_strdup("A=\"1\""));
	w.name = mem_strdup("a");
	finish(&w);
	assert_int_equal(witness_save(&w, path_of("small"), &err), 0);
	assert_int_not_equal(access(path_of("small.inputs"), F_OK), 0);
	struct buf text = { 0 };
	assert_int_equal(file_read(path_of("small"), &text, &err), 0);
	assert_non_null(strstr(text.at, "\nname \"a\"\nenv \"A=\\\"1\\\"\"\n"));
	assert_non_null(strstr(
		text.at,
		"\nio-wait T1 read 3\nio-time T1 read 5000000000\ninput T1 read 256 \"\\x00\\x01"));
	assert_non_null(strstr(text.at, "\ninput T0 openat -2\n"));
	buf_release(&text);
	assert_int_equal(witness_load(&back, path_of("small"), &err), 0);
	assert_int_equal(back.inputs.records, w.inputs.records);
	assert_int_equal(back.inputs.hash, w.inputs.hash);
	assert_int_equal(back.inputs.size, w.inputs.size);
	assert_int_equal(back.environment.len, 1);
	assert_string_equal(back.name, "a");
	witness_release(&w);
	witness_release(&back);
}

static void many_are_in_a_file(void **state)
{
	(void)state;
	struct witness w, back;
	struct err err;
	witness_init(&w);
	witness_init(&back);
	for (int i = 0; i < 40; i++) /* more than is kept in memory */
		fill(&w.inputs, 65536);
	finish(&w);
	assert_int_equal(witness_save(&w, path_of("large"), &err), 0);
	assert_int_equal(witness_load(&back, path_of("large"), &err), 0);
	assert_string_equal(back.inputs_name, "large.inputs");
	assert_int_equal(back.inputs.records, 200);
	assert_int_equal(back.inputs.hash, w.inputs.hash);
	int fd;
	assert_int_equal(inputs_file(&back.inputs, &fd, &err), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), (off_t)w.inputs.size);
	witness_release(&w);
	witness_release(&back);
	witness_remove(path_of("large"));
	assert_int_not_equal(access(path_of("large.inputs"), F_OK), 0);
}

static int open_changed(const struct buf *good, size_t len, size_t at, char to, struct err *err)
{
	struct buf bytes = { 0 };
	buf_add(&bytes, good->at, len);
	if (at < len)
		bytes.at[at] = to;
	assert_int_equal(file_write(path_of("bad"), bytes.at, bytes.len, err), 0);
	buf_release(&bytes);
	struct inputs in = { 0 };
	int rc = inputs_open(&in, path_of("bad"), err);
	inputs_release(&in);
	return rc;
}

static void damage_is_refused(void **state)
{
	(void)state;
	struct inputs in = { 0 };
	struct err err;
	struct buf good = { 0 };
	fill(&in, 13);
	uint64_t records = in.records, hash = in.hash;
	assert_int_equal(inputs_save(&in, path_of("good"), &err), 0);
	inputs_release(&in);
	assert_int_equal(file_read(path_of("good"), &good, &err), 0);
	/* Cut anywhere but between two records. */
	unsigned whole = 0;
	for (size_t len = 0; len < good.len; len++) {
		int rc = open_changed(&good, len, len, 0, &err);
		assert_true(rc == 0 || rc == -ERR_FORMAT);
		whole += !rc;
	}
	assert_int_equal(whole, records);
	/* A changed byte is refused, or changes the hash. */
	for (size_t at = 0; at < good.len; at++) {
		struct inputs changed = { 0 };
		char other = (char)(good.at[at] ^ 0x41);
		int rc = open_changed(&good, good.len, at, other, &err);
		if (!rc)
			rc = inputs_open(&changed, path_of("bad"), &err);
		assert_true(rc == -ERR_FORMAT || (!rc && changed.hash != hash));
		inputs_release(&changed);
	}
	buf_release(&good);
}

static void names_of_calls_go_both_ways(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 600; i++)
		if (call_name(i))
			assert_int_equal(call_by_name(call_name(i), strlen(call_name(i))), i);
	assert_int_equal(call_by_name("red", 3), WIRE_NO_CALL);
	assert_string_equal(call_name(0), "read");
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	static const char *const names[] = { "small", "good", "bad" };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(path_of(names[i]));
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_ones_are_in_the_witness),
		cmocka_unit_test(many_are_in_a_file),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(names_of_calls_go_both_ways),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
