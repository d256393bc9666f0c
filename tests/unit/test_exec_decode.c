/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding of hand-made ring records, sound and damaged.
 *
 * Above 500 lines because it is one list of cases.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/decode.h"
#include "unit/unit.h"

/* What the sink saw. */
struct seen {
	VEC(struct event) events;
	unsigned char data[64]; /* of the last event with data */
	size_t regions, locations, stacks;
	char note[64];
};

static int on_region(void *arg, const struct region *r, struct err *err)
{
	(void)r, (void)err;
	((struct seen *)arg)->regions++;
	return 0;
}

static int on_location(void *arg, const struct location *l, struct err *err)
{
	(void)l, (void)err;
	((struct seen *)arg)->locations++;
	return 0;
}

static int on_stack(void *arg, const struct stack_node *n, struct err *err)
{
	(void)n, (void)err;
	((struct seen *)arg)->stacks++;
	return 0;
}

static int on_event(void *arg, const struct event *e, struct err *err)
{
	(void)err;
	struct seen *s = arg;
	vec_push(&s->events, *e);
	if (e->data_len && e->data_len <= sizeof(s->data))
		memcpy(s->data, e->data, e->data_len);
	return 0;
}

static int on_site(void *arg, const struct trace_site *s, struct err *err)
{
	(void)arg, (void)s, (void)err;
	return 0;
}

static int on_chunk(void *arg, const struct access_chunk *c, struct err *err)
{
	(void)arg, (void)c, (void)err;
	return 0;
}

static void on_note(void *arg, const char *text)
{
	snprintf(((struct seen *)arg)->note, 64, "%s", text);
}

#define MODULE 0x561200000000ull
#define SECOND_MODULE 0x7f1234000000ull
#define HEAP 0x100000000040ull

struct stream {
	VEC(uint64_t) words;
};

static void record(struct stream *s, unsigned kind, uint64_t address, unsigned size, uint64_t pc,
		   unsigned flags, unsigned n, ...)
{
	vec_push(&s->words, address | (uint64_t)kind << 48 | (uint64_t)size << 56);
	vec_push(&s->words, pc | (uint64_t)flags << 48 | (uint64_t)n << 56);
	va_list ap;
	va_start(ap, n);
	for (unsigned i = 0; i < n; i++)
		vec_push(&s->words, va_arg(ap, uint64_t));
	va_end(ap);
}

#define W(x) ((uint64_t)(x))

static uint64_t text_word(const char *text)
{
	uint64_t w = 0;
	memcpy(&w, text, strlen(text));
	return w;
}

static void add_modules(struct stream *s)
{
	record(s, WIRE_MODULE, MODULE, 0, 0, 0, 3, W(0x5000), W(WIRE_MODULE_INSTRUMENTED),
	       text_word("/a.out"));
	record(s, WIRE_MODULE, SECOND_MODULE, 0, 0, 0, 3, W(0x3001), W(0), text_word("lib.so"));
}

struct bench {
	struct seen seen;
	struct decode_sink sink;
	struct decoder *d;
	struct stream s;
	struct err err;
};

static void setup(struct bench *b)
{
	*b = (struct bench){ 0 };
	b->sink = (struct decode_sink){ &b->seen, on_region, on_location, on_stack, on_site,
					on_event, on_chunk,  on_event,	  on_note };
	b->d = mem_alloc(sizeof(*b->d));
	decode_init(b->d, &b->sink, NULL);
}

static void teardown(struct bench *b)
{
	decode_release(b->d);
	mem_free(b->d);
	vec_release(&b->seen.events);
	vec_release(&b->s.words);
}

static int decode_all(struct bench *b)
{
	size_t used;
	int rc = decode_words(b->d, b->s.words.at, b->s.words.len, &used, &b->err);
	if (!rc)
		assert_int_equal(used, b->s.words.len);
	return rc;
}

