/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events to columns.  The arrays have room for the worst block (no prediction correct), so
 * encoding an event needs no bounds checks: it compares with the model and stores what differs.
 */
#include <string.h>

#include "trace/codec.h"

static size_t column_capacity(unsigned id)
{
	/* A new shape puts two numbers into its column. */
	return id == COL_SHAPE ? 2 * BLOCK_EVENTS_MAX : BLOCK_EVENTS_MAX;
}

static void rewind_columns(struct encoder *c)
{
	c->control = c->first_control;
	for (unsigned i = 0; i < COL_LIMIT; i++) {
		c->columns[i].lengths = c->columns[i].first_length;
		c->columns[i].bytes = c->columns[i].first_byte;
	}
	buf_clear(&c->data);
	c->count = 0;
}

void encoder_init(struct encoder *c)
{
	*c = (struct encoder){ 0 };
	model_init(&c->model);
	c->first_control = mem_alloc(BLOCK_EVENTS_MAX);
	for (unsigned i = 0; i < COL_LIMIT; i++) {
		c->columns[i].first_length = mem_alloc(column_capacity(i));
		c->columns[i].first_byte = mem_alloc(column_capacity(i) * 8 + 8);
	}
	rewind_columns(c);
}

void encoder_release(struct encoder *c)
{
	model_release(&c->model);
	mem_free(c->first_control);
	for (unsigned i = 0; i < COL_LIMIT; i++) {
		mem_free(c->columns[i].first_length);
		mem_free(c->columns[i].first_byte);
	}
	buf_release(&c->data);
}

static inline void put(struct column_out *column, uint64_t v)
{
	unsigned n = v ? 8 - (unsigned)__builtin_clzll(v) / 8 : 0;
	*column->lengths++ = (uint8_t)n;
	memcpy(column->bytes, &v, 8);
	column->bytes += n;
}

static inline uint64_t shape_of(const struct event *e)
{
	uint64_t size = e->size < SHAPE_SIZE_COLUMN ? e->size : SHAPE_SIZE_COLUMN;
	uint64_t data = SHAPE_NO_DATA;
	if (e->data_len)
		data = e->data_len == e->size ? SHAPE_DATA_AS_SIZE : SHAPE_DATA_COLUMN;
	return e->kind | (uint64_t)e->mode << 8 | (uint64_t)e->flags << 16 | size << 24 |
	       data << 32;
}

/* The shape differs from the one predicted for the location. */
static __attribute__((noinline)) void put_shape(struct encoder *c, struct place *p, uint64_t shape)
{
	const uint64_t *id = map_get(&c->model.shape_ids, shape);
	p->shape = id ? (uint32_t)*id : (uint32_t)c->model.shapes.len;
	put(&c->columns[COL_SHAPE], p->shape);
	if (!id) {
		put(&c->columns[COL_SHAPE], shape);
		model_add_shape(&c->model, shape);
	}
}

static inline unsigned put_a(struct encoder *c, const struct place *p, const struct event *e)
{
	uint64_t expected = model_expected_a(&c->model, e->kind, e->obj);
	if (e->a == expected)
		return A_EXPECTED;
	if (e->a == p->a + p->step)
		return A_STEP;
	uint64_t from_expected = zigzag(e->a - model_base_a(&c->model, e->kind, expected));
	uint64_t from_last = zigzag(e->a - p->a);
	bool expected_is_nearer = from_expected <= from_last;
	put(&c->columns[COL_A], expected_is_nearer ? from_expected : from_last);
	return expected_is_nearer ? A_FROM_EXPECTED : A_FROM_LAST;
}

static inline void encode(struct encoder *c, const struct event *e)
{
	struct model *m = &c->model;
	unsigned control = 0;
	thr_id previous = m->thread;
	if (e->thread != previous) {
		control |= CONTROL_THREAD;
		put(&c->columns[COL_THREAD], e->thread);
		model_switch_thread(m, e->thread);
	}
	struct place *before = &m->places.at[m->loc];
	if (e->loc != before->next) {
		control |= CONTROL_LOC;
		put(&c->columns[COL_LOC], zigzag((uint64_t)e->loc - m->loc));
	}
	model_move(m, before, e->loc);
	struct place *p = model_place(m, e->loc);
	uint64_t shape = shape_of(e);
	if (p->shape >= m->shapes.len || m->shapes.at[p->shape] != shape) {
		control |= CONTROL_SHAPE;
		put_shape(c, p, shape);
	}
	if (e->stack != p->stack) {
		control |= CONTROL_STACK;
		put(&c->columns[COL_STACK], zigzag((uint64_t)e->stack - m->stack));
	}
	if (e->size >= SHAPE_SIZE_COLUMN)
		put(&c->columns[COL_SIZE], e->size);
	if (e->data_len) {
		if (e->data_len != e->size)
			put(&c->columns[COL_DATA_LEN], e->data_len);
		buf_add(&c->data, e->data, e->data_len);
	}
	if (e->obj != p->obj + p->stride) {
		control |= CONTROL_OBJ;
		put(&c->columns[COL_OBJ], zigzag(e->obj - p->obj));
	}
	control |= put_a(c, p, e) << CONTROL_A_SHIFT;
	uint64_t base_b = model_base_b(e->kind, e->a, previous);
	if (e->b != base_b + p->b) {
		control |= CONTROL_B;
		put(&c->columns[COL_B], zigzag(e->b - base_b));
	}
	model_update(m, p, e, base_b);
	*c->control++ = (uint8_t)control;
}

void encoder_add(struct encoder *c, const struct event *e, const struct id_limits *limits)
{
	ASSERT(c->count < BLOCK_EVENTS_MAX);
	if (!c->count)
		model_begin_block(&c->model, limits);
	else
		model_more_places(&c->model, limits);
	c->count++;
	encode(c, e);
}

void encoder_take(struct encoder *c, struct buf *out)
{
	buf_add(out, c->first_control, c->count);
	for (unsigned i = 0; i < COL_LIMIT; i++) {
		const struct column_out *column = &c->columns[i];
		size_t numbers = (size_t)(column->lengths - column->first_length);
		size_t bytes = (size_t)(column->bytes - column->first_byte);
		buf_varint(out, numbers);
		buf_varint(out, bytes);
		buf_add(out, column->first_length, numbers);
		buf_add(out, column->first_byte, bytes);
	}
	buf_add(out, c->data.at ? c->data.at : "", c->data.len);
	rewind_columns(c);
}
