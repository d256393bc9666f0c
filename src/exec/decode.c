/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding of ring records; see decode.h for what it promises, wire/wire.h for the layout of records.
 *
 * This is on the path of every event of a recording.  Most come in chunks of accesses, which are passed on as
 * they are; what the others need, a module and a place, is nearly always the one hit last or in a
 * direct-mapped table.
 *
 * Nothing read from the ring is trusted: the length of a record is checked against its kind before its
 * operands are touched, counts are bounded before they size anything, ids are looked up, never used as they
 * are.
 */
#include "exec/decode.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

#define ADDRESS_BITS 0xffffffffffffull
#define MAX_THREADS (1u << 20)
#define MAX_STACKS (1u << 24)
#define MAX_MODULES 4096
#define MAX_PATH 4096

/* Layout of a kind's operands and which of its fields are addresses. */
enum {
	LAYOUT_ACCESS = 1,	/* value [, mode]; long form */
	LAYOUT_RMW,		/* old, new [, mode]; long form */
	LAYOUT_BLOCK,		/* byte count [, a] */
	LAYOUT_DATA,		/* mode, a, b, byte count, bytes */
	LAYOUT_PLAIN,		/* mode [, a [, b]] */
	LAYOUT_FLUSH,		/* thread, byte count, bytes */
	LAYOUT_MASK = 7,
	OBJ_IS_ADDRESS = 8,
	A_IS_ADDRESS = 16,
	B_IS_ADDRESS = 32,
};

static unsigned layout_of(unsigned kind)
{
	switch (kind) {
	case EV_READ: case EV_WRITE: case EV_INITIAL: case EV_OUTSIDE_WRITE:
		return LAYOUT_ACCESS;
	case EV_RMW:
		return LAYOUT_RMW;
	case EV_FLUSH:
		return LAYOUT_FLUSH;
	case EV_ALLOC: case EV_FREE: case EV_RESIZE:
		return LAYOUT_BLOCK;
	case EV_INPUT_DATA: case EV_THREAD_NAME: case EV_FAILURE:
		return LAYOUT_DATA;
	default:
		return LAYOUT_PLAIN;
	}
}

void decode_init(struct decoder *d, const struct decode_sink *sink, const struct decode_resolver *resolver)
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

/* ---- addresses ---- */

static const struct decode_module *module_of(struct decoder *d, uint64_t address)
{
	if (address - d->last_module.start < d->last_module.size)
		return &d->last_module;
	if (address < d->modules_low || address >= d->modules_high)
		return NULL;
	for (size_t i = 0; i < d->modules.len; i++) {
		if (address - d->modules.at[i].start < d->modules.at[i].size) {
			d->last_module = d->modules.at[i];
			return &d->last_module;
		}
	}
	return NULL;
}

static inline uint64_t canonical(struct decoder *d, uint64_t address)
{
	if (address - d->modules_low >= d->modules_high - d->modules_low)
		return address;
	const struct decode_module *m = module_of(d, address);
	return m ? address - m->start + m->canonical : address;
}

uint64_t decode_address(struct decoder *d, uint64_t address)
{
	return canonical(d, address);
}

/* Pointers among bytes lie at addresses that are multiples of 8; `address` is where the bytes come from. */
static void move_pointers(struct decoder *d, uint64_t address, unsigned char *bytes, size_t len)
{
	for (size_t i = -address & 7; i + 8 <= len; i += 8) {
		uint64_t v;
		memcpy(&v, bytes + i, 8);
		v = decode_address(d, v);
		memcpy(bytes + i, &v, 8);
	}
}

/* ---- places ---- */

#define INLINED_MAX 64	/* functions at one address */

static int new_location(struct decoder *d, uint64_t pc, loc_id *out, struct err *err)
{
	const struct decode_module *m = module_of(d, pc);
	*out = 0;
	if (!m)
		return 0;
	struct location frames[INLINED_MAX];
	unsigned count = 0;
	do
		frames[count] = (struct location){ .region = m->region, .offset = pc - m->start };
	while (d->resolver &&
	       d->resolver->resolve(d->resolver->arg, &d->tables.regions.at[m->region], count,
				    &frames[count]) &&
	       ++count < INLINED_MAX);
	count += !count;
	int rc = 0;
	while (count-- > 0) {	/* outermost first: trace_outer() */
		struct location *l = &frames[count];
		l->function = l->function ? l->function : mem_strdup("");
		l->file = l->file ? l->file : mem_strdup("");
		*out = (loc_id)d->tables.locations.len;
		vec_push(&d->tables.locations, *l);
		rc = rc ? rc : d->sink->location(d->sink->arg, l, err);
	}
	return rc;
}