static void accesses_and_modes(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	record(&b.s, EV_READ, HEAP, 4, 0, EVF_BRANCH, 1, W(7));
	record(&b.s, EV_WRITE, HEAP, 8, 0, 0, 2, W(9), W(MODE_RELEASE));
	record(&b.s, EV_RMW, HEAP, 4, 0, EVF_FAILED, 3, W(1), W(2), W(MODE_SEQ_CST));
	record(&b.s, EV_ALLOC, HEAP, 0, 0, 0, 2, W(4096), W(0xaa));
	record(&b.s, EV_FENCE, 0, 0, 0, 0, 0);
	assert_int_equal(decode_all(&b), 0);
	const struct event *e = b.seen.events.at;
	assert_int_equal(b.seen.events.len, 5);
	assert_int_equal(e[0].a, 7);
	assert_int_equal(e[0].size, 4);
	assert_int_equal(e[0].flags, EVF_BRANCH);
	assert_int_equal(e[0].mode, 0);
	assert_int_equal(e[1].mode, MODE_RELEASE);
	assert_int_equal(e[2].a, 1);
	assert_int_equal(e[2].b, 2);
	assert_int_equal(e[2].mode, MODE_SEQ_CST);
	assert_int_equal(e[3].size, 4096);
	assert_int_equal(e[3].a, 0xaa);
	assert_int_equal(e[4].index, 4);
	teardown(&b);
}

static void a_flush_has_the_bytes_of_its_store(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	record(&b.s, EV_FLUSH_TURN, 0, 0, 0, 0, 3, W(1), W(17), W(2));
	record(&b.s, EV_FLUSH, 0x1000, 0, 0, 0, 3, W(2), W(4), W(7));
	record(&b.s, EV_FLUSH, 0x1004, 0, 0, 0, 4, W(2), W(12), W(8), W(9));
	assert_int_equal(decode_all(&b), 0);
	const struct event *e = b.seen.events.at;
	assert_int_equal(e[0].mode, 1);
	assert_int_equal(e[0].a, 17);
	assert_int_equal(e[0].b, 2);
	assert_int_equal(e[1].obj, 0x1000);
	assert_int_equal(e[1].size, 4);
	assert_int_equal(e[1].a, 7);
	assert_int_equal(e[1].b, 2);
	assert_int_equal(e[2].size, 12);
	assert_int_equal(e[2].data_len, 12);
	assert_int_equal(e[2].b, 2);
	teardown(&b);
}

static void switches_set_the_thread(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	record(&b.s, EV_YIELD, 0, 0, 0, 0, 0);
	record(&b.s, EV_SWITCH, 3, SWITCH_BLOCK, 0xabcd, 0, 1, W(17));
	record(&b.s, EV_YIELD, 0, 0, 0, 0, 0);
	assert_int_equal(decode_all(&b), 0);
	const struct event *e = b.seen.events.at;
	assert_int_equal(e[0].thread, 0);
	assert_int_equal(e[1].thread, 3);
	assert_int_equal(e[1].a, 17);
	assert_int_equal(e[1].mode, SWITCH_BLOCK);
	assert_int_equal(e[1].obj, 0xabcd);
	assert_int_equal(e[2].thread, 3);
	assert_int_equal(e[2].own_index, 1);
	assert_int_equal(b.d->switches, 1);
	teardown(&b);
}

static void module_addresses_become_canonical(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	add_modules(&b.s);
	record(&b.s, EV_WRITE, MODULE + 0x40, 8, MODULE + 0x10, 0, 1, W(SECOND_MODULE + 0x20));
	record(&b.s, EV_WRITE, SECOND_MODULE + 8, 4, SECOND_MODULE + 0x30, 0, 1, W(5));
	record(&b.s, EV_WRITE, HEAP, 8, 0, 0, 1, W(MODULE + 0x5000));
	assert_int_equal(decode_all(&b), 0);
	const struct event *e = b.seen.events.at;
	assert_int_equal(e[0].obj, CANONICAL_FIRST_MODULE + 0x40);
	assert_int_equal(e[0].a, CANONICAL_MODULES + 0x20);
	assert_int_equal(e[1].obj, CANONICAL_MODULES + 8);
	assert_int_equal(e[2].a, MODULE + 0x5000); /* one past the end points to nothing */
	assert_int_equal(b.d->tables.regions.at[2].size, 0x4000);
	assert_int_equal(b.seen.regions, 2);
	assert_int_equal(b.seen.locations, 2);
	assert_int_equal(b.d->tables.locations.at[e[1].loc].region, 2);
	assert_int_equal(b.d->tables.locations.at[e[1].loc].offset, 0x30);
	assert_int_equal(e[2].loc, 0);
	teardown(&b);
}

