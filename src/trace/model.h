/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model that predicts the next event from earlier ones of the same block.  Encoder and
 * decoder each have one, and update it only through the functions here, in the same order, so
 * both always predict the same.  A correct prediction costs one bit; other values are in columns,
 * as differences.
 *
 *   thread   the same as before
 *   loc      what followed the thread's previous location the last time
 *   shape    kind, mode, flags, size and whether there is data: as at this location the last time
 *   stack    as at this location the last time
 *   obj      the last address at this location plus a stride that occurred twice in a row
 *   a        the content of the address, if known from this block; or the last a at this location
 *            plus its step
 *   b        the same difference from a (RMW), the previous thread (SWITCH), or 0, as at this
 *            location the last time
 *
 * A block begins with an empty model and can be decoded without the others.  Private to src/trace.
 */
#ifndef HEDDLE_TRACE_MODEL_H
#define HEDDLE_TRACE_MODEL_H

#include <stdbool.h>

#include "base/map.h"
#include "trace/block.h"

/* Bits of the control byte of an event: which predictions failed, and how a is given. */
enum control {
	CONTROL_THREAD = 1,
	CONTROL_LOC = 2,
	CONTROL_SHAPE = 4,
	CONTROL_STACK = 8,
	CONTROL_OBJ = 16,
	CONTROL_B = 32,
	CONTROL_A_SHIFT = 6,
};

enum a_form { A_EXPECTED, A_STEP, A_FROM_EXPECTED, A_FROM_LAST };

/* Numbers that were not predicted, one column for each field, in file order. */
enum column_id {
	COL_THREAD,
	COL_LOC,
	COL_SHAPE,
	COL_STACK,
	COL_SIZE,
	COL_DATA_LEN,
	COL_OBJ,
	COL_A,
	COL_B,
	COL_LIMIT
};

/*
 * A shape is a number: kind (8 bits), mode (8), flags (8), size (8, or SHAPE_SIZE_COLUMN), data
 * (2).
 */
#define SHAPE_SIZE_COLUMN 255u
enum shape_data { SHAPE_NO_DATA, SHAPE_DATA_AS_SIZE, SHAPE_DATA_COLUMN, SHAPE_DATA_LIMIT };

#define SHAPE_BITS 34

/* The predictions for a location; one cache line. */
struct place {
	/* block in which this entry was made; an older one counts as absent */
	uint32_t epoch;
	uint32_t next; /* location that followed in the same thread */
	uint32_t shape;
	uint32_t stack;
	uint64_t obj, stride, jump;
	uint64_t a, step;
	uint64_t b;
};

/* The last location of a thread that is not running. */
struct thread_place {
	uint32_t epoch;
	loc_id loc;
};

#define MEMORY_BITS 12
struct memory_cell {
	uint64_t address, value;
};

struct model {
	uint32_t epoch;
	thr_id thread;
	loc_id loc; /* previous location of this thread; its place is of this epoch */
	stack_id stack;
	uint64_t obj;
	VEC(struct place) places;
	VEC(struct thread_place) thread_places; /* of the other threads */
	/* direct-mapped: a later address takes the cell of an earlier one */
	struct memory_cell *memory;
	uint64_t last_a[256]; /* by kind */
	bool a_is_value[256]; /* by kind: a is content of memory at obj */
	VEC(uint64_t) shapes;
	struct map shape_ids;
};

void model_init(struct model *m);
void model_begin_block(struct model *m, const struct id_limits *limits);
/* in the middle of a block */
void model_more_places(struct model *m, const struct id_limits *limits);
void model_add_shape(struct model *m, uint64_t shape);
void model_release(struct model *m);
void model_switch_thread(struct model *m, thr_id thread);

static inline uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t unzigzag(uint64_t z)
{
	return z >> 1 ^ -(z & 1);
}

static inline struct place *model_place(struct model *m, loc_id loc)
{
	struct place *p = &m->places.at[loc];
	if (p->epoch != m->epoch)
		*p = (struct place){ .epoch = m->epoch, .stack = m->stack, .obj = m->obj };
	return p;
}

/* Move the running thread to a location; location 0 (of a switch, for example) does not move it. */
static inline void model_move(struct model *m, struct place *before, loc_id loc)
{
	if (loc) {
		before->next = loc;
		m->loc = loc;
	}
}

static inline struct memory_cell *model_cell(struct model *m, uint64_t address)
{
	return &m->memory[address * 0x9e3779b97f4a7c15ull >> (64 - MEMORY_BITS)];
}

/* The prediction for a; 0 for kinds whose a is not content of memory. */
static inline uint64_t model_expected_a(struct model *m, unsigned kind, uint64_t obj)
{
	if (!m->a_is_value[kind])
		return 0;
	struct memory_cell *c = model_cell(m, obj);
	return c->address == obj ? c->value : 0;
}

/* The base of the difference in A_FROM_EXPECTED. */
static inline uint64_t model_base_a(struct model *m, unsigned kind, uint64_t expected)
{
	return m->a_is_value[kind] ? expected : m->last_a[kind];
}

static inline uint64_t model_base_b(unsigned kind, uint64_t a, thr_id previous)
{
	return kind == EV_RMW ? a : kind == EV_SWITCH ? previous : 0;
}

/* Update the model after an event.  base_b is its model_base_b(). */
static inline void model_update(struct model *m, struct place *p, const struct event *e,
				uint64_t base_b)
{
	uint64_t jump = e->obj - p->obj;
	if (jump == p->jump)
		p->stride = jump;
	p->jump = jump;
	p->obj = m->obj = e->obj;
	p->step = e->a - p->a;
	p->a = e->a;
	p->b = e->b - base_b;
	p->stack = m->stack = e->stack;
	if (m->a_is_value[e->kind]) {
		bool stored_b = e->kind == EV_RMW && !(e->flags & EVF_FAILED);
		*model_cell(m, e->obj) = (struct memory_cell){ e->obj, stored_b ? e->b : e->a };
	} else {
		m->last_a[e->kind] = e->a;
	}
}

#endif
