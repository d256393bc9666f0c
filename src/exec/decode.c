/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding of ring records; see decode.h for the interface, wire/wire.h for the layout of
 * records.  Modules, locations and call stacks are in decode_tables.c.
 *
 * This runs for every event of a recording.  Most events are in chunks of accesses, which are
 * passed on unchanged.  For the others, the module and the location are nearly always in a small
 * cache.
 *
 * The ring is untrusted: the length of a record is checked against its kind before its operands
 * are read, counts are bounded before anything is allocated for them, and ids are looked up,
 * never used directly.
 */
#include "exec/decode.h"

#include <string.h>

#include "base/alloc.h"
#include "exec/decode_tables.h"

#define MAX_THREADS (1u << 20)

/* Layout of a kind's operands and which of its fields are addresses. */
enum {
	LAYOUT_ACCESS = 1, /* value [, mode]; long form */
	LAYOUT_RMW,	   /* old, new [, mode]; long form */
	LAYOUT_BLOCK,	   /* byte count [, a] */
	LAYOUT_DATA,	   /* mode, a, b, byte count, bytes */
	LAYOUT_PLAIN,	   /* mode [, a [, b]] */
	LAYOUT_FLUSH,	   /* thread, byte count, bytes */
	LAYOUT_MASK = 7,
	OBJ_IS_ADDRESS = 8,
	A_IS_ADDRESS = 16,
	B_IS_ADDRESS = 32,
};

static unsigned layout_of(unsigned kind)
{
	switch (kind) {
	case EV_READ:
	case EV_WRITE:
	case EV_INITIAL:
	case EV_OUTSIDE_WRITE:
		return LAYOUT_ACCESS;
	case EV_RMW:
		return LAYOUT_RMW;
	case EV_FLUSH:
		return LAYOUT_FLUSH;
	case EV_ALLOC:
	case EV_FREE:
	case EV_RESIZE:
		return LAYOUT_BLOCK;
	case EV_INPUT_DATA:
	case EV_THREAD_NAME:
	case EV_FAILURE:
		return LAYOUT_DATA;
	default:
		return LAYOUT_PLAIN;
	}
}

void decode_init(struct decoder *d, const struct decode_sink *sink,
		 const struct decode_resolver *resolver)
{
	*d = (struct decoder){ .sink = sink, .resolver = resolver, .sites = 1 };
	if (sink->access)
		d->accesses = access_reader_new();
	vec_add(&d->tables.locations);
	vec_add(&d->tables.stacks);
	vec_add(&d->tables.regions);
	vec_push(&d->own_index, 0);
	for (unsigned kind = 1; kind < EV_LIMIT; kind++) {
		if (!event_kind_name(kind))
			continue;
		struct event_shape s = event_shape(kind);
		unsigned shape = layout_of(kind);
		if (s.obj == OPERAND_ADDR || s.obj == OPERAND_SYNC)
			shape |= OBJ_IS_ADDRESS;
		if (s.a == OPERAND_ADDR)
			shape |= A_IS_ADDRESS;
		if (s.b == OPERAND_ADDR)
			shape |= B_IS_ADDRESS;
		d->shape[kind] = (uint8_t)shape;
	}
}

void decode_release(struct decoder *d)
{
	trace_tables_release(&d->tables);
	vec_release(&d->modules);
	vec_release(&d->own_index);
	vec_release(&d->stack_of_thread);
	vec_release(&d->stack_of_wire);
	map_release(&d->loc_of_pc);
	buf_release(&d->data);
	access_reader_free(d->accesses);
}

/*
 * Make pointers in data canonical.  They are at addresses that are multiples of 8; `address` is
 * that of the bytes.
 */
static void relocate_pointers(struct decoder *d, uint64_t address, unsigned char *bytes, size_t len)
{
	for (size_t i = -address & 7; i + 8 <= len; i += 8) {
		uint64_t v;
		memcpy(&v, bytes + i, 8);
		v = canonical(d, v);
		memcpy(bytes + i, &v, 8);
	}
}

/* ---- plain accesses ---- */

