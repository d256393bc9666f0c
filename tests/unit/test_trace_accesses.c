/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of plain accesses: a worked example, every form of a token, and bytes that mean nothing.
 */
#include "unit.h"

#include "base/buf.h"
#include "trace/accesses.h"

struct bench {
	struct access_reader *r;
	struct buf bytes;
};

static void setup(struct bench *b)
{
	b->r = access_reader_new();
	b->bytes = (struct buf){ 0 };
	const struct trace_site sites[] = {
		{ 1, EV_READ, 8 }, { 2, EV_WRITE, 4 }, { 3, EV_READ, 4 }, { 4, EV_BRANCH, 0 }
	};
	for (size_t i = 0; i < 4; i++)
		access_reader_site(b->r, &sites[i]);
}

static void teardown(struct bench *b)
{
	access_reader_free(b->r);
	buf_release(&b->bytes);
}

static void put(struct bench *b, const char *bytes, size_t len)
{
	buf_add(&b->bytes, bytes, len);
}
#define PUT(b, text) put(b, text, sizeof(text) - 1)

static const char *begin(struct bench *b, uint64_t accesses)
{
	return access_reader_begin(b->r, b->bytes.at ? b->bytes.at : "", b->bytes.len, accesses, 5);
}

static struct event next(struct bench *b)
{
	struct event e;
	const char *flaw = access_reader_next(b->r, 5, &e);
	if (flaw)
		fail_msg("%s", flaw);
	return e;
}

/* Site 2 writes an array of ints: 1, 2, 3 at 0x1000, 0x1004, 0x1008; then a loop reads them with
 * site 3. */
static void an_array_is_written_and_read(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	PUT(&b, "\x08\x04"); /* call stack 4 */
	/* site 2, base site, 2 bytes: 0x1000; value: 1 absolute */
	PUT(&b, "\x4b\x02\x00\x10\x07\x01");
	/* the site that followed is not known; +4; its last value + 1 */
	PUT(&b, "\x43\x02\x04\x06\x01");
	/* +4 again; the site and the value are expected now */
	PUT(&b, "\x02\x04");
	PUT(&b, "\x0b\x03\x00\x10"); /* site 3, at 0x1000: the value is in memory */
	PUT(&b, "\x03\x03\x04");     /* site 3 again, +4 */
	PUT(&b, "\x02\x04");
	assert_null(begin(&b, 6));
	for (unsigned i = 0; i < 6; i++) {
		struct event e = next(&b);
		assert_int_equal(e.kind, i < 3 ? EV_WRITE : EV_READ);
		assert_int_equal(e.obj, 0x1000 + i % 3 * 4);
		assert_int_equal(e.a, i % 3 + 1);
		assert_int_equal(e.size, 4);
		assert_int_equal(e.loc, i < 3 ? 2 : 3);
		assert_int_equal(e.stack, 4);
	}
	/* Both have shown the difference 4 twice in a row: from now on it is expected. */
	buf_clear(&b.bytes);
	PUT(&b, "\x81");
	assert_null(begin(&b, 1));
	struct event e = next(&b);
	assert_int_equal(e.obj, 0x100c);
	assert_int_equal(e.a, 0);
	teardown(&b);
}

static void pointers_are_followed(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	/* Two nodes at 0x2000 and 0x3000, each with the address of the other. */
	const uint64_t first = 0x3000, second = 0x2000;
	access_reader_follow(
		b.r, &(struct event){ .kind = EV_WRITE, .obj = 0x2000, .size = 8, .a = first });
	access_reader_follow(
		b.r,
		&(struct event){ .kind = EV_RMW, .obj = 0x3000, .size = 8, .a = 0, .b = second });
	PUT(&b, "\x0b\x01\x00\x20"); /* site 1 reads at 0x2000 */
	PUT(&b, "\x07\x01\x00");     /* again, at the pointer + 0 */
	PUT(&b, "\x06\x00");	     /* and again, which makes it expected */
	PUT(&b, "\xff\xe8\x07");     /* 1000 times */
	assert_null(begin(&b, 1003));
	for (unsigned i = 0; i < 1003; i++) {
		struct event e = next(&b);
		assert_int_equal(e.obj, i % 2 ? 0x3000 : 0x2000);
		assert_int_equal(e.a, i % 2 ? second : first);
	}
	teardown(&b);
}

