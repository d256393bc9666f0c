/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of the predicting model; see model.h.  A new block invalidates all entries by a new epoch.
 */
#include "trace/model.h"

#include <string.h>

void model_init(struct model *m)
{
	*m = (struct model){ 0 };
	for (unsigned kind = 0; kind < EV_LIMIT; kind++)
		m->a_is_value[kind] = event_shape(kind).a == OPERAND_VALUE;
}

void model_begin_block(struct model *m, const struct id_limits *limits)
{
	m->epoch++;
	m->thread = 0;
	m->stack = 0;
	m->obj = 0;
	m->shapes.len = 0;
	map_clear(&m->shape_ids);
	if (!m->memory)
		m->memory = mem_alloc(sizeof(*m->memory) << MEMORY_BITS);
	memset(m->memory, 0, sizeof(*m->memory) << MEMORY_BITS);
	memset(m->last_a, 0, sizeof(m->last_a));
	model_more_places(m, limits);
	m->loc = 0;
	model_place(m, 0);
}

/* Entries of epoch 0 count as absent: the first block has epoch 1. */
void model_more_places(struct model *m, const struct id_limits *limits)
{
	vec_grow_zeroed(&m->places, limits->locations);
}

void model_add_shape(struct model *m, uint64_t shape)
{
	*map_put(&m->shape_ids, shape, NULL) = m->shapes.len;
	vec_push(&m->shapes, shape);
}

void model_switch_thread(struct model *m, thr_id thread)
{
	thr_id last = thread > m->thread ? thread : m->thread;
	vec_grow_zeroed(&m->thread_places, last + 1ull);
	m->thread_places.at[m->thread] = (struct thread_place){ .epoch = m->epoch, .loc = m->loc };
	struct thread_place *s = &m->thread_places.at[thread];
	m->loc = s->epoch == m->epoch ? s->loc : 0;
	m->thread = thread;
	model_place(m, m->loc);
}

void model_release(struct model *m)
{
	vec_release(&m->places);
	vec_release(&m->thread_places);
	mem_free(m->memory);
	vec_release(&m->shapes);
	map_release(&m->shape_ids);
}
