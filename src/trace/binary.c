/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the binary form.  A block header has its own checksum.  If it is correct, the lengths
 * are the writer's, and a file that ends too early was cut off.  If it is wrong, the file is
 * damaged.  The content is decoded only if the checksum of the payload is correct, too.  Every
 * length and id is still checked, because a checksum protects against accidents, not against
 * malice.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "trace/reader.h"

static int reject(struct trace_reader *r, const char *flaw, struct err *err)
{
	r->at_end = true;
	return err_set(err, ERR_FORMAT, "%s, byte %llu: %s", r->in.path,
		       (unsigned long long)r->block_offset, flaw);
}

/* The file ends too early.  The events before that are valid, so this is not an error. */
static int cut_off(struct trace_reader *r, const char *where)
{
	r->at_end = true;
	err_set(&r->cut, ERR_CUT_OFF,
		"%s is cut off at byte %llu, %s; the complete part has %llu event%s", r->in.path,
		(unsigned long long)r->in.offset, where, (unsigned long long)r->events,
		r->events == 1 ? "" : "s");
	return 0;
}

static int read_file_header(struct trace_reader *r, struct err *err)
{
	struct file_header h;
	size_t got;
	int rc = input_take(&r->in, &h, sizeof(h), &got, err);
	if (rc)
		return rc;
	if (got < sizeof(h))
		return err_set(err, ERR_CUT_OFF, "%s is cut off at byte %zu, inside its header",
			       r->in.path, got);
	if (h.byte_order == __builtin_bswap32(TRACE_BYTE_ORDER))
		return err_set(err, ERR_FORMAT, "%s, byte 8: the trace has another byte order",
			       r->in.path);
	if (h.byte_order != TRACE_BYTE_ORDER)
		return err_set(err, ERR_FORMAT, "%s, byte 8: the byte order mark is damaged",
			       r->in.path);
	if (h.version != TRACE_VERSION)
		return err_set(
			err, ERR_VERSION,
			"%s, byte 12: the trace has version %u; this heddle reads version %u",
			r->in.path, h.version, TRACE_VERSION);
	if (h.checksum != hash_bytes(0, &h, offsetof(struct file_header, checksum)))
		return err_set(err, ERR_FORMAT, "%s, byte 24: the checksum of the header is wrong",
			       r->in.path);
	if (h.size != sizeof(h))
		return err_set(err, ERR_FORMAT, "%s, byte 14: the header has a wrong size",
			       r->in.path);
	if (h.features & ~TRACE_FEATURES_KNOWN)
		return err_set(err, ERR_VERSION,
			       "%s, byte 16: the trace uses features that this heddle does not "
			       "know (0x%llx)",
			       r->in.path,
			       (unsigned long long)(h.features & ~TRACE_FEATURES_KNOWN));
	r->until_chunk = UINT64_MAX;
	if (h.features & TRACE_FEATURE_CHUNKS)
		r->accesses = access_reader_new();
	return 0;
}

static char *room(char **at, size_t *cap, size_t len)
{
	if (*cap < len + 8) {
		mem_free(*at);
		*cap = len + 8;
		*at = mem_alloc(*cap);
	}
	memset(*at + len, 0, 8);
	return *at;
}

static int unpack(struct trace_reader *r, const struct block_header *h, struct err *err)
{
	if (!(h->flags & BLOCK_COMPRESSED)) {
		if (h->raw != h->stored)
			return reject(r, "an uncompressed block has two lengths", err);
		memcpy(room(&r->raw, &r->raw_cap, h->raw), r->stored, h->raw);
		return 0;
	}
	if (ZSTD_getFrameContentSize(r->stored, h->stored) != h->raw)
		return reject(r, "the length of a block is not that of its compressed form", err);
	if (!r->zstd)
		r->zstd = ZSTD_createDCtx();
	ASSERT(r->zstd);
	size_t got = ZSTD_decompressDCtx(r->zstd, room(&r->raw, &r->raw_cap, h->raw), h->raw,
					 r->stored, h->stored);
	if (got != h->raw)
		return reject(r, "a block cannot be decompressed", err);
	return 0;
}

