/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing traces, in both forms.  Definitions and events are collected until a block of events is
 * full. Then the definitions are written, by kind, and the events after them.  So every id is
 * defined before it is used, memory is bounded by one block, and the file does not depend on how
 * definitions and events were interleaved within a block.  A file that is not closed is valid up
 * to its last block.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/file.h"
#include "base/hash.h"
#include "trace/codec.h"
#include "trace/text.h"

#define COMPRESSION_LEVEL (-3) /* columns are small already, so speed matters more than size */

/* Definitions of one kind that are not written yet. */
struct pending {
	struct buf bytes;
	uint32_t count;
	/* Ends of blocks, which limit their size. */
	VEC(struct pending_cut {
		size_t end;
		uint32_t count;
	})
	cuts;
};

struct trace_writer {
	enum trace_form form;
	char *path;
	int fd;
	int failed; /* negated code, sticky; the sentence is in error */
	struct err error;
	bool has_header;
	bool has_chunks; /* the trace may have chunks */
	VEC(struct trace_fact) facts;
	size_t facts_written;
	struct pending regions, locations, stacks, sites;
	struct id_limits limits;
	uint64_t events;   /* given so far */
	uint32_t in_block; /* events of the current block */
	uint64_t data_in_block;
	struct encoder encoder;
	/* Chunks of the block.  Heads: for each chunk the number of events before it, its
	 * accesses and its length.  Then the bytes of all chunks. */
	struct buf chunk_heads, chunk_bytes;
	uint32_t chunks;
	uint64_t since_chunk;
	struct buf raw, stored; /* content of a block; its compressed form, or text */
	ZSTD_CCtx *zstd;
};

static int fail(struct trace_writer *w, int negated, struct err *err)
{
	w->failed = negated;
	if (err)
		*err = w->error;
	return negated;
}

static int fail_if_failed(struct trace_writer *w, struct err *err)
{
	return w->failed ? fail(w, w->failed, err) : 0;
}

static void write_out(struct trace_writer *w, const void *bytes, size_t len)
{
	if (w->failed)
		return;
	int rc = file_write_fd(w->fd, bytes, len);
	if (rc)
		w->failed =
			err_set(&w->error, ERR_IO, "cannot write %s: %s", w->path, strerror(-rc));
}

int trace_writer_open(struct trace_writer **out, const char *path, enum trace_form form,
		      struct err *err)
{
	bool is_stdout = !strcmp(path, "-");
	int fd = is_stdout ? 1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_set(err, ERR_IO, "cannot create %s: %s", path, strerror(errno));
	struct trace_writer *w = mem_zero(1, sizeof(*w));
	w->form = form;
	w->path = mem_strdup(is_stdout ? "standard output" : path);
	w->fd = fd;
	w->limits = (struct id_limits){ 1, 1, 1, 1 };
	if (form == TRACE_BINARY) {
		encoder_init(&w->encoder);
		w->zstd = ZSTD_createCCtx();
		ASSERT(w->zstd);
	}
	*out = w;
	return 0;
}

static void writer_free(struct trace_writer *w)
{
	struct pending *pending[] = { &w->regions, &w->locations, &w->stacks, &w->sites };
	for (size_t i = 0; i < sizeof(pending) / sizeof(*pending); i++) {
		buf_release(&pending[i]->bytes);
		vec_release(&pending[i]->cuts);
	}
	for (size_t i = 0; i < w->facts.len; i++) {
		mem_free(w->facts.at[i].name);
		mem_free(w->facts.at[i].value);
	}
	vec_release(&w->facts);
	if (w->form == TRACE_BINARY)
		encoder_release(&w->encoder);
	ZSTD_freeCCtx(w->zstd);
	buf_release(&w->chunk_heads);
	buf_release(&w->chunk_bytes);
	buf_release(&w->raw);
	buf_release(&w->stored);
	mem_free(w->path);
	mem_free(w);
}

/* ---- blocks ---- */