static void a_module_that_is_gone_leaves_its_place_to_another(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	add_modules(&b.s);
	record(&b.s, EV_WRITE, SECOND_MODULE + 8, 4, SECOND_MODULE + 0x30, 0, 1, W(5));
	record(&b.s, WIRE_MODULE_GONE, SECOND_MODULE, 0, 0, 0, 0);
	record(&b.s, EV_WRITE, HEAP, 8, MODULE + 0x10, 0, 1, W(SECOND_MODULE));
	record(&b.s, WIRE_MODULE, SECOND_MODULE, 0, 0, 0, 3, W(0x1000), W(0), text_word("new.so"));
	record(&b.s, EV_WRITE, SECOND_MODULE + 8, 4, SECOND_MODULE + 0x30, 0, 1, W(6));
	assert_int_equal(decode_all(&b), 0);
	const struct event *e = b.seen.events.at;
	assert_int_equal(e[0].obj, CANONICAL_MODULES + 8);
	assert_int_equal(e[1].a, SECOND_MODULE);
	assert_int_equal(e[2].obj, CANONICAL_MODULES + 0x4000 + 8);
	assert_int_equal(b.d->tables.locations.at[e[0].loc].region, 2);
	assert_int_equal(b.d->tables.locations.at[e[2].loc].region, 3);
	teardown(&b);
}

static void memory_outside_the_arena_becomes_canonical(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	add_modules(&b.s);
	uint64_t tls = 0x7ffff7dd0740ull;
	record(&b.s, WIRE_REGION, tls, 0, 0, 0, 3, W(0x900), W(REGION_TLS), W(0));
	record(&b.s, WIRE_REGION, ARENA_HEAP, 0, 0, 0, 3, W(0x1000), W(REGION_HEAP), W(0));
	record(&b.s, EV_WRITE, tls + 8, 8, 0, 0, 1, W(tls));
	record(&b.s, EV_WRITE, HEAP, 4, 0, 0, 1, W(1));
	assert_int_equal(decode_all(&b), 0);
	const struct event *e = b.seen.events.at;
	assert_int_equal(e[0].obj, CANONICAL_REGIONS + 0x748);
	assert_int_equal(e[0].a, CANONICAL_REGIONS + 0x740);
	assert_int_equal(e[1].obj, HEAP);
	assert_int_equal(b.d->tables.regions.at[3].start, CANONICAL_REGIONS + 0x740);
	assert_int_equal(b.d->tables.regions.at[3].kind, REGION_TLS);
	teardown(&b);
}

static void bytes_are_kept_and_their_pointers_moved(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	add_modules(&b.s);
	record(&b.s, EV_WRITE, HEAP + 4, WIRE_SIZE_LONG, 0, 0, 4, W(20) | W(MODE_RELAXED) << 56,
	       W(0x11), (MODULE + 8) << 32, (MODULE + 8) >> 32);
	assert_int_equal(decode_all(&b), 0);
	const struct event *e = b.seen.events.at;
	assert_int_equal(e[0].size, 20);
	assert_int_equal(e[0].data_len, 20);
	assert_int_equal(e[0].mode, MODE_RELAXED);
	/* The block begins at an address that is 4 more than a multiple of 8: the pointer is at
	 * byte 12 of it. */
	uint64_t pointer;
	memcpy(&pointer, b.seen.data + 12, 8);
	assert_int_equal(pointer, CANONICAL_FIRST_MODULE + 8);
	assert_int_equal(b.seen.data[0], 0x11);
	teardown(&b);
}

static void long_rmw_carries_both_runs(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	record(&b.s, EV_RMW, HEAP, WIRE_SIZE_LONG, 0, 0, 5, W(16), W(1), W(2), W(3), W(4));
	assert_int_equal(decode_all(&b), 0);
	assert_int_equal(b.seen.events.at[0].data_len, 32);
	assert_int_equal(b.seen.data[24], 4);
	teardown(&b);
}

static void text_of_failures_and_notes(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	record(&b.s, EV_FAILURE, 0, 0, 0, 0, 5, W(0), W(2), W(0), W(5), text_word("a|b|1"));
	record(&b.s, EV_THREAD_NAME, 0, 0, 0, 0, 4, W(0), W(0), W(0), W(0));
	record(&b.s, WIRE_NOTE, 0, 0, 0, 0, 1, text_word("hello"));
	assert_int_equal(decode_all(&b), 0);
	assert_int_equal(b.seen.events.at[0].a, 2);
	assert_int_equal(b.seen.events.at[0].data_len, 5);
	assert_memory_equal(b.seen.data, "a|b|1", 5);
	assert_int_equal(b.seen.events.at[1].data_len, 0);
	assert_string_equal(b.seen.note, "hello");
	teardown(&b);
}