static int define_site(struct decoder *d, const uint64_t *record, const uint64_t *ops, size_t count,
		       struct err *err)
{
	if ((record[0] & ADDRESS_BITS) != d->sites || d->sites >= ACCESS_SITES_MAX)
		return decode_damaged(d, "a site with an impossible number", err);
	struct trace_site s = { .kind = count ? (uint8_t)ops[0] : 0,
				.size = (uint8_t)(record[0] >> 56) };
	int rc = decode_location(d, record[1] & ADDRESS_BITS, &s.loc, err);
	if (rc)
		return rc;
	const char *flaw = site_flaw(&s, (uint32_t)d->tables.locations.len);
	if (flaw)
		return decode_damaged(d, flaw, err);
	d->sites++;
	if (d->accesses)
		access_reader_site(d->accesses, &s);
	return d->sink->site(d->sink->arg, &s, err);
}

/* Deliver the accesses of a chunk one by one. */
static int decode_accesses(struct decoder *d, const struct access_chunk *c, struct err *err)
{
	uint32_t stacks = (uint32_t)d->tables.stacks.len;
	const char *flaw = access_reader_begin(d->accesses, c->bytes, c->len, c->accesses, stacks);
	int rc = 0;
	while (!flaw && !rc && d->accesses->left) {
		struct event e;
		flaw = access_reader_next(d->accesses, stacks, &e);
		if (flaw)
			break;
		e.index = d->events++;
		e.own_index = d->own_index.at[d->thread]++;
		rc = d->sink->access(d->sink->arg, &e, err);
	}
	return flaw ? decode_damaged(d, flaw, err) : rc;
}

static int decode_chunk(struct decoder *d, const uint64_t *record, const uint64_t *ops,
			size_t count, struct err *err)
{
	struct access_chunk c = { .len = record[0] & ADDRESS_BITS,
				  .last_kind = (uint8_t)(record[1] >> 48) };
	if (!count || c.len > (count - 1) * 8 || (count - 1) * 8 - c.len >= 8 ||
	    ops[0] > UINT64_MAX >> 16)
		return decode_damaged(
			d, "a chunk of accesses whose length does not match its bytes", err);
	c.bytes = ops + 1;
	c.accesses = ops[0];
	int rc = c.accesses ? decode_location(d, record[1] & ADDRESS_BITS, &c.last_loc, err) : 0;
	if (!rc)
		rc = d->sink->chunk(d->sink->arg, &c, err);
	if (rc)
		return rc;
	if (c.accesses)
		d->last_loc = c.last_loc;
	if (d->accesses)
		return decode_accesses(d, &c, err);
	d->events += c.accesses;
	d->own_index.at[d->thread] += c.accesses;
	return 0;
}

static int decode_meta(struct decoder *d, unsigned kind, const uint64_t *record,
		       const uint64_t *ops, size_t count, struct err *err)
{
	uint64_t field = record[0] & ADDRESS_BITS;
	switch (kind) {
	case WIRE_STACK:
		if (field && (field >= d->stack_of_wire.len || !d->stack_of_wire.at[field]))
			return decode_damaged(d, "an unknown call stack", err);
		d->stack = field ? d->stack_of_wire.at[field] : 0;
		return 0;
	case WIRE_SITE:
		return define_site(d, record, ops, count, err);
	case WIRE_ACCESSES:
		return decode_chunk(d, record, ops, count, err);
	case WIRE_STACK_DEF:
		return decode_stack(d, field, ops, count, err);
	case WIRE_MODULE:
		return decode_module(d, field, ops, count, err);
	case WIRE_REGION:
		return decode_memory(d, field, ops, count, err);
	case WIRE_MODULE_GONE:
		return decode_module_gone(d, field, err);
	case WIRE_NOTE: {
		char *text = decode_text(ops, count);
		d->sink->note(d->sink->arg, text);
		mem_free(text);
		return 0;
	}
	}
	return decode_damaged(d, "a record of no known kind", err);
}

/* ---- events ---- */

/* Copy the bytes of an event, and make pointers in them canonical. */
static void take_data(struct decoder *d, struct event *e, const void *bytes, size_t len, bool more)
{
	if (!more)
		buf_clear(&d->data);
	size_t at = d->data.len;
	buf_add(&d->data, bytes, len);
	relocate_pointers(d, e->obj, (unsigned char *)d->data.at + at, len);
	e->data = (unsigned char *)d->data.at;
	e->data_len = d->data.len;
}