static inline struct decode_pc *pc_slot(struct decoder *d, uint64_t pc)
{
	return &d->pcs[(pc ^ pc >> 13) & (DECODE_PCS - 1)];
}

static int location_of(struct decoder *d, uint64_t pc, loc_id *out, struct err *err)
{
	struct decode_pc *cached = pc_slot(d, pc);
	if (cached->pc == pc) {	/* the zero state answers pc 0 with location 0 */
		*out = cached->loc;
		return 0;
	}
	bool is_new;
	uint64_t *slot = map_put(&d->loc_of_pc, pc, &is_new);
	int rc = 0;
	if (is_new) {
		loc_id loc;
		rc = new_location(d, pc, &loc, err);
		*slot = loc;
	}
	*out = (loc_id)*slot;
	*cached = (struct decode_pc){ pc, *out };
	return rc;
}

/* ---- definitions ---- */

static int damaged(const struct decoder *d, const char *what, struct err *err)
{
	return err_set(err, ERR_PROGRAM, "the program damaged its event stream at word %llu: %s",
		       (unsigned long long)d->words, what);
}

static int define_region(struct decoder *d, struct region *r, struct err *err)
{
	if (!r->path)
		r->path = mem_strdup("");
	if (!r->build_id)
		r->build_id = mem_strdup("");
	vec_push(&d->tables.regions, *r);
	return d->sink->region(d->sink->arg, r, err);
}

/* Text in operands: NUL-padded bytes. */
static char *operand_text(const uint64_t *ops, size_t count)
{
	const char *bytes = (const char *)ops;
	return mem_strndup(bytes, strnlen(bytes, count * 8));
}

/* Memory at an address that may differ from run to run: from now on it is told as if it were at `canonical`.
 */
static int move(struct decoder *d, uint64_t start, uint64_t size, uint64_t canonical_start, struct err *err)
{
	if (d->modules.len >= MAX_MODULES)
		return damaged(d, "too many modules", err);
	for (size_t i = 0; i < d->modules.len; i++)
		if (start < d->modules.at[i].start + d->modules.at[i].size &&
		    d->modules.at[i].start < start + size)
			return damaged(d, "a module that overlaps another one", err);
	struct decode_module m = { start, size, canonical_start, (uint32_t)d->tables.regions.len };
	if (!d->modules.len || start < d->modules_low)
		d->modules_low = start;
	if (start + size > d->modules_high)
		d->modules_high = start + size;
	vec_push(&d->modules, m);
	return 0;
}

static int define_module(struct decoder *d, uint64_t start, const uint64_t *ops, size_t count,
			 struct err *err)
{
	if (count < 2 || count > 2 + MAX_PATH / 8 || !ops[0] || ops[0] > ADDRESS_BITS)
		return damaged(d, "a module of impossible size", err);
	uint64_t size = canonical_whole_pages(ops[0]);
	uint64_t place = canonical_module(&d->places, ops[0]);
	int rc = move(d, start, size, place, err);
	if (rc)
		return rc;
	struct region r = { .start = place, .size = size, .kind = REGION_MODULE, .flags = (uint32_t)ops[1] };
	r.thread = THR_NONE;
	r.path = operand_text(ops + 2, count - 2);
	if (d->resolver)
		r.build_id = d->resolver->build_id(d->resolver->arg, r.path);
	return define_region(d, &r, err);
}

/* Its addresses may be used again, for something else. */
static int forget_module(struct decoder *d, uint64_t start, struct err *err)
{
	size_t i = 0;
	while (i < d->modules.len && d->modules.at[i].start != start)
		i++;
	if (!i || i == d->modules.len)
		return damaged(d, "the end of a module that is not there", err);
	struct decode_module gone = d->modules.at[i];
	d->modules.at[i] = vec_last(&d->modules);
	d->modules.len--;
	d->last_module = (struct decode_module){0};
	memset(d->pcs, 0, sizeof(d->pcs));
	struct map before = d->loc_of_pc;
	d->loc_of_pc = (struct map){0};
	for (size_t k = 0; k < before.cap; k++)
		if (before.slots[k].used && before.slots[k].key - gone.start >= gone.size)
			*map_put(&d->loc_of_pc, before.slots[k].key, NULL) = before.slots[k].value;
	map_release(&before);
	return 0;
}

static int define_memory(struct decoder *d, uint64_t start, const uint64_t *ops, size_t count,
			 struct err *err)
{
	if (count < 2 || ops[0] > ADDRESS_BITS || ops[1] < REGION_HEAP || ops[1] > REGION_ARGS)
		return damaged(d, "a region of impossible size or kind", err);
	struct region r = { .start = start, .size = ops[0], .kind = (uint32_t)ops[1] };
	r.thread = r.kind == REGION_ARGS ? THR_NONE : count > 2 ? (thr_id)ops[2] : 0;
	if (start - ARENA_HEAP >= ARENA_END - ARENA_HEAP) {
		r.start = canonical_region(&d->places, start, r.size);
		int rc = move(d, start, r.size, r.start, err);
		if (rc)
			return rc;
	}
	return define_region(d, &r, err);
}

