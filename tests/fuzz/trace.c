/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of both forms.  Everything that a command does with one is done: read, print, write
 * again; and because it takes longer now and then only, check, export, slice and index. repair()
 * unpacks compressed blocks and renews checksums, so that mutations reach the content.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "trace/block.h"
#include "trace/consistency.h"
#include "trace/export.h"
#include "trace/index.h"
#include "trace/slice.h"
#include "trace/std.h"

#define EVENTS_MAX 200000 /* a few bytes can stand for many: enough is enough */
#define EXPORTS_MAX 5000  /* and exports are much longer than events */

/* The exports, in one pass after the survey that STD wants; and the machine that knows whether a
 * trace makes sense. */
static void make_all(const char *path)
{
	struct err err;
	struct trace_reader *r;
	struct event e;
	struct std_export std = { .is_extended = true };
	struct chrome_export chrome = { 0 };
	struct buf csv = { 0 }, json = { 0 }, lines = { 0 };
	unsigned n = 0;
	if (trace_reader_open(&r, path, &err))
		return;
	while (n++ < EXPORTS_MAX && trace_reader_next(r, &e, &err) == 1 &&
	       !std_export_survey(&std, &e, &err))
		;
	trace_reader_close(r);
	if (trace_reader_open(&r, path, &err))
		abort();
	struct consistency *c = consistency_new();
	chrome_begin(&chrome, &json);
	bool makes_sense = true;
	while (--n && trace_reader_next(r, &e, &err) == 1) {
		const struct trace_tables *t = trace_reader_tables(r);
		buf_clear(&csv);
		buf_clear(&lines);
		csv_event(t, &e, &csv);
		std_export_event(&std, t, &e, &lines);
		chrome_event(&chrome, t, &e);
		makes_sense = makes_sense && !consistency_event(c, &e);
	}
	chrome_end(&chrome);
	std_export_note(&std, &lines);
	consistency_free(c);
	std_export_release(&std);
	buf_release(&csv);
	buf_release(&json);
	buf_release(&lines);
	trace_reader_close(r);
}

static bool is_odd(void *context, const struct trace_tables *t, const struct event *e)
{
	(void)context;
	(void)t;
	return e->index & 1;
}

static void slice_and_index(const char *path)
{
	const struct slice_rules rules = {
		.is_wanted = is_odd, .from = 3, .to = EXPORTS_MAX, .what = "odd"
	};
	struct trace_reader *r;
	struct trace_writer *w;
	struct trace_index x;
	struct err err;
	if (!trace_reader_open(&r, path, &err)) {
		if (trace_writer_open(&w, "/dev/null", TRACE_TEXT, &err))
			abort();
		slice_copy(r, &rules, w, &err);
		trace_reader_close(r);
	}
	if (!index_build(&x, path, NULL, &err))
		index_close(&x);
}

static void run(const uint8_t *bytes, size_t len)
{
	struct err err;
	struct trace_reader *r;
	const char *path = fuzz_file(bytes, len);
	uint64_t hash = hash_bytes(0, bytes, len);
	if (hash % 4 == 0)
		make_all(path);
	if (hash % 64 == 0)
		slice_and_index(path);
	if (trace_reader_open(&r, path, &err))
		return;
	struct trace_writer *w;
	if (trace_writer_open(&w, "/dev/null", bytes[len - 1] & 1 ? TRACE_BINARY : TRACE_TEXT,
			      &err))
		abort();
	struct trace_copied copied = { 0 };
	struct buf line = { 0 };
	struct event e;
	for (unsigned n = 0; n < EVENTS_MAX && trace_reader_next(r, &e, &err) > 0; n++) {
		const struct trace_tables *t = trace_reader_tables(r);
		if (e.loc >= t->locations.len || e.stack >= t->stacks.len)
			abort();
		buf_clear(&line);
		trace_text_event(&e, &line);
		trace_text_address(t, e.obj, &line);
		/* What is read can be written. */
		if (trace_copy_tables(t, &copied, w, &err) || trace_writer_event(w, &e, &err))
			abort();
	}
	buf_release(&line);
	trace_writer_abandon(w);
	trace_reader_close(r);
}

static size_t repair(uint8_t *bytes, size_t len, size_t room)
{
	struct file_header file;
	if (len < sizeof(file) || memcmp(bytes, TRACE_MAGIC, 4))
		return len;
	memcpy(&file, bytes, sizeof(file));
	memcpy(file.magic, TRACE_MAGIC, sizeof(file.magic));
	file.byte_order = TRACE_BYTE_ORDER;
	file.version = TRACE_VERSION;
	file.size = sizeof(file);
	file.features &= TRACE_FEATURES_KNOWN;
	file.checksum = hash_bytes(0, &file, offsetof(struct file_header, checksum));
	uint8_t *out = malloc(room);
	memcpy(out, &file, sizeof(file));
	size_t at = sizeof(file), to = at;
	struct block_header h;
	while (len - at >= sizeof(h)) {
		memcpy(&h, bytes + at, sizeof(h));
		at += sizeof(h);
		size_t stored = h.stored < len - at ? h.stored : len - at, raw = stored;
		uint8_t *content = out + to + sizeof(h);
		if (to + sizeof(h) >= room)
			break;
		size_t left = room - to - sizeof(h);
		if (h.flags & BLOCK_COMPRESSED)
			raw = ZSTD_decompress(content, left, bytes + at, stored);
		if (!(h.flags & BLOCK_COMPRESSED) || ZSTD_isError(raw)) {
			raw = stored < left ? stored : left;
			memcpy(content, bytes + at, raw);
		}
		at += stored;
		h.flags &= (uint8_t)~BLOCK_COMPRESSED;
		h.stored = h.raw = (uint32_t)raw;
		h.checksum = hash_bytes(0, content, raw);
		h.header_checksum =
			hash_bytes(0, &h, offsetof(struct block_header, header_checksum));
		memcpy(out + to, &h, sizeof(h));
		to += sizeof(h) + raw;
	}
	memcpy(bytes, out, to);
	free(out);
	return to;
}

const struct fuzz_target fuzz_trace = { "trace", run, repair };
