/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns to events, the inverse of encode.c.  The content is untrusted.  The lengths of all
 * columns are checked once at the start, so that reading a number only checks that one is left.
 * Every id is checked before it is used as an index.  A block with unused content at its end is
 * malformed, like one with too little.
 */
#include <string.h>

#include "trace/codec.h"

void decoder_init(struct decoder *c)
{
	*c = (struct decoder){ 0 };
	model_init(&c->model);
}

void decoder_release(struct decoder *c)
{
	model_release(&c->model);
}

static bool take_varint(const uint8_t **at, const uint8_t *end, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; *at < end && shift < 63; shift += 7) {
		uint8_t byte = *(*at)++;
		*v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

static const char *open_column(struct column_in *column, const uint8_t **at, const uint8_t *end)
{
	uint64_t numbers, bytes;
	if (!take_varint(at, end, &numbers) || !take_varint(at, end, &bytes))
		return "the length of a column is missing";
	if (numbers > (uint64_t)(end - *at) || bytes > (uint64_t)(end - *at) - numbers)
		return "a column is longer than its block";
	uint64_t sum = 0;
	unsigned longest = 0;
	for (uint64_t i = 0; i < numbers; i++) {
		unsigned n = (*at)[i];
		sum += n;
		longest = n > longest ? n : longest;
	}
	if (longest > 8 || sum != bytes)
		return "the lengths of the numbers of a column do not add up";
	*column = (struct column_in){ .lengths = *at,
				      .lengths_end = *at + numbers,
				      .bytes = *at + numbers };
	*at += numbers + bytes;
	return NULL;
}

const char *decoder_begin(struct decoder *c, const void *content, size_t len, uint32_t count,
			  const struct id_limits *limits)
{
	const uint8_t *at = content, *end = at + len;
	if (count > BLOCK_EVENTS_MAX || count > len)
		return "a block has fewer bytes than events, or too many events";
	c->control = at;
	at += count;
	for (unsigned i = 0; i < COL_LIMIT; i++) {
		const char *flaw = open_column(&c->columns[i], &at, end);
		if (flaw)
			return flaw;
	}
	c->data = at;
	c->data_end = end;
	c->left = count;
	c->limits = *limits;
	model_begin_block(&c->model, limits);
	return NULL;
}

static inline bool take(struct column_in *column, uint64_t *v)
{
	if (column->lengths == column->lengths_end)
		return false;
	unsigned n = *column->lengths++;
	uint64_t word;
	memcpy(&word, column->bytes, 8);
	column->bytes += n;
	*v = n ? word & ~0ull >> (64 - 8 * n) : 0;
	return true;
}

static const char run_out[] = "a column of an event block runs out of numbers";

static __attribute__((noinline)) const char *take_shape(struct decoder *c, struct place *p)
{
	uint64_t id, shape;
	if (!take(&c->columns[COL_SHAPE], &id))
		return run_out;
	if (id > c->model.shapes.len)
		return "an event has a shape that is not defined";
	if (id == c->model.shapes.len) {
		if (!take(&c->columns[COL_SHAPE], &shape))
			return run_out;
		if (shape >> SHAPE_BITS || shape >> 32 == SHAPE_DATA_LIMIT)
			return "a shape has unknown bits";
		if (!event_kind_name(shape & 0xff))
			return "an event has an unknown kind";
		model_add_shape(&c->model, shape);
	}
	p->shape = (uint32_t)id;
	return NULL;
}

/* Set the fields that the shape contains, and those that it refers to columns. */
static inline const char *expand_shape(struct decoder *c, uint64_t shape, struct event *e)
{
	e->kind = (uint8_t)shape;
	e->mode = (uint8_t)(shape >> 8);
	e->flags = (uint8_t)(shape >> 16);
	e->size = (uint8_t)(shape >> 24);
	if (e->size == SHAPE_SIZE_COLUMN && !take(&c->columns[COL_SIZE], &e->size))
		return run_out;
	uint64_t data_len = 0;
	if (shape >> 32 == SHAPE_DATA_AS_SIZE)
		data_len = e->size;
	else if (shape >> 32 == SHAPE_DATA_COLUMN && !take(&c->columns[COL_DATA_LEN], &data_len))
		return run_out;
	if (data_len > TRACE_DATA_MAX)
		return "an event has too many bytes of data";
	if (data_len > (uint64_t)(c->data_end - c->data))
		return "the data of an event runs beyond its block";
	e->data = data_len ? c->data : NULL;
	e->data_len = data_len;
	c->data += data_len;
	return NULL;
}

static inline const char *take_a(struct decoder *c, const struct place *p, unsigned form,
				 struct event *e)
{
	uint64_t expected = model_expected_a(&c->model, e->kind, e->obj), z;
	if (form == A_EXPECTED) {
		e->a = expected;
	} else if (form == A_STEP) {
		e->a = p->a + p->step;
	} else {
		if (!take(&c->columns[COL_A], &z))
			return run_out;
		e->a = (form == A_FROM_LAST ? p->a : model_base_a(&c->model, e->kind, expected)) +
		       unzigzag(z);
	}
	return NULL;
}

static inline const char *decode(struct decoder *c, struct event *e)
{
	struct model *m = &c->model;
	unsigned control = *c->control++;
	thr_id previous = m->thread;
	const char *flaw;
	uint64_t z;
	if (control & CONTROL_THREAD) {
		if (!take(&c->columns[COL_THREAD], &z))
			return run_out;
		if (z >= TRACE_THREADS_MAX)
			return "an event has a thread number that is too large";
		model_switch_thread(m, (thr_id)z);
	}
	e->thread = m->thread;
	struct place *before = &m->places.at[m->loc];
	uint64_t loc = before->next;
	if (control & CONTROL_LOC) {
		if (!take(&c->columns[COL_LOC], &z))
			return run_out;
		loc = m->loc + unzigzag(z);
		if (loc >= c->limits.locations)
			return "an event names a location that is not defined";
	}
	e->loc = (loc_id)loc;
	model_move(m, before, e->loc);
	struct place *p = model_place(m, e->loc);
	if (control & CONTROL_SHAPE) {
		flaw = take_shape(c, p);
		if (flaw)
			return flaw;
	}
	if (p->shape >= m->shapes.len)
		return "an event has a shape that is not defined";
	uint64_t stack = p->stack;
	if (control & CONTROL_STACK) {
		if (!take(&c->columns[COL_STACK], &z))
			return run_out;
		stack = m->stack + unzigzag(z);
		if (stack >= c->limits.stacks)
			return "an event names a call stack that is not defined";
	}
	e->stack = (stack_id)stack;
	flaw = expand_shape(c, m->shapes.at[p->shape], e);
	if (flaw)
		return flaw;
	e->obj = p->obj + p->stride;
	if (control & CONTROL_OBJ) {
		if (!take(&c->columns[COL_OBJ], &z))
			return run_out;
		e->obj = p->obj + unzigzag(z);
	}
	flaw = take_a(c, p, control >> CONTROL_A_SHIFT, e);
	if (flaw)
		return flaw;
	uint64_t base_b = model_base_b(e->kind, e->a, previous);
	e->b = base_b + p->b;
	if (control & CONTROL_B) {
		if (!take(&c->columns[COL_B], &z))
			return run_out;
		e->b = base_b + unzigzag(z);
	}
	model_update(m, p, e, base_b);
	return NULL;
}

size_t decoder_take(struct decoder *c, struct event *events, size_t max, const char **flaw)
{
	size_t n = 0;
	*flaw = NULL;
	for (; n < max && c->left; n++, c->left--) {
		*flaw = decode(c, &events[n]);
		if (*flaw)
			return n;
	}
	if (!c->left) {
		for (unsigned i = 0; i < COL_LIMIT; i++)
			if (c->columns[i].lengths != c->columns[i].lengths_end)
				*flaw = "a column of an event block has numbers left over";
		if (c->data != c->data_end)
			*flaw = "an event block has data left over";
	}
	return n;
}