static int decode_long(struct decoder *d, struct event *e, bool is_rmw, const uint64_t *ops,
		       size_t count, struct err *err)
{
	if (!count)
		return decode_damaged(d, "a long access without its length", err);
	e->size = ops[0] & ~(0xffull << 56);
	e->mode = (uint8_t)(ops[0] >> 56);
	if (e->flags & EVF_HASHED) {
		e->a = count > 1 ? ops[1] : 0;
		return count <= 2 ? 0 : decode_damaged(d, "a hashed access with bytes", err);
	}
	uint64_t words = e->size / 8 + (e->size % 8 != 0);
	if (e->size > WIRE_MAX_DATA || count != 1 + words * (is_rmw ? 2 : 1))
		return decode_damaged(d, "an access whose length does not match its bytes", err);
	take_data(d, e, ops + 1, e->size, false);
	if (is_rmw)
		take_data(d, e, ops + 1 + words, e->size, true);
	return 0;
}

static int decode_access(struct decoder *d, struct event *e, unsigned size, const uint64_t *ops,
			 size_t count, struct err *err)
{
	if (size == WIRE_SIZE_LONG)
		return decode_long(d, e, false, ops, count, err);
	if (size > 8 || count > 2)
		return decode_damaged(d, "an access of impossible size", err);
	e->size = size;
	e->a = count ? ops[0] : 0;
	e->mode = count > 1 ? (uint8_t)ops[1] : 0;
	if (size == 8)
		e->a = canonical(d, e->a);
	return 0;
}

static int decode_rmw(struct decoder *d, struct event *e, unsigned size, const uint64_t *ops,
		      size_t count, struct err *err)
{
	if (size == WIRE_SIZE_LONG)
		return decode_long(d, e, true, ops, count, err);
	if (size > 8 || count > 3)
		return decode_damaged(d, "an atomic access of impossible size", err);
	e->size = size;
	e->a = count ? ops[0] : 0;
	e->b = count > 1 ? ops[1] : 0;
	e->mode = count > 2 ? (uint8_t)ops[2] : 0;
	if (size == 8) {
		e->a = canonical(d, e->a);
		e->b = canonical(d, e->b);
	}
	return 0;
}

static int decode_flush(struct decoder *d, struct event *e, const uint64_t *ops, size_t count,
			struct err *err)
{
	e->size = count > 1 ? ops[1] : 0;
	e->b = count ? ops[0] : 0;
	e->stack = 0; /* a flush is independent of what its thread is doing */
	if (!e->size || e->size > WIRE_MAX_DATA || count != 2 + (e->size + 7) / 8)
		return decode_damaged(d, "a flush whose length does not match its bytes", err);
	if (e->size > 8)
		take_data(d, e, ops + 2, e->size, false);
	else
		e->a = e->size == 8 ? canonical(d, ops[2]) : ops[2];
	return 0;
}

static int decode_plain(struct decoder *d, struct event *e, unsigned shape, const uint64_t *ops,
			size_t count, struct err *err)
{
	if ((shape & LAYOUT_MASK) != LAYOUT_DATA && count > 3)
		return decode_damaged(d, "an event with too many operands", err);
	e->mode = count ? (uint8_t)ops[0] : 0;
	e->a = count > 1 ? ops[1] : 0;
	e->b = count > 2 ? ops[2] : 0;
	if (shape & A_IS_ADDRESS)
		e->a = canonical(d, e->a);
	if (shape & B_IS_ADDRESS)
		e->b = canonical(d, e->b);
	if (count > 3) {
		uint64_t len = ops[3];
		if (len > WIRE_MAX_DATA || len > (count - 4) * 8 || (count - 4) * 8 - len >= 8)
			return decode_damaged(d, "an event whose length does not match its bytes",
					      err);
		/* Unchanged: input bytes are not pointers of this run. */
		buf_clear(&d->data);
		buf_add(&d->data, ops + 4, len);
		e->data = (unsigned char *)d->data.at;
		e->data_len = len;
	}
	return 0;
}