static void write_block(struct trace_writer *w, enum block_type type, uint32_t count,
			const void *raw, size_t len)
{
	struct block_header h = {
		.type = type, .count = count, .raw = (uint32_t)len, .stored = (uint32_t)len
	};
	if (len > BLOCK_RAW_MAX) {
		w->failed = err_set(&w->error, ERR_SUPPORT,
				    "cannot write %s: a block would have %zu bytes", w->path, len);
		return;
	}
	buf_clear(&w->stored);
	buf_fill(&w->stored, 0, sizeof(h) + ZSTD_compressBound(len));
	char *payload = w->stored.at + sizeof(h);
	size_t packed = ZSTD_compressCCtx(w->zstd, payload, ZSTD_compressBound(len), raw, len,
					  COMPRESSION_LEVEL);
	if (!ZSTD_isError(packed) && packed < len) {
		h.flags |= BLOCK_COMPRESSED;
		h.stored = (uint32_t)packed;
	} else if (len) {
		memcpy(payload, raw, len);
	}
	h.checksum = hash_bytes(0, payload, h.stored);
	h.header_checksum = hash_bytes(0, &h, offsetof(struct block_header, header_checksum));
	memcpy(w->stored.at, &h, sizeof(h));
	write_out(w, w->stored.at, sizeof(h) + h.stored);
}

static void put_string(struct buf *out, const char *s)
{
	size_t len = strlen(s);
	buf_varint(out, len);
	buf_add(out, s, len);
}

static void write_facts(struct trace_writer *w, enum block_type type)
{
	buf_clear(&w->raw);
	for (size_t i = w->facts_written; i < w->facts.len; i++) {
		struct trace_fact *f = &w->facts.at[i];
		if (w->form == TRACE_TEXT) {
			text_fact(f, &w->raw);
		} else {
			put_string(&w->raw, f->name);
			put_string(&w->raw, f->value);
		}
	}
	if (w->form == TRACE_BINARY)
		write_block(w, type, (uint32_t)(w->facts.len - w->facts_written), w->raw.at,
			    w->raw.len);
	else
		write_out(w, w->raw.at, w->raw.len);
	w->facts_written = w->facts.len;
}

static void write_header(struct trace_writer *w)
{
	w->has_header = true;
	if (w->form == TRACE_TEXT) {
		buf_clear(&w->raw);
		buf_printf(&w->raw, TEXT_MAGIC "%d\n", TRACE_VERSION);
		write_out(w, w->raw.at, w->raw.len);
	} else {
		struct file_header h = {
			.byte_order = TRACE_BYTE_ORDER,
			.version = TRACE_VERSION,
			.size = sizeof(h),
			.features = w->has_chunks ? TRACE_FEATURE_CHUNKS : 0,
		};
		memcpy(h.magic, TRACE_MAGIC, sizeof(h.magic));
		h.checksum = hash_bytes(0, &h, offsetof(struct file_header, checksum));
		write_out(w, &h, sizeof(h));
	}
	write_facts(w, BLOCK_FACTS);
}

static void write_pending(struct trace_writer *w, enum block_type type, struct pending *p)
{
	size_t start = 0;
	if (w->form == TRACE_TEXT && p->count)
		write_out(w, p->bytes.at, p->bytes.len);
	for (size_t i = 0; w->form == TRACE_BINARY && i <= p->cuts.len; i++) {
		bool is_rest = i == p->cuts.len;
		size_t end = is_rest ? p->bytes.len : p->cuts.at[i].end;
		uint32_t before = i ? p->cuts.at[i - 1].count : 0;
		uint32_t count = (is_rest ? p->count : p->cuts.at[i].count) - before;
		if (count)
			write_block(w, type, count, p->bytes.at + start, end - start);
		start = end;
	}
	buf_clear(&p->bytes);
	p->count = 0;
	p->cuts.len = 0;
}

