/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of trace/sparse: what is left out and what is kept, at the borders of groups too, and
 * that the rest of any run still makes sense, as the machine of trace/consistency sees it.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "trace/consistency.h"
#include "trace/sparse.h"
#include "unit/unit.h"

#define GROUP 65536u /* as doc/FORMAT.md says */
#define MEMORY 256u
#define BASE 0x1000u

struct bench {
	struct sparse *sparse;
	VEC(struct event) kept;
	struct consistency *sense;
	uint64_t given;
};

static int receive(void *arg, const struct event *e, struct err *err)
{
	struct bench *b = arg;
	(void)err;
	const char *wrong = consistency_event(b->sense, e);
	if (wrong)
		fail_msg("event %zu of those kept: %s", b->kept.len, wrong);
	vec_push(&b->kept, *e);
	return 0;
}

static void setup(struct bench *b)
{
	*b = (struct bench){ 0 };
	b->sparse = sparse_new(receive, b);
	b->sense = consistency_new();
}

static void give(struct bench *b, struct event e)
{
	struct err err;
	e.index = b->given++;
	assert_int_equal(sparse_event(b->sparse, &e, &err), 0);
}

static void access_8(struct bench *b, thr_id thread, unsigned kind, uint64_t address,
		     uint64_t value)
{
	give(b, (struct event){ .thread = thread,
				.kind = (uint8_t)kind,
				.obj = address,
				.size = 8,
				.a = value });
}

static void finish(struct bench *b)
{
	struct err err;
	assert_int_equal(sparse_finish(b->sparse, &err), 0);
	struct sparse_counts c = sparse_counts(b->sparse);
	assert_int_equal(c.kept, b->kept.len);
	assert_int_equal(c.kept - c.added + c.left_out, b->given);
}

static void teardown(struct bench *b)
{
	sparse_free(b->sparse);
	consistency_free(b->sense);
	vec_release(&b->kept);
}

static void what_one_thread_touches_is_left_out(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	access_8(&b, 0, EV_WRITE, 0x1000, 1); /* kept: T1 comes to it in the same group */
	access_8(&b, 0, EV_WRITE, 0x1008, 2);
	give(&b, (struct event){ .kind = EV_YIELD });
	access_8(&b, 1, EV_READ, 0x1000, 1);
	access_8(&b, 1, EV_WRITE, 0x1010, 3);
	finish(&b);
	assert_int_equal(b.kept.len, 3);
	assert_int_equal(b.kept.at[0].obj, 0x1000);
	assert_int_equal(b.kept.at[1].kind, EV_YIELD);
	assert_int_equal(b.kept.at[2].thread, 1);
	assert_int_equal(sparse_counts(b.sparse).added, 0);
	teardown(&b);
}

/* A block that is freed and allocated again is another one, even within a group. */
static void lives_are_told_apart(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	for (thr_id thread = 0; thread < 2; thread++) {
		give(&b, (struct event){
				 .thread = thread, .kind = EV_ALLOC, .obj = 0x2000, .size = 64 });
		access_8(&b, thread, EV_WRITE, 0x2000, 7);
		give(&b, (struct event){
				 .thread = thread, .kind = EV_FREE, .obj = 0x2000, .size = 64 });
	}
	finish(&b);
	assert_int_equal(b.kept.len, 4);
	assert_int_equal(sparse_counts(b.sparse).left_out, 2);
	teardown(&b);
}

static void earlier_groups_are_gone(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	access_8(&b, 0, EV_WRITE, 0x1000, 1);
	for (unsigned i = 1; i < GROUP; i++)
		give(&b, (struct event){ .kind = EV_YIELD });
	assert_int_equal(b.kept.len, GROUP - 1);
	access_8(&b, 0, EV_READ, 0x1000, 1);
	access_8(&b, 1, EV_READ, 0x1000, 1);
	assert_int_equal(b.kept.len, GROUP - 1);
	finish(&b);
	assert_int_equal(b.kept.len, GROUP + 1);
	assert_int_equal(b.kept.at[GROUP - 1].kind, EV_READ);
	teardown(&b);
}

