/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged traces.  Cut off at every byte: opens up to its last complete block, and says so, or
 * says that not even the header is there.  Random bytes changed, also with all checksums made
 * right again so that what lies behind them is reached: any answer is fine except a crash, a
 * hang, or a large allocation; the sanitizers and a limit on memory watch.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <zstd.h>

#include "base/hash.h"
#include "trace/block.h"
#include "unit/trace_samples.h"

/* An allocation beyond what the format allows fails, and ends the test; freed memory is not kept
 * for long. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "max_allocation_size_mb=40:quarantine_size_mb=16";
}

#define CUT_EVENTS 300
#define MUTATIONS 20000

static struct buf original;
static int damaged; /* a file in memory: there are many to read */

static void load(enum trace_form form, uint64_t events)
{
	struct err err;
	const char *path = sample_path("original");
	sample_write(path, form, 11, events, true);
	buf_clear(&original);
	sample_ok(file_read(path, &original, &err), &err);
}

struct outcome {
	int opened, ended; /* codes of trace_reader_open and of the last trace_reader_next */
	uint64_t events;
	bool complete;
	char text[1024]; /* error or reason */
};

static struct outcome read_bytes(const void *bytes, size_t len)
{
	struct outcome o = { 0 };
	struct trace_reader *r;
	struct event e;
	struct err err = { 0 };
	char path[40];
	assert_int_equal(ftruncate(damaged, 0), 0);
	assert_int_equal(pwrite(damaged, bytes, len, 0), len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", damaged);
	o.opened = trace_reader_open(&r, path, &err);
	if (!o.opened) {
		while ((o.ended = trace_reader_next(r, &e, &err)) == 1)
			o.events++;
		o.complete = trace_reader_is_complete(r);
		if (!o.ended && !o.complete)
			snprintf(err.text, sizeof(err.text), "%s", trace_reader_cut_reason(r));
		trace_reader_close(r);
	}
	snprintf(o.text, sizeof(o.text), "%s", err.text);
	return o;
}

/* Where the file header with its facts ends; the only place before which a cut leaves nothing. */
static size_t end_of_facts(void)
{
	struct block_header h;
	memcpy(&h, original.at + sizeof(struct file_header), sizeof(h));
	return sizeof(struct file_header) + sizeof(h) + h.stored;
}

static void binary_cut_at_every_byte(void **state)
{
	(void)state;
	load(TRACE_BINARY, CUT_EVENTS);
	uint64_t seen = 0;
	for (size_t len = 0; len < original.len; len++) {
		struct outcome o = read_bytes(original.at, len);
		assert_int_equal(o.opened, len < end_of_facts() ? -ERR_CUT_OFF : 0);
		assert_int_equal(o.ended, 0);
		assert_false(o.complete);
		assert_non_null(strstr(o.text, len ? "cut off" : "empty"));
		assert_true(o.events >= seen);
		seen = o.events;
	}
	assert_int_equal(seen, CUT_EVENTS);
	assert_true(read_bytes(original.at, original.len).complete);
}

static void text_cut_at_every_byte(void **state)
{
	(void)state;
	load(TRACE_TEXT, 60);
	uint64_t seen = 0;
	for (size_t len = 0; len < original.len; len++) {
		struct outcome o = read_bytes(original.at, len);
		assert_int_equal(o.opened, len < strlen("heddle-trace 1\n") ? -ERR_CUT_OFF : 0);
		assert_int_equal(o.ended, 0);
		assert_false(o.complete);
		assert_non_null(strstr(o.text, len ? "cut off" : "empty"));
		assert_true(o.events >= seen);
		seen = o.events;
	}
	assert_int_equal(seen, 60);
	assert_true(read_bytes(original.at, original.len).complete);
}

static void every_changed_bit_of_a_binary_trace_is_noticed(void **state)
{
	(void)state;
	load(TRACE_BINARY, 40);
	for (size_t bit = 0; bit < original.len * 8; bit++) {
		original.at[bit / 8] ^= (char)(1 << bit % 8);
		struct outcome o = read_bytes(original.at, original.len);
		assert_true(o.opened == -ERR_FORMAT || o.opened == -ERR_VERSION ||
			    o.ended == -ERR_FORMAT);
		assert_non_null(strstr(o.text, ", byte "));
		original.at[bit / 8] ^= (char)(1 << bit % 8);
	}
}

/* Make the checksums of all blocks right again, as far as the lengths still lead from one to the
 * next. */
static void mend(char *bytes, size_t len)
{
	size_t at = sizeof(struct file_header);
	uint64_t sum = hash_bytes(0, bytes, offsetof(struct file_header, checksum));
	memcpy(bytes + offsetof(struct file_header, checksum), &sum, 8);
	while (len - at >= sizeof(struct block_header)) {
		struct block_header h;
		memcpy(&h, bytes + at, sizeof(h));
		if (h.stored > len - at - sizeof(h))
			h.stored = (uint32_t)(len - at - sizeof(h));
		h.checksum = hash_bytes(0, bytes + at + sizeof(h), h.stored);
		h.header_checksum =
			hash_bytes(0, &h, offsetof(struct block_header, header_checksum));
		memcpy(bytes + at, &h, sizeof(h));
		at += sizeof(h) + h.stored;
	}
}

/* Rewrite the blocks without compression, so that mutations meet the columns and not the
 * compressor. */
static void expand(struct buf *out)
{
	size_t at = sizeof(struct file_header);
	buf_add(out, original.at, at);
	while (at < original.len) {
		struct block_header h;
		memcpy(&h, original.at + at, sizeof(h));
		char *raw = mem_alloc(h.raw);
		if (h.flags & BLOCK_COMPRESSED)
			assert_int_equal(
				ZSTD_decompress(raw, h.raw, original.at + at + sizeof(h), h.stored),
				h.raw);
		else
			memcpy(raw, original.at + at + sizeof(h), h.raw);
		at += sizeof(h) + h.stored;
		h.flags = 0;
		h.stored = h.raw;
		buf_add(out, &h, sizeof(h));
		buf_add(out, raw, h.raw);
		mem_free(raw);
	}
	mend(out->at, out->len);
}

static void mutate(const struct buf *from, bool repaired, uint64_t *rng)
{
	static char space[200000];
	size_t len = from->len;
	assert_true(len <= sizeof(space));
	memcpy(space, from->at, len);
	for (unsigned n = 1 + test_random(rng) % 4; n; n--) {
		size_t at = test_random(rng) % len;
		switch (test_random(rng) % 4) {
		case 0:
			space[at] = (char)test_random(rng);
			break;
		case 1:
			space[at] ^= (char)(1 << test_random(rng) % 8);
			break;
		case 2:
			space[at] = (char)(test_random(rng) % 2 ? 0xff : 0);
			break;
		case 3:
			memmove(space + at, space + at + 1, len - at - 1);
			break;
		}
	}
	if (repaired)
		mend(space, len);
	read_bytes(space, len);
}

static void random_damage_does_no_harm(void **state)
{
	(void)state;
	uint64_t rng = 12345;
	struct buf plain = { 0 }, text = { 0 };
	load(TRACE_TEXT, 40);
	buf_add(&text, original.at, original.len);
	load(TRACE_BINARY, 40);
	expand(&plain);
	assert_true(read_bytes(plain.at, plain.len).complete);
	for (int i = 0; i < MUTATIONS; i++)
		mutate(i % 4 == 0 ? &text : i % 4 == 1 ? &original : &plain, i % 4 != 0, &rng);
	buf_release(&plain);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(binary_cut_at_every_byte),
		cmocka_unit_test(text_cut_at_every_byte),
		cmocka_unit_test(every_changed_bit_of_a_binary_trace_is_noticed),
		cmocka_unit_test(random_damage_does_no_harm),
	};
	damaged = memfd_create("damaged", 0);
	int rc = cmocka_run_group_tests(tests, sample_setup, sample_teardown);
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	buf_release(&original);
	close(damaged);
	if (!rc && used.ru_maxrss > 256 * 1024) {
		fprintf(stderr, "the damaged traces made the reader use %ld kB\n", used.ru_maxrss);
		return 1;
	}
	return rc;
}