static int define_stack(struct decoder *d, uint64_t id, const uint64_t *ops, size_t count, struct err *err)
{
	uint64_t parent = count ? ops[0] : 0;
	if (count > 2 || !id || id >= MAX_STACKS ||
	    (parent && (parent >= d->stack_of_wire.len || !d->stack_of_wire.at[parent])))
		return damaged(d, "a call stack without its outer part", err);
	vec_grow_zeroed(&d->stack_of_wire, id + 1);
	if (d->stack_of_wire.at[id])
		return damaged(d, "a call stack that is defined twice", err);
	struct stack_node s = { .parent = parent ? d->stack_of_wire.at[parent] : 0 };
	int rc = location_of(d, count > 1 ? ops[1] & ADDRESS_BITS : 0, &s.loc, err);
	if (rc)
		return rc;
	d->stack_of_wire.at[id] = (stack_id)d->tables.stacks.len;
	vec_push(&d->tables.stacks, s);
	return d->sink->stack(d->sink->arg, &s, err);
}

/* ---- plain accesses ---- */

static int define_site(struct decoder *d, const uint64_t *record, const uint64_t *ops, size_t count,
		       struct err *err)
{
	if ((record[0] & ADDRESS_BITS) != d->sites || d->sites >= ACCESS_SITES_MAX)
		return damaged(d, "a site with an impossible number", err);
	struct trace_site s = { .kind = count ? (uint8_t)ops[0] : 0, .size = (uint8_t)(record[0] >> 56) };
	int rc = location_of(d, record[1] & ADDRESS_BITS, &s.loc, err);
	if (rc)
		return rc;
	const char *flaw = site_flaw(&s, (uint32_t)d->tables.locations.len);
	if (flaw)
		return damaged(d, flaw, err);
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
	return flaw ? damaged(d, flaw, err) : rc;
}

