/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding variables.  The index has the accesses to each cell of memory.  A cell matters if two
 * threads use it and one of them writes, or if one thread uses it and another frees it.  Its
 * bytes are divided where accesses begin and end, so that an access covers a variable completely
 * or not at all.
 */
#include "oracle/variables.h"

static bool is_write(const struct index_event *e)
{
	return e->kind == EV_WRITE || e->kind == EV_FLUSH || e->kind == EV_OUTSIDE_WRITE ||
	       (e->kind == EV_RMW && !(e->flags & EVF_FAILED));
}

static bool is_shared(const struct trace_index *x, const struct index_list *l)
{
	const ev_id *at = x->cell_events + l->first;
	bool has_write = false, has_two = false;
	for (uint64_t i = 0; i < l->count; i++) {
		const struct index_event *e = &x->events[at[i]];
		has_write |= is_write(e);
		has_two |= e->thread != x->events[at[0]].thread;
	}
	return has_write && has_two;
}

static void divide(struct variables *v, uint64_t cell)
{
	const struct index_list *l = &v->x->cells[cell];
	struct cell_variables *c = &v->cells[cell];
	bool begins[INDEX_CELL + 1] = { false };
	for (uint64_t i = 0; i < l->count; i++) {
		const struct index_event *e = &v->x->events[v->x->cell_events[l->first + i]];
		uint64_t from = e->obj > l->address ? e->obj - l->address : 0,
			 to = e->obj + e->size - l->address;
		begins[from] = true;
		begins[to < INDEX_CELL ? to : INDEX_CELL] = true;
	}
	c->first = v->count++;
	for (unsigned b = 1; b < INDEX_CELL; b++) {
		v->count += begins[b];
		c->of_byte[b] = (uint8_t)(v->count - 1 - c->first);
	}
}

/* Cells of a freed block that another thread than the one that frees it has used. */
static void mark_freed(struct variables *v, ev_id id)
{
	const struct trace_index *x = v->x;
	const struct index_event *f = &x->events[id];
	for (uint64_t at = f->obj / INDEX_CELL * INDEX_CELL; at < f->obj + f->size;) {
		uint64_t first = index_first_cell(x, at);
		if (first == x->cell_count || x->cells[first].address >= f->obj + f->size)
			return;
		at = x->cells[first].address;
		const struct index_list *l = index_cell(x, at, id - 1);
		for (uint64_t i = 0; l && i < l->count; i++) {
			const struct index_event *e = &x->events[x->cell_events[l->first + i]];
			if (e->thread != f->thread && (l->since == EVENT_NONE || l->since < id))
				v->cells[l - x->cells].first = 0;
		}
		at += INDEX_CELL;
	}
}

void variables_init(struct variables *v, const struct trace_index *x)
{
	*v = (struct variables){ .x = x };
	v->cells = mem_alloc((x->cell_count + 1) * sizeof(*v->cells));
	for (uint64_t i = 0; i < x->cell_count; i++)
		v->cells[i] = (struct cell_variables){ .first = is_shared(x, &x->cells[i])
									? 0
									: VARIABLE_NONE };
	for (uint64_t i = 1; i < x->count; i++)
		if (x->events[i].kind == EV_FREE)
			mark_freed(v, (ev_id)i);
	for (uint64_t i = 0; i < x->cell_count; i++)
		if (v->cells[i].first != VARIABLE_NONE)
			divide(v, i);
}

void variables_release(struct variables *v)
{
	mem_free(v->cells);
	*v = (struct variables){ 0 };
}

void variables_of(const struct variables *v, const struct index_event *e, ev_id at,
		  struct variable_parts *out)
{
	out->parts.len = 0;
	for (uint64_t address = e->obj, end = e->obj + e->size; address < end;) {
		uint64_t next = (address / INDEX_CELL + 1) * INDEX_CELL;
		const struct index_list *l =
			index_cell(v->x, address / INDEX_CELL * INDEX_CELL, at);
		const struct cell_variables *c = l ? &v->cells[l - v->x->cells] : NULL;
		for (; address < end && address < next; address++) {
			if (!c || c->first == VARIABLE_NONE)
				continue;
			uint32_t variable = c->first + c->of_byte[address % INDEX_CELL];
			struct variable_part *last = out->parts.len ? &vec_last(&out->parts) : NULL;
			if (last && last->variable == variable &&
			    last->offset + last->size == address - e->obj)
				last->size++;
			else
				vec_push(&out->parts,
					 ((struct variable_part){ variable, address - e->obj, 1 }));
		}
	}
}