static void stacks_are_defined_before_use(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	add_modules(&b.s);
	record(&b.s, WIRE_STACK_DEF, 1, 0, 0, 0, 2, W(0), W(MODULE + 0x100));
	record(&b.s, WIRE_STACK_DEF, 5, 0, 0, 0, 2, W(1), W(MODULE + 0x200));
	record(&b.s, WIRE_STACK, 5, 0, 0, 0, 0);
	record(&b.s, EV_YIELD, 0, 0, MODULE + 0x100, 0, 0);
	assert_int_equal(decode_all(&b), 0);
	assert_int_equal(b.seen.stacks, 2);
	assert_int_equal(b.seen.events.at[0].stack, 2);
	assert_int_equal(b.d->tables.stacks.at[2].parent, 1);
	/* The same address is the same location, whether it calls or does something itself. */
	assert_int_equal(b.seen.events.at[0].loc, b.d->tables.stacks.at[1].loc);
	teardown(&b);
}

static void long_records_wait_until_they_are_whole(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	record(&b.s, EV_YIELD, 0, 0, 0, 0, 0);
	size_t first = b.s.words.len, used;
	vec_push(&b.s.words, HEAP | W(EV_READ) << 48 | W(WIRE_SIZE_LONG) << 56);
	vec_push(&b.s.words, W(WIRE_EXTRA_LONG) << 56);
	vec_push(&b.s.words, 1 + 300);
	vec_push(&b.s.words, 2400);
	for (uint64_t i = 0; i < 300; i++)
		vec_push(&b.s.words, i);
	for (size_t n = first; n < b.s.words.len; n++) {
		struct bench part;
		setup(&part);
		assert_int_equal(decode_words(part.d, b.s.words.at, n, &used, &part.err), 0);
		assert_int_equal(used, first);
		teardown(&part);
	}
	assert_int_equal(decode_all(&b), 0);
	assert_int_equal(b.seen.events.at[1].data_len, 2400);
	teardown(&b);
}

/* Each stream is one damaged record after a good event: the event is delivered, the record is
 * named. */
static void damaged(void (*make)(struct stream *s), const char *message)
{
	struct bench b;
	setup(&b);
	add_modules(&b.s);
	record(&b.s, EV_YIELD, 0, 0, 0, 0, 0);
	size_t before = b.s.words.len;
	make(&b.s);
	assert_int_equal(decode_all(&b), -ERR_PROGRAM);
	assert_int_equal(b.seen.events.len, 1);
	assert_int_equal(b.d->words, before);
	char wanted[256];
	snprintf(wanted, sizeof(wanted), "the program damaged its event stream at word %zu: %s",
		 before, message);
	assert_string_equal(b.err.text, wanted);
	teardown(&b);
}

