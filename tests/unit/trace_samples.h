/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random traces for the tests of src/trace: every kind, every field, data, empty strings and odd
 * names.  Made by a plan of calls, so that the same trace can be written in both forms and
 * compared with what is read.
 */
#ifndef HEDDLE_TRACE_SAMPLES_H
#define HEDDLE_TRACE_SAMPLES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "trace/trace.h"
#include "unit/unit.h"

static char sample_dir[] = "/tmp/heddle-test-trace-XXXXXX";

static inline int sample_setup(void **state)
{
	(void)state;
	return mkdtemp(sample_dir) ? 0 : -1;
}

static inline int sample_teardown(void **state)
{
	(void)state;
	char command[100];
	snprintf(command, sizeof(command), "rm -rf %s", sample_dir);
	return system(command);
}

/* Path of a file in the directory of this run; four may be in use at a time. */
static inline const char *sample_path(const char *name)
{
	static char paths[4][100];
	static unsigned next;
	char *path = paths[next++ % 4];
	snprintf(path, sizeof(paths[0]), "%s/%s", sample_dir, name);
	return path;
}

static inline void sample_ok(int rc, const struct err *err)
{
	if (rc < 0)
		fail_msg("%s", err->text);
}

struct sample {
	uint64_t rng;
	uint64_t events;
	unsigned regions, locations, stacks, threads;
	unsigned char data[5000];
};

static char sample_strings[][16] = {
	"", "a", "main", "dir/file.c", "a b\tc\n\"d\"\\", "\xff\xfe\x01", "=@^#+->", "0x12"
};

static inline char *sample_string(struct sample *s)
{
	return sample_strings[test_random(&s->rng) %
			      (sizeof(sample_strings) / sizeof(sample_strings[0]))];
}

/* Numbers of all magnitudes, often small, often repeated. */
static inline uint64_t sample_number(struct sample *s)
{
	uint64_t shape = test_random(&s->rng) % 8, v = test_random(&s->rng);
	return shape == 0   ? 0
	       : shape == 1 ? UINT64_MAX
	       : shape < 5  ? v % 16
			    : v >> test_random(&s->rng) % 64;
}

static inline void sample_define(struct sample *s, struct trace_writer *w)
{
	struct err err;
	uint64_t which = test_random(&s->rng) % 3;
	if (which == 0) {
		struct region r = { .kind = 1 + test_random(&s->rng) % 5,
				    .start = sample_number(s),
				    .path = sample_string(s),
				    .flags = (uint32_t)sample_number(s),
				    .build_id = sample_string(s),
				    .thread = test_random(&s->rng) % 2 ? THR_NONE
								       : (thr_id)sample_number(s) };
		r.size = sample_number(s);
		if (r.size > UINT64_MAX - r.start)
			r.size = UINT64_MAX - r.start;
		sample_ok(trace_writer_region(w, &r, &err), &err);
		s->regions++;
	} else if (which == 1) {
		struct location l = { .region = test_random(&s->rng) % (s->regions + 1),
				      .offset = sample_number(s),
				      .function = sample_string(s),
				      .file = sample_string(s),
				      .line = (uint32_t)sample_number(s),
				      .column = (uint32_t)sample_number(s) };
		sample_ok(trace_writer_location(w, &l, &err), &err);
		s->locations++;
	} else {
		struct stack_node n = { .parent = test_random(&s->rng) % (s->stacks + 1),
					.loc = test_random(&s->rng) % (s->locations + 1) };
		sample_ok(trace_writer_stack(w, &n, &err), &err);
		s->stacks++;
	}
}

static inline uint8_t sample_kind(struct sample *s)
{
	uint8_t kind;
	do
		kind = (uint8_t)(1 + test_random(&s->rng) % (EV_LIMIT - 1));
	while (!event_kind_name(kind));
	return kind;
}

static inline struct event sample_event(struct sample *s)
{
	struct event e = { .thread = test_random(&s->rng) % s->threads,
			   .kind = sample_kind(s),
			   .loc = test_random(&s->rng) % (s->locations + 1),
			   .stack = test_random(&s->rng) % (s->stacks + 1),
			   .obj = sample_number(s),
			   .a = sample_number(s),
			   .b = sample_number(s),
			   .size = sample_number(s) };
	while (!event_kind_name(e.kind)) /* not all numbers are taken */
		e.kind = 1 + test_random(&s->rng) % (EV_LIMIT - 1);
	if (test_random(&s->rng) % 4 == 0) {
		e.mode = (uint8_t)test_random(&s->rng);
		e.flags = (uint8_t)test_random(&s->rng);
	}
	if (test_random(&s->rng) % 16 == 0) {
		e.data_len =
			test_random(&s->rng) % (test_random(&s->rng) % 8 ? 40 : sizeof(s->data));
		for (size_t i = 0; i < e.data_len; i++)
			s->data[i] = (unsigned char)test_random(&s->rng);
		e.data = s->data;
		if (test_random(&s->rng) % 2)
			e.size = e.data_len;
	}
	return e;
}

/* Write a random trace; definitions come between the events. */
static inline void sample_write(const char *path, enum trace_form form, uint64_t seed,
				uint64_t events, bool complete)
{
	struct sample s = { .rng = seed, .threads = 1 + seed % 7 };
	struct trace_writer *w;
	struct err err;
	sample_ok(trace_writer_open(&w, path, form, &err), &err);
	trace_writer_fact(w, "program", "/bin/odd \"name\"");
	trace_writer_fact(w, "a name with blanks", "");
	trace_writer_fact(w, "seed", "1");
	trace_writer_fact(w, "seed", "2");
	for (uint64_t i = 0; i < events; i++) {
		while (test_random(&s.rng) % 8 == 0 && s.locations < 3000)
			sample_define(&s, w);
		struct event e = sample_event(&s);
		sample_ok(trace_writer_event(w, &e, &err), &err);
	}
	sample_define(&s, w);
	trace_writer_fact(w, "end", "exit 0");
	if (complete)
		sample_ok(trace_writer_close(w, &err), &err);
	else
		trace_writer_abandon(w);
}

static inline void sample_convert(const char *from, const char *to, enum trace_form form)
{
	struct trace_reader *r;
	struct trace_writer *w;
	struct err err;
	sample_ok(trace_reader_open(&r, from, &err), &err);
	sample_ok(trace_writer_open(&w, to, form, &err), &err);
	sample_ok(trace_copy(r, w, &err), &err);
	trace_reader_close(r);
}

static inline void sample_same_file(const char *a, const char *b)
{
	struct buf x = { 0 }, y = { 0 };
	struct err err;
	sample_ok(file_read(a, &x, &err), &err);
	sample_ok(file_read(b, &y, &err), &err);
	assert_int_equal(x.len, y.len);
	assert_memory_equal(x.at, y.at, x.len);
	buf_release(&x);
	buf_release(&y);
}

#endif