static void marks_of_branches_go_on(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	give(&b, (struct event){ .kind = EV_WRITE, .obj = 0x1000, .size = 8, .flags = EVF_BRANCH });
	access_8(&b, 1, EV_WRITE, 0x1008, 1);
	give(&b, (struct event){ .thread = 1, .kind = EV_YIELD });
	give(&b, (struct event){ .thread = 0, .kind = EV_YIELD });
	give(&b, (struct event){ .thread = 0, .kind = EV_YIELD });
	finish(&b);
	assert_int_equal(b.kept.len, 3);
	assert_int_equal(b.kept.at[0].flags, 0);
	assert_int_equal(b.kept.at[1].flags, EVF_BRANCH);
	assert_int_equal(b.kept.at[2].flags, 0);
	teardown(&b);
}

/* 16 bytes of which the first 8 are shared: a write to the rest alone is left out, and the next
 * read needs a reason. */
static void what_is_not_explained_comes_from_outside(void **state)
{
	(void)state;
	struct bench b;
	unsigned char bytes[16] = { 0 };
	setup(&b);
	struct event both = {
		.kind = EV_WRITE, .obj = 0x1000, .size = 16, .data = bytes, .data_len = 16
	};
	give(&b, both);
	access_8(&b, 1, EV_READ, 0x1000, 0);
	access_8(&b, 0, EV_WRITE, 0x1008, 0x77);
	bytes[8] = 0x77;
	both.kind = EV_READ;
	give(&b, both);
	finish(&b);
	assert_int_equal(b.kept.len, 4);
	assert_int_equal(b.kept.at[2].kind, EV_OUTSIDE_WRITE);
	assert_int_equal(b.kept.at[2].obj, 0x1000);
	assert_int_equal(b.kept.at[2].size, 16);
	assert_int_equal(sparse_counts(b.sparse).added, 1);
	assert_int_equal(sparse_counts(b.sparse).left_out, 1);
	teardown(&b);
}

static void random_access(struct bench *b, unsigned char *memory, uint64_t *rng)
{
	static const unsigned sizes[] = { 1, 2, 4, 8, 16, 24 };
	unsigned size = sizes[test_random(rng) % 6];
	uint64_t at = test_random(rng) % (MEMORY - size);
	/* Threads keep to parts of memory, nearly always; accesses at the borders overlap. */
	thr_id thread = (thr_id)(test_random(rng) % 16384 ? at * 4 / MEMORY : test_random(rng) % 4);
	struct event e = { .thread = thread,
			   .obj = BASE + at,
			   .size = size,
			   .flags = test_random(rng) % 8 ? 0 : EVF_BRANCH };
	e.kind = test_random(rng) % 2 ? EV_READ : EV_WRITE;
	for (unsigned i = 0; e.kind == EV_WRITE && i < size; i++)
		memory[at + i] = (unsigned char)test_random(rng);
	if (size > 8) {
		e.data = memory + at;
		e.data_len = size;
	} else {
		memcpy(&e.a, memory + at, size);
	}
	give(b, e);
}

/* The receiver checks that it makes sense; what is not about memory is all there; most of the
 * rest is not. */
static void any_run_still_makes_sense(void **state)
{
	(void)state;
	uint64_t rng = 5;
	for (unsigned round = 0; round < 4; round++) {
		struct bench b;
		unsigned char memory[MEMORY] = { 0 };
		uint64_t yields = 0, seen = 0;
		setup(&b);
		for (unsigned i = 0; i < GROUP + GROUP / 2; i++) {
			if (test_random(&rng) % 16) {
				random_access(&b, memory, &rng);
			} else if (test_random(&rng) % 16) {
				give(&b, (struct event){ .thread = (thr_id)(test_random(&rng) % 4),
							 .kind = EV_YIELD });
				yields++;
			} else {
				uint64_t size = 8 * (1 + test_random(&rng) % 8),
					 at = test_random(&rng) % (MEMORY - size);
				give(&b, (struct event){
						 .kind = EV_FREE, .obj = BASE + at, .size = size });
				memset(memory + at, (int)test_random(&rng), size);
			}
		}
		finish(&b);
		for (size_t i = 0; i < b.kept.len; i++)
			seen += b.kept.at[i].kind == EV_YIELD;
		assert_int_equal(seen, yields);
		assert_true(sparse_counts(b.sparse).left_out > 0 &&
			    sparse_counts(b.sparse).added > 0);
		teardown(&b);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(what_one_thread_touches_is_left_out),
	    cmocka_unit_test(lives_are_told_apart), cmocka_unit_test(earlier_groups_are_gone),
	    cmocka_unit_test(marks_of_branches_go_on),
	    cmocka_unit_test(what_is_not_explained_comes_from_outside),
	    cmocka_unit_test(any_run_still_makes_sense));
}