static void kind_zero(struct stream *s)
{
	record(s, 0, 0, 0, 0, 0, 0);
}
static void kind_unknown(struct stream *s)
{
	record(s, 199, 0, 0, 0, 0, 0);
}
static void size_nine(struct stream *s)
{
	record(s, EV_READ, HEAP, 9, 0, 0, 1, W(0));
}
static void too_many_operands(struct stream *s)
{
	record(s, EV_YIELD, 0, 0, 0, 0, 4, W(0), W(0), W(0), W(0));
}
static void short_bytes(struct stream *s)
{
	record(s, EV_READ, HEAP, WIRE_SIZE_LONG, 0, 0, 2, W(100), W(1));
}
static void huge_bytes(struct stream *s)
{
	record(s, EV_READ, HEAP, WIRE_SIZE_LONG, 0, 0, 2, W(1) << 50, W(1));
}
static void no_length(struct stream *s)
{
	record(s, EV_READ, HEAP, WIRE_SIZE_LONG, 0, 0, 0);
}
static void long_text(struct stream *s)
{
	record(s, EV_FAILURE, 0, 0, 0, 0, 5, W(0), W(2), W(0), W(9), W(0));
}
static void stack_unknown(struct stream *s)
{
	record(s, WIRE_STACK, 9, 0, 0, 0, 0);
}
static void stack_orphan(struct stream *s)
{
	record(s, WIRE_STACK_DEF, 1, 0, 0, 0, 2, W(7), W(0));
}
static void stack_huge(struct stream *s)
{
	record(s, WIRE_STACK_DEF, W(1) << 40, 0, 0, 0, 2, W(0), W(0));
}
static void module_overlap(struct stream *s)
{
	record(s, WIRE_MODULE, MODULE + 0x1000, 0, 0, 0, 3, W(0x1000), W(0), W(0));
}
static void module_empty(struct stream *s)
{
	record(s, WIRE_MODULE, W(1) << 40, 0, 0, 0, 3, W(0), W(0), W(0));
}
static void module_gone(struct stream *s)
{
	record(s, WIRE_MODULE_GONE, HEAP, 0, 0, 0, 0);
}
static void region_kind(struct stream *s)
{
	record(s, WIRE_REGION, HEAP, 0, 0, 0, 3, W(16), W(77), W(0));
}
static void thread_huge(struct stream *s)
{
	record(s, EV_SWITCH, W(1) << 40, 0, 0, 0, 1, W(0));
}
static void length_huge(struct stream *s)
{
	vec_push(&s->words, W(EV_READ) << 48);
	vec_push(&s->words, W(WIRE_EXTRA_LONG) << 56);
	vec_push(&s->words, UINT64_MAX);
}

static void damage_is_named(void **state)
{
	(void)state;
	damaged(kind_zero, "a record of no known kind");
	damaged(kind_unknown, "a record of no known kind");
	damaged(size_nine, "an access of impossible size");
	damaged(too_many_operands, "an event with too many operands");
	damaged(short_bytes, "an access whose length does not match its bytes");
	damaged(huge_bytes, "an access whose length does not match its bytes");
	damaged(no_length, "a long access without its length");
	damaged(long_text, "an event whose length does not match its bytes");
	damaged(stack_unknown, "an unknown call stack");
	damaged(stack_orphan, "a call stack without its outer part");
	damaged(stack_huge, "a call stack without its outer part");
	damaged(module_overlap, "a module that overlaps another one");
	damaged(module_empty, "a module of impossible size");
	damaged(module_gone, "the end of a module that is not loaded");
	damaged(region_kind, "a region of impossible size or kind");
	damaged(thread_huge, "a switch to a thread with an impossible number");
	damaged(length_huge, "a record of impossible length");
}

static void noise_never_crashes(void **state)
{
	(void)state;
	uint64_t random = 7;
	for (int round = 0; round < 3000; round++) {
		struct bench b;
		setup(&b);
		add_modules(&b.s);
		for (int i = 0; i < 40; i++) {
			uint64_t w = test_random(&random);
			/* Plausible kinds and short records, so that most of the noise gets
			 * beyond the first check. */
			if (i % 4 == 0)
				w = (w & ~(W(0xff) << 48)) | (w % 3 ? w % EV_LIMIT : 200 + w % 6)
								     << 48;
			if (i % 4 == 1)
				w = (w & ~(W(0xff) << 56)) | (w % 5) << 56;
			vec_push(&b.s.words, w);
		}
		size_t used;
		int rc = decode_words(b.d, b.s.words.at, b.s.words.len, &used, &b.err);
		assert_true(used <= b.s.words.len && (rc == 0 || rc == -ERR_PROGRAM));
		teardown(&b);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(accesses_and_modes), cmocka_unit_test(switches_set_the_thread),
	    cmocka_unit_test(a_flush_has_the_bytes_of_its_store),
	    cmocka_unit_test(module_addresses_become_canonical),
	    cmocka_unit_test(a_module_that_is_gone_leaves_its_place_to_another),
	    cmocka_unit_test(memory_outside_the_arena_becomes_canonical),
	    cmocka_unit_test(bytes_are_kept_and_their_pointers_moved),
	    cmocka_unit_test(long_rmw_carries_both_runs),
	    cmocka_unit_test(text_of_failures_and_notes),
	    cmocka_unit_test(stacks_are_defined_before_use),
	    cmocka_unit_test(long_records_wait_until_they_are_whole),
	    cmocka_unit_test(damage_is_named), cmocka_unit_test(noise_never_crashes));
}