/* Write everything that was given. */
static void flush(struct trace_writer *w)
{
	if (!w->has_header)
		write_header(w);
	write_pending(w, BLOCK_REGIONS, &w->regions);
	write_pending(w, BLOCK_LOCATIONS, &w->locations);
	write_pending(w, BLOCK_STACKS, &w->stacks);
	write_pending(w, BLOCK_SITES, &w->sites);
	if (w->chunks) {
		/* Chunks belong to the block of events that follows, which may be empty. */
		buf_add(&w->chunk_heads, w->chunk_bytes.at ? w->chunk_bytes.at : "",
			w->chunk_bytes.len);
		write_block(w, BLOCK_CHUNKS, w->chunks, w->chunk_heads.at, w->chunk_heads.len);
		buf_clear(&w->chunk_heads);
		buf_clear(&w->chunk_bytes);
	}
	if ((w->in_block || w->chunks) && w->form == TRACE_BINARY) {
		buf_clear(&w->raw);
		encoder_take(&w->encoder, &w->raw);
		write_block(w, BLOCK_EVENTS, w->in_block, w->raw.at, w->raw.len);
	} else if (w->in_block) {
		write_out(w, w->stored.at, w->stored.len);
		buf_clear(&w->stored);
	}
	w->in_block = 0;
	w->data_in_block = 0;
	w->chunks = 0;
	w->since_chunk = 0;
}

/* ---- facts, definitions and events ---- */

void trace_writer_fact(struct trace_writer *w, const char *name, const char *value)
{
	/* The writer itself adds the number of events at the end. */
	if (w->failed || !strcmp(name, FACT_EVENTS))
		return;
	if (strlen(name) > TRACE_STRING_MAX || strlen(value) > TRACE_STRING_MAX) {
		w->failed = err_set(&w->error, ERR_SUPPORT,
				    "cannot write %s: the fact '%.40s' is too long", w->path, name);
		return;
	}
	size_t i = 0;
	while (i < w->facts.len && strcmp(w->facts.at[i].name, name))
		i++;
	if (i == w->facts.len && i + 1 >= TRACE_FACTS_MAX) {
		w->failed = err_set(&w->error, ERR_SUPPORT,
				    "cannot write %s: there are too many facts", w->path);
	} else if (i == w->facts.len) {
		vec_push(&w->facts, ((struct trace_fact){ mem_strdup(name), mem_strdup(value) }));
	} else if (i < w->facts_written) {
		w->failed =
			err_set(&w->error, ERR_FORMAT,
				"cannot write %s: the fact '%.40s' is given twice", w->path, name);
	} else {
		mem_free(w->facts.at[i].value);
		w->facts.at[i].value = mem_strdup(value);
	}
}

static int refuse(struct trace_writer *w, const char *flaw, struct err *err)
{
	return fail(w, err_set(&w->error, ERR_FORMAT, "cannot write %s: %s", w->path, flaw), err);
}

/* Count the definition that was appended to p. */
static void defined(struct pending *p, uint32_t *limit)
{
	size_t start = p->cuts.len ? vec_last(&p->cuts).end : 0;
	p->count++;
	(*limit)++;
	if (p->bytes.len - start >= BLOCK_DEFINITIONS_MAX)
		vec_push(&p->cuts, ((struct pending_cut){ p->bytes.len, p->count }));
}

int trace_writer_region(struct trace_writer *w, const struct region *r, struct err *err)
{
	const char *flaw = region_flaw(r);
	struct buf *out = &w->regions.bytes;
	if (w->failed || flaw)
		return w->failed ? fail_if_failed(w, err) : refuse(w, flaw, err);
	if (w->form == TRACE_TEXT) {
		text_region(w->limits.regions, r, out);
	} else {
		buf_varint(out, r->kind);
		buf_varint(out, r->start);
		buf_varint(out, r->size);
		buf_varint(out, r->flags);
		buf_varint(out, (uint32_t)(r->thread + 1));
		put_string(out, r->path);
		put_string(out, r->build_id);
	}
	defined(&w->regions, &w->limits.regions);
	return 0;
}

int trace_writer_location(struct trace_writer *w, const struct location *l, struct err *err)
{
	const char *flaw = location_flaw(l, &w->limits);
	struct buf *out = &w->locations.bytes;
	if (w->failed || flaw)
		return w->failed ? fail_if_failed(w, err) : refuse(w, flaw, err);
	if (w->form == TRACE_TEXT) {
		text_location(w->limits.locations, l, out);
	} else {
		buf_varint(out, l->region);
		buf_varint(out, l->offset);
		buf_varint(out, l->line);
		buf_varint(out, l->column);
		put_string(out, l->function);
		put_string(out, l->file);
	}
	defined(&w->locations, &w->limits.locations);
	return 0;
}