/* Read a block into r->raw: 1; 0 if the file is cut off here (described in r->cut); or an error. */
static int read_block(struct trace_reader *r, struct block_header *h, struct err *err)
{
	size_t got;
	r->block_offset = r->in.offset;
	int rc = input_take(&r->in, h, sizeof(*h), &got, err);
	if (rc)
		return rc;
	if (!got)
		return cut_off(r, "without an end mark");
	if (got < sizeof(*h))
		return cut_off(r, "inside the header of a block");
	if (h->header_checksum != hash_bytes(0, h, offsetof(struct block_header, header_checksum)))
		return reject(r, "the header of a block is damaged", err);
	if (h->stored > BLOCK_RAW_MAX || h->raw > BLOCK_RAW_MAX)
		return reject(r, "a block is too large", err);
	rc = input_take(&r->in, room(&r->stored, &r->stored_cap, h->stored), h->stored, &got, err);
	if (rc)
		return rc;
	if (got < h->stored)
		return cut_off(r, "inside a block");
	if (h->checksum != hash_bytes(0, r->stored, h->stored))
		return reject(r, "the checksum of a block is wrong", err);
	rc = unpack(r, h, err);
	return rc ? rc : 1;
}

/* ---- facts and definitions ---- */

/* A cursor over the content of a block; after a flaw it gives zeroes and empty strings. */
struct content {
	const char *at, *end;
	const char *flaw;
};

static uint64_t get_number(struct content *c, uint64_t max)
{
	uint64_t v = 0;
	for (unsigned shift = 0; c->at < c->end && shift < 64; shift += 7) {
		unsigned char byte = (unsigned char)*c->at++;
		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			if (v <= max)
				return v;
			break;
		}
	}
	if (!c->flaw)
		c->flaw = "a number is too large or not finished";
	c->at = c->end;
	return 0;
}

static char *get_string(struct content *c)
{
	uint64_t len = get_number(c, TRACE_STRING_MAX);
	const char *flaw = len > (uint64_t)(c->end - c->at) ? "a string is longer than its block"
			   : len && memchr(c->at, 0, len)   ? "a string contains a zero byte"
							    : NULL;
	if (flaw) {
		c->flaw = c->flaw ? c->flaw : flaw;
		len = 0;
	}
	char *s = mem_strndup(c->at, len);
	c->at += len;
	return s;
}

static void get_fact(struct content *c, struct trace_tables *t)
{
	struct trace_fact f = { .name = get_string(c) };
	f.value = get_string(c);
	if (!c->flaw && t->facts.len > TRACE_FACTS_MAX)
		c->flaw = "there are too many facts";
	if (!c->flaw && trace_fact(t, f.name))
		c->flaw = "a fact is given twice";
	vec_push(&t->facts, f);
}

static void get_region(struct content *c, struct trace_tables *t)
{
	struct region r = { .kind = (uint32_t)get_number(c, UINT32_MAX) };
	r.start = get_number(c, UINT64_MAX);
	r.size = get_number(c, UINT64_MAX);
	r.flags = (uint32_t)get_number(c, UINT32_MAX);
	r.thread = (thr_id)get_number(c, UINT32_MAX) - 1;
	r.path = get_string(c);
	r.build_id = get_string(c);
	if (!c->flaw)
		c->flaw = region_flaw(&r);
	vec_push(&t->regions, r);
}

static void get_location(struct content *c, struct trace_tables *t)
{
	struct id_limits limits = tables_limits(t);
	struct location l = { .region = (uint32_t)get_number(c, UINT32_MAX) };
	l.offset = get_number(c, UINT64_MAX);
	l.line = (uint32_t)get_number(c, UINT32_MAX);
	l.column = (uint32_t)get_number(c, UINT32_MAX);
	l.function = get_string(c);
	l.file = get_string(c);
	if (!c->flaw)
		c->flaw = location_flaw(&l, &limits);
	vec_push(&t->locations, l);
}