static void threads_have_their_own_past(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	PUT(&b, "\x4b\x03\x00\x10\x07\x09");
	assert_null(begin(&b, 1));
	assert_int_equal(next(&b).a, 9);
	access_reader_follow(b.r, &(struct event){ .kind = EV_SWITCH, .thread = 1 });
	/* A new thread begins where every thread begins: the site that followed there is site 3,
	 * its address 0x1000. */
	buf_clear(&b.bytes);
	PUT(&b, "\x81");
	assert_null(begin(&b, 1));
	struct event e = next(&b);
	assert_int_equal(e.thread, 1);
	assert_int_equal(e.obj, 0x1000);
	assert_int_equal(e.a, 9);
	assert_int_equal(e.stack, 0);
	teardown(&b);
}

/* Site 4 is a branch: between two accesses it changes nothing that is expected of them. */
static void branches_stand_between_accesses(void **state)
{
	(void)state;
	struct bench b;
	setup(&b);
	PUT(&b, "\x4b\x02\x00\x10\x07\x01"); /* site 2 writes 1 at 0x1000 */
	PUT(&b, "\x01\x04");		     /* the branch */
	/* site 2, the thread's last address + 4; its last value + 1 */
	PUT(&b, "\x45\x02\x04\x06\x01");
	PUT(&b, "\x81"); /* the branch again */
	assert_null(begin(&b, 4));
	assert_int_equal(next(&b).obj, 0x1000);
	struct event e = next(&b);
	assert_int_equal(e.kind, EV_BRANCH);
	assert_int_equal(e.loc, 4);
	assert_int_equal(e.obj | e.a | e.size | e.flags, 0);
	e = next(&b);
	assert_int_equal(e.obj, 0x1004);
	assert_int_equal(e.a, 2);
	assert_int_equal(next(&b).kind, EV_BRANCH);
	teardown(&b);
}

static const char *flaw_of(const char *bytes, size_t len, uint64_t accesses)
{
	struct bench b;
	setup(&b);
	put(&b, bytes, len);
	const char *flaw = begin(&b, accesses);
	struct event e;
	while (!flaw && b.r->left)
		flaw = access_reader_next(b.r, 5, &e);
	teardown(&b);
	return flaw;
}
#define FLAW(text, accesses) flaw_of(text, sizeof(text) - 1, accesses)

static void what_does_not_fit_is_refused(void **state)
{
	(void)state;
	assert_non_null(FLAW("", 1));
	assert_non_null(FLAW("\x81", 1));	      /* nothing can be expected yet */
	assert_non_null(FLAW("\x0b\x05\x00\x10", 1)); /* no such site */
	assert_non_null(FLAW("\x0b\x04\x00\x10", 1)); /* a branch with an address, */
	assert_non_null(FLAW("\x21\x04\x01", 1));     /* with flags, */
	assert_non_null(FLAW("\x41\x04\x07\x01", 1)); /* with a value */
	assert_non_null(FLAW("\x0b\x00\x00\x10", 1));
	assert_non_null(FLAW("\x0b\x03\x00", 1));	      /* cut off in the address */
	assert_non_null(FLAW("\x4b\x03\x00\x10", 1));	      /* in the value */
	assert_non_null(FLAW("\x4b\x03\x00\x10\x17", 1));     /* width 5 */
	assert_non_null(FLAW("\x4b\x03\x00\x10\x87\x01", 1)); /* unknown bits */
	assert_non_null(FLAW("\x2b\x03", 1));		      /* no flags */
	assert_non_null(FLAW("\x08\x05", 0));		      /* no such call stack */
	assert_non_null(FLAW("\x10", 1));		      /* no such token */
	assert_non_null(FLAW("\x0b\x03\x00\x10\x82", 2));     /* a longer run than accesses */
	assert_non_null(FLAW("\x0b\x03\x00\x10\x80", 2));     /* an empty one */
	assert_non_null(FLAW("\x0b\x03\x00\x10\x81", 1));     /* something behind the end */
	assert_null(FLAW("\x0b\x03\x00\x10\x08\x01", 1));     /* a call stack may be */
	assert_null(FLAW("\x08\x01", 0));
}

static void random_bytes_do_no_harm(void **state)
{
	(void)state;
	uint64_t rng = 7;
	for (unsigned round = 0; round < 20000; round++) {
		char bytes[48];
		size_t len = test_random(&rng) % sizeof(bytes);
		for (size_t i = 0; i < len; i++)
			bytes[i] = (char)(test_random(&rng) % 3 ? test_random(&rng) % 16
								: test_random(&rng));
		flaw_of(bytes, len, test_random(&rng) % 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_array_is_written_and_read),
		cmocka_unit_test(pointers_are_followed),
		cmocka_unit_test(threads_have_their_own_past),
		cmocka_unit_test(branches_stand_between_accesses),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(random_bytes_do_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