/* Set thread and indices of an event, and pass it on. */
static int deliver(struct decoder *d, struct event *e, struct err *err)
{
	e->thread = d->thread;
	e->index = d->events++;
	e->own_index = d->own_index.at[e->thread]++;
	d->last_loc = e->loc;
	if (d->accesses)
		access_reader_follow(d->accesses, e);
	return d->sink->event(d->sink->arg, e, err);
}

/* A switch has no call stack: the runtime has not sent the stack of the thread since it last ran.
 */
static int decode_switch(struct decoder *d, const uint64_t *record, const uint64_t *ops,
			 size_t count, struct err *err)
{
	uint64_t to = record[0] & ADDRESS_BITS;
	if (to >= MAX_THREADS)
		return decode_damaged(d, "a switch to a thread with an impossible number", err);
	if (count > 1)
		return decode_damaged(d, "an event with too many operands", err);
	struct event e = {
		.obj = record[1] & ADDRESS_BITS,
		.kind = EV_SWITCH,
		.mode = (uint8_t)(record[0] >> 56),
		.a = count ? ops[0] : 0,
		.b = d->thread,
	};
	vec_grow_zeroed(&d->stack_of_thread, (d->thread > to ? d->thread : to) + 1);
	d->stack_of_thread.at[d->thread] = d->stack;
	d->thread = (thr_id)to;
	d->stack = d->stack_of_thread.at[d->thread];
	d->switches++;
	vec_grow_zeroed(&d->own_index, d->thread + 1ull);
	return deliver(d, &e, err);
}

static int decode_event(struct decoder *d, unsigned kind, const uint64_t *record,
			const uint64_t *ops, size_t count, struct err *err)
{
	unsigned shape = d->shape[kind], size = (unsigned)(record[0] >> 56);
	if (kind == EV_SWITCH)
		return decode_switch(d, record, ops, count, err);
	struct event e = {
		.obj = record[0] & ADDRESS_BITS,
		.kind = (uint8_t)kind,
		.flags = (uint8_t)(record[1] >> 48),
		.stack = d->stack,
	};
	if (shape & OBJ_IS_ADDRESS)
		e.obj = canonical(d, e.obj);
	int rc = decode_location(d, record[1] & ADDRESS_BITS, &e.loc, err);
	if (rc)
		return rc;
	switch (shape & LAYOUT_MASK) {
	case LAYOUT_ACCESS:
		rc = decode_access(d, &e, size, ops, count, err);
		break;
	case LAYOUT_RMW:
		rc = decode_rmw(d, &e, size, ops, count, err);
		break;
	case LAYOUT_BLOCK:
		if (count > 2)
			return decode_damaged(d, "a block with too many operands", err);
		e.size = count ? ops[0] : 0;
		e.a = count > 1 ? ops[1] : 0;
		break;
	case LAYOUT_FLUSH:
		rc = decode_flush(d, &e, ops, count, err);
		break;
	default:
		rc = decode_plain(d, &e, shape, ops, count, err);
		if (kind == EV_FLUSH_TURN)
			e.stack = 0;
		break;
	}
	return rc ? rc : deliver(d, &e, err);
}

int decode_words(struct decoder *d, const uint64_t *words, size_t count, size_t *used,
		 struct err *err)
{
	size_t at = 0;
	int rc = 0;
	for (;;) {
		if (count - at < 2)
			break;
		const uint64_t *record = words + at;
		size_t head = 2, extra = (size_t)(record[1] >> 56);
		if (extra == WIRE_EXTRA_LONG) {
			if (count - at < 3)
				break;
			head = 3;
			extra = record[2];
			if (extra > WIRE_MAX_DATA / 4 + 8) {
				rc = decode_damaged(d, "a record of impossible length", err);
				break;
			}
		}
		if (count - at < head + extra)
			break;
		unsigned kind = (uint8_t)(record[0] >> 48);
		if (d->shape[kind])
			rc = decode_event(d, kind, record, record + head, extra, err);
		else
			rc = decode_meta(d, kind, record, record + head, extra, err);
		if (rc)
			break;
		at += head + extra;
		d->words += head + extra;
	}
	*used = at;
	return rc;
}