static void get_stack(struct content *c, struct trace_tables *t)
{
	struct id_limits limits = tables_limits(t);
	struct stack_node s = { .parent = (stack_id)get_number(c, UINT32_MAX) };
	s.loc = (loc_id)get_number(c, UINT32_MAX);
	if (!c->flaw)
		c->flaw = stack_flaw(&s, &limits);
	vec_push(&t->stacks, s);
}

static const char *read_sites(struct trace_reader *r, const struct block_header *h)
{
	struct content c = { .at = r->raw, .end = r->raw + h->raw };
	for (uint32_t i = 0; i < h->count && !c.flaw; i++) {
		struct trace_site s = { .loc = (loc_id)get_number(&c, UINT32_MAX) };
		s.kind = (uint8_t)get_number(&c, UINT8_MAX);
		s.size = (uint8_t)get_number(&c, UINT8_MAX);
		if (!c.flaw)
			c.flaw = site_flaw(&s, (uint32_t)r->tables.locations.len);
		if (!c.flaw && r->accesses->sites.len >= ACCESS_SITES_MAX)
			c.flaw = "there are too many sites";
		if (!c.flaw)
			access_reader_site(r->accesses, &s);
	}
	return c.flaw || c.at == c.end ? c.flaw : "a block has bytes left over";
}

/* ---- chunks ---- */

/* Read the next chunk head; read_chunks() has checked all lengths. */
static void next_head(struct trace_reader *r)
{
	struct content c = { .at = r->chunk_head, .end = r->chunks + r->chunks_len };
	r->until_chunk = UINT64_MAX;
	if (!r->chunks_left)
		return;
	r->chunks_left--;
	r->until_chunk = get_number(&c, UINT64_MAX);
	r->chunk_accesses = get_number(&c, UINT64_MAX);
	r->chunk_len = get_number(&c, UINT64_MAX);
	r->chunk_head = c.at;
}

static const char *read_chunks(struct trace_reader *r, const struct block_header *h)
{
	if (r->chunks_left || r->until_chunk != UINT64_MAX)
		return "two blocks of chunks follow each other";
	char *at = r->chunks;
	size_t cap = r->chunks_cap;
	r->chunks = r->raw;
	r->chunks_cap = r->raw_cap;
	r->raw = at;
	r->raw_cap = cap;
	r->chunks_len = h->raw;
	struct content c = { .at = r->chunks, .end = r->chunks + h->raw };
	uint64_t bytes = 0, events = 0;
	for (uint32_t i = 0; i < h->count && !c.flaw; i++) {
		events += get_number(&c, BLOCK_EVENTS_MAX);
		get_number(&c, UINT64_MAX >> 16);
		bytes += get_number(&c, BLOCK_RAW_MAX);
	}
	if (c.flaw)
		return c.flaw;
	if (events > BLOCK_EVENTS_MAX || bytes != (uint64_t)(c.end - c.at))
		return "the lengths of chunks do not add up";
	r->chunk_head = r->chunks;
	r->chunk_bytes = c.at;
	r->chunks_left = h->count;
	next_head(r);
	return NULL;
}

/* Begin the next chunk. */
static const char *begin_chunk(struct trace_reader *r)
{
	const char *bytes = r->chunk_bytes;
	r->chunk_bytes += r->chunk_len;
	const char *flaw = access_reader_begin(r->accesses, bytes, r->chunk_len, r->chunk_accesses,
					       (uint32_t)r->tables.stacks.len);
	next_head(r);
	return flaw;
}

static int read_definitions(struct trace_reader *r, const struct block_header *h,
			    void (*get)(struct content *, struct trace_tables *), struct err *err)
{
	struct content c = { .at = r->raw, .end = r->raw + h->raw };
	for (uint32_t i = 0; i < h->count && !c.flaw; i++)
		get(&c, &r->tables);
	if (!c.flaw && c.at != c.end)
		c.flaw = "a block has bytes left over";
	return c.flaw ? reject(r, c.flaw, err) : 0;
}

/* ---- the file ---- */

