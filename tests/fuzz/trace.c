/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of both forms.  Everything that a command does with one is done: read, print, write again, read that.
 * repair() unpacks compressed blocks and renews checksums, so that mutations reach the content.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "trace/block.h"
#include "trace/trace.h"

#define EVENTS_MAX 200000	/* a few bytes can stand for many: enough is enough */

static void run(const uint8_t *bytes, size_t len)
{
	struct err err;
	struct trace_reader *r;
	if (trace_reader_open(&r, fuzz_file(bytes, len), &err))
		return;
	struct trace_writer *w;
	if (trace_writer_open(&w, "/dev/null", bytes[len - 1] & 1 ? TRACE_BINARY : TRACE_TEXT, &err))
		abort();
	struct trace_copied copied = {0};
	struct buf line = {0};
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
		h.header_checksum = hash_bytes(0, &h, offsetof(struct block_header, header_checksum));
		memcpy(out + to, &h, sizeof(h));
		to += sizeof(h) + raw;
	}
	memcpy(bytes, out, to);
	free(out);
	return to;
}

const struct fuzz_target fuzz_trace = { "trace", run, repair };