static int decode_chunk(struct decoder *d, const uint64_t *record, const uint64_t *ops, size_t count,
			struct err *err)
{
	struct access_chunk c = { .len = record[0] & ADDRESS_BITS, .last_kind = (uint8_t)(record[1] >> 48) };
	if (!count || c.len > (count - 1) * 8 || (count - 1) * 8 - c.len >= 8 || ops[0] > UINT64_MAX >> 16)
		return damaged(d, "a chunk of accesses whose length does not match its bytes", err);
	c.bytes = ops + 1;
	c.accesses = ops[0];
	int rc = c.accesses ? location_of(d, record[1] & ADDRESS_BITS, &c.last_loc, err) : 0;
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

static int decode_meta(struct decoder *d, unsigned kind, const uint64_t *record, const uint64_t *ops,
		       size_t count, struct err *err)
{
	uint64_t field = record[0] & ADDRESS_BITS;
	switch (kind) {
	case WIRE_STACK:
		if (field && (field >= d->stack_of_wire.len || !d->stack_of_wire.at[field]))
			return damaged(d, "an unknown call stack", err);
		d->stack = field ? d->stack_of_wire.at[field] : 0;
		return 0;
	case WIRE_SITE:
		return define_site(d, record, ops, count, err);
	case WIRE_ACCESSES:
		return decode_chunk(d, record, ops, count, err);
	case WIRE_STACK_DEF:
		return define_stack(d, field, ops, count, err);
	case WIRE_MODULE:
		return define_module(d, field, ops, count, err);
	case WIRE_REGION:
		return define_memory(d, field, ops, count, err);
	case WIRE_MODULE_GONE:
		return forget_module(d, field, err);
	case WIRE_NOTE: {
		char *text = operand_text(ops, count);
		d->sink->note(d->sink->arg, text);
		mem_free(text);
		return 0;
	}
	}
	return damaged(d, "a record of no known kind", err);
}

/* ---- events ---- */

/* Bytes of an event, moved to where they may be changed; `ops` holds at least that many. */
static void take_data(struct decoder *d, struct event *e, const void *bytes, size_t len, bool more)
{
	if (!more)
		buf_clear(&d->data);
	size_t at = d->data.len;
	buf_add(&d->data, bytes, len);
	move_pointers(d, e->obj, (unsigned char *)d->data.at + at, len);
	e->data = (unsigned char *)d->data.at;
	e->data_len = d->data.len;
}

static int decode_long(struct decoder *d, struct event *e, bool is_rmw, const uint64_t *ops, size_t count,
		       struct err *err)
{
	if (!count)
		return damaged(d, "a long access without its length", err);
	e->size = ops[0] & ~(0xffull << 56);
	e->mode = (uint8_t)(ops[0] >> 56);
	if (e->flags & EVF_HASHED) {
		e->a = count > 1 ? ops[1] : 0;
		return count <= 2 ? 0 : damaged(d, "a hashed access with bytes", err);
	}
	uint64_t words = e->size / 8 + (e->size % 8 != 0);
	if (e->size > WIRE_MAX_DATA || count != 1 + words * (is_rmw ? 2 : 1))
		return damaged(d, "an access whose length does not match its bytes", err);
	take_data(d, e, ops + 1, e->size, false);
	if (is_rmw)
		take_data(d, e, ops + 1 + words, e->size, true);
	return 0;
}

static int decode_access(struct decoder *d, struct event *e, unsigned size, const uint64_t *ops, size_t count,
			 struct err *err)
{
	if (size == WIRE_SIZE_LONG)
		return decode_long(d, e, false, ops, count, err);
	if (size > 8 || count > 2)
		return damaged(d, "an access of impossible size", err);
	e->size = size;
	e->a = count ? ops[0] : 0;
	e->mode = count > 1 ? (uint8_t)ops[1] : 0;
	if (size == 8)
		e->a = decode_address(d, e->a);
	return 0;
}

static int decode_rmw(struct decoder *d, struct event *e, unsigned size, const uint64_t *ops, size_t count,
		      struct err *err)
{
	if (size == WIRE_SIZE_LONG)
		return decode_long(d, e, true, ops, count, err);
	if (size > 8 || count > 3)
		return damaged(d, "an atomic access of impossible size", err);
	e->size = size;
	e->a = count ? ops[0] : 0;
	e->b = count > 1 ? ops[1] : 0;
	e->mode = count > 2 ? (uint8_t)ops[2] : 0;
	if (size == 8) {
		e->a = decode_address(d, e->a);
		e->b = decode_address(d, e->b);
	}
	return 0;
}

static int decode_flush(struct decoder *d, struct event *e, const uint64_t *ops, size_t count,
			struct err *err)
{
	e->size = count > 1 ? ops[1] : 0;
	e->b = count ? ops[0] : 0;
	e->stack = 0;	/* it happens to its thread at any time */
	if (!e->size || e->size > WIRE_MAX_DATA || count != 2 + (e->size + 7) / 8)
		return damaged(d, "a flush whose length does not match its bytes", err);
	if (e->size > 8)
		take_data(d, e, ops + 2, e->size, false);
	else
		e->a = e->size == 8 ? decode_address(d, ops[2]) : ops[2];
	return 0;
}

static int decode_plain(struct decoder *d, struct event *e, unsigned shape, const uint64_t *ops, size_t count,
			struct err *err)
{
	if ((shape & LAYOUT_MASK) != LAYOUT_DATA && count > 3)
		return damaged(d, "an event with too many operands", err);
	e->mode = count ? (uint8_t)ops[0] : 0;
	e->a = count > 1 ? ops[1] : 0;
	e->b = count > 2 ? ops[2] : 0;
	if (shape & A_IS_ADDRESS)
		e->a = decode_address(d, e->a);
	if (shape & B_IS_ADDRESS)
		e->b = decode_address(d, e->b);
	if (count > 3) {
		uint64_t len = ops[3];
		if (len > WIRE_MAX_DATA || len > (count - 4) * 8 || (count - 4) * 8 - len >= 8)
			return damaged(d, "an event whose length does not match its bytes", err);
		/* As they are: bytes from outside are no pointers of this run. */
		buf_clear(&d->data);
		buf_add(&d->data, ops + 4, len);
		e->data = (unsigned char *)d->data.at;
		e->data_len = len;
	}
	return 0;
}

/* An event that has all but its place in the order. */
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

/* It has no call stack: the thread has not told one since it last ran. */
static int decode_switch(struct decoder *d, const uint64_t *record, const uint64_t *ops, size_t count,
			 struct err *err)
{
	uint64_t to = record[0] & ADDRESS_BITS;
	if (to >= MAX_THREADS)
		return damaged(d, "a switch to a thread with an impossible number", err);
	if (count > 1)
		return damaged(d, "an event with too many operands", err);
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

static int decode_event(struct decoder *d, unsigned kind, const uint64_t *record, const uint64_t *ops,
			size_t count, struct err *err)
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
		e.obj = decode_address(d, e.obj);
	int rc = location_of(d, record[1] & ADDRESS_BITS, &e.loc, err);
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
			return damaged(d, "a block with too many operands", err);
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

int decode_words(struct decoder *d, const uint64_t *words, size_t count, size_t *used, struct err *err)
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
				rc = damaged(d, "a record of impossible length", err);
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