int binary_open(struct trace_reader *r, struct err *err)
{
	struct block_header h;
	int rc = read_file_header(r, err);
	if (rc)
		return rc;
	rc = read_block(r, &h, err);
	if (!rc)
		return err_set(err, ERR_CUT_OFF, "%s is cut off at byte %llu, inside its header",
			       r->in.path, (unsigned long long)r->in.offset);
	if (rc < 0)
		return rc;
	if (h.type != BLOCK_FACTS)
		return reject(r, "the first block does not hold the facts", err);
	return read_definitions(r, &h, get_fact, err);
}

static int read_end(struct trace_reader *r, const struct block_header *h, struct err *err)
{
	const char *ignored;
	size_t more;
	int rc = read_definitions(r, h, get_fact, err);
	if (rc)
		return rc;
	const char *flaw = reader_check_end(r);
	if (flaw)
		return reject(r, flaw, err);
	r->block_offset = r->in.offset;
	rc = input_peek(&r->in, 1, &ignored, &more, err);
	if (rc)
		return rc;
	if (more)
		return reject(r, "there are bytes after the end mark", err);
	r->at_end = true;
	r->is_complete = true;
	return 0;
}

/* Advance to the next block of events, and read the definitions before it.  1; 0 at the end; or
 * an error. */
static int next_events(struct trace_reader *r, struct err *err)
{
	struct block_header h;
	for (;;) {
		int rc = read_block(r, &h, err);
		if (rc <= 0)
			return rc;
		struct id_limits limits = tables_limits(&r->tables);
		switch (h.type) {
		case BLOCK_REGIONS:
			rc = read_definitions(r, &h, get_region, err);
			break;
		case BLOCK_LOCATIONS:
			rc = read_definitions(r, &h, get_location, err);
			break;
		case BLOCK_STACKS:
			rc = read_definitions(r, &h, get_stack, err);
			break;
		case BLOCK_END:
			return read_end(r, &h, err);
		case BLOCK_SITES:
		case BLOCK_CHUNKS:
			if (!r->accesses)
				return reject(r,
					      "the header declares no chunks, but there are some",
					      err);
			r->flaw = h.type == BLOCK_SITES ? read_sites(r, &h) : read_chunks(r, &h);
			rc = r->flaw ? reject(r, r->flaw, err) : 0;
			break;
		case BLOCK_EVENTS:
			r->flaw = decoder_begin(&r->decoder, r->raw, h.raw, h.count, &limits);
			return r->flaw ? reject(r, r->flaw, err) : 1;
		default:
			rc = h.flags & BLOCK_OPTIONAL
				     ? 0
				     : reject(r, "a block has an unknown type", err);
		}
		if (rc)
			return rc;
	}
}

/* Move accesses of the current chunk into the batch. */
static void fill_from_chunk(struct trace_reader *r)
{
	size_t max = CODEC_BATCH - r->batch_len;
	r->batch_len += access_reader_take(r->accesses, (uint32_t)r->tables.stacks.len,
					   &r->batch[r->batch_len], max, &r->flaw);
}

/* Decode events up to the next chunk, whose predictions may depend on them. */
static void fill_from_events(struct trace_reader *r)
{
	size_t max = r->until_chunk < CODEC_BATCH ? r->until_chunk : CODEC_BATCH;
	r->batch_len = decoder_take(&r->decoder, r->batch, max, &r->flaw);
	if (!r->accesses)
		return;
	if (r->until_chunk != UINT64_MAX)
		r->until_chunk -= r->batch_len;
	for (size_t i = 0; i < r->batch_len; i++)
		access_reader_follow(r->accesses, &r->batch[i]);
}

int binary_fill(struct trace_reader *r, struct err *err)
{
	for (;;) {
		if (r->flaw)
			return reject(r, r->flaw, err);
		if (r->accesses && r->accesses->left)
			fill_from_chunk(r);
		else if (r->accesses && !r->until_chunk)
			r->flaw = begin_chunk(r);
		else
			fill_from_events(r);
		if (r->batch_len)
			return 1;
		if (r->flaw || (r->accesses && (r->accesses->left || !r->until_chunk)))
			continue;
		if (r->accesses && r->until_chunk != UINT64_MAX)
			return reject(r, "a chunk is beyond the end of its block", err);
		int rc = next_events(r, err);
		if (rc <= 0)
			return rc;
	}
}