int trace_writer_stack(struct trace_writer *w, const struct stack_node *s, struct err *err)
{
	const char *flaw = stack_flaw(s, &w->limits);
	struct buf *out = &w->stacks.bytes;
	if (w->failed || flaw)
		return w->failed ? fail_if_failed(w, err) : refuse(w, flaw, err);
	if (w->form == TRACE_TEXT) {
		text_stack(w->limits.stacks, s, out);
	} else {
		buf_varint(out, s->parent);
		buf_varint(out, s->loc);
	}
	defined(&w->stacks, &w->limits.stacks);
	return 0;
}

void trace_writer_expect_chunks(struct trace_writer *w)
{
	w->has_chunks = true;
}

int trace_writer_site(struct trace_writer *w, const struct trace_site *s, struct err *err)
{
	const char *flaw = site_flaw(s, w->limits.locations);
	struct buf *out = &w->sites.bytes;
	ASSERT(w->form == TRACE_BINARY && w->has_chunks);
	if (w->failed || flaw)
		return w->failed ? fail_if_failed(w, err) : refuse(w, flaw, err);
	buf_varint(out, s->loc);
	buf_varint(out, s->kind);
	buf_varint(out, s->size);
	defined(&w->sites, &w->limits.sites);
	return 0;
}

static int end_of_call(struct trace_writer *w, struct err *err)
{
	if (w->in_block == BLOCK_EVENTS_MAX || w->data_in_block >= BLOCK_DATA_MAX ||
	    w->chunk_heads.len + w->chunk_bytes.len >= BLOCK_CHUNKS_MAX)
		flush(w);
	return w->failed ? fail_if_failed(w, err) : 0;
}

int trace_writer_event(struct trace_writer *w, const struct event *e, struct err *err)
{
	const char *flaw = event_flaw(e, &w->limits);
	if (__builtin_expect(w->failed || flaw, 0))
		return w->failed ? fail_if_failed(w, err) : refuse(w, flaw, err);
	if (__builtin_expect(!w->has_header, 0))
		write_header(w);
	w->events++;
	w->in_block++;
	w->since_chunk++;
	w->data_in_block += e->data_len;
	if (w->form == TRACE_TEXT)
		trace_text_event(e, &w->stored);
	else
		encoder_add(&w->encoder, e, &w->limits);
	return end_of_call(w, err);
}

int trace_writer_chunk(struct trace_writer *w, const struct access_chunk *c, struct err *err)
{
	ASSERT(w->form == TRACE_BINARY);
	if (__builtin_expect(w->failed, 0))
		return fail_if_failed(w, err);
	if (__builtin_expect(!w->has_header, 0))
		write_header(w);
	buf_varint(&w->chunk_heads, w->since_chunk);
	buf_varint(&w->chunk_heads, c->accesses);
	buf_varint(&w->chunk_heads, c->len);
	buf_add(&w->chunk_bytes, c->bytes, c->len);
	w->since_chunk = 0;
	w->chunks++;
	w->events += c->accesses;
	return end_of_call(w, err);
}

/* ---- ending ---- */

/* The count of events comes first among the closing facts. */
static void write_end(struct trace_writer *w)
{
	struct trace_fact count = { mem_strdup(FACT_EVENTS), NULL };
	struct buf number = { 0 };
	buf_printf(&number, "%llu", (unsigned long long)w->events);
	count.value = buf_take(&number);
	vec_reserve(&w->facts, 1);
	struct trace_fact *first = w->facts.at + w->facts_written;
	memmove(first + 1, first, (w->facts.len - w->facts_written) * sizeof(*first));
	*first = count;
	w->facts.len++;
	write_facts(w, BLOCK_END);
	if (w->form == TRACE_TEXT)
		write_out(w, "end\n", 4);
}

static int end(struct trace_writer *w, struct err *err)
{
	if (w->fd != 1 && close(w->fd) && !w->failed)
		w->failed =
			err_set(&w->error, ERR_IO, "cannot write %s: %s", w->path, strerror(errno));
	int rc = fail_if_failed(w, err);
	writer_free(w);
	return rc;
}

int trace_writer_close(struct trace_writer *w, struct err *err)
{
	flush(w);
	write_end(w);
	return end(w, err);
}

void trace_writer_abandon(struct trace_writer *w)
{
	flush(w);
	end(w, NULL);
}
