/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Candidates for violations of order: a block that is freed, or an object that is destroyed,
 * before another thread's use of it that came first in the trace; an object that is used before
 * its initialisation; memory of a block that is read before its first write.  What must precede
 * the end of the life in every execution (a join, say) is left out.
 *
 * Memory of a block that is not filled with zero has no content before its first write, so a read
 * that can come before that is a bug however both are synchronised: a pointer to an incomplete
 * object has been published.  Reads by functions of libc, and of more than 8
 * bytes, may copy what is never used, and do not count.
 */
#include "oracle/from_trace.h"
#include "predict/finder.h"

#define SECTION_OPERATIONS 100 /* before a write that its section may have begun */

/* false if there are enough of these places. */
static bool add(struct finder *f, enum finding_kind kind, op_id use, op_id end)
{
	loc_id places[2] = { finder_place(f, use), finder_place(f, end) };
	struct candidate *c = finder_add(f, kind, finder_key(kind, places, 2, false));
	if (!c)
		return false;
	c->distance = use < end ? end - use : use - end;
	vec_push(&c->ops, use);
	vec_push(&c->ops, end);
	vec_push(&c->pending, use);
	if (kind == FINDING_ORDER)
		vec_push(&c->pending, end);
	else
		vec_push(&c->include, end);
	return true;
}

/*
 * The same with the first write's thread before the critical section of that write: the read may
 * be in a section of the same lock.
 */
static void add_before_section(struct finder *f, op_id use, op_id write)
{
	const struct op *o = &f->h->ops.at[write];
	op_id start = OP_NONE;
	for (uint32_t p = o->own; p-- > 0 && o->own - p <= SECTION_OPERATIONS;) {
		op_id id = history_op(f->h, o->thread, p);
		const struct op *x = &f->h->ops.at[id];
		if (x->kind == OP_ACQUIRE && (x->match == OP_NONE || x->match > write))
			start = id;
	}
	if (start == OP_NONE)
		return;
	struct candidate *c = finder_add_way(f);
	vec_push(&c->ops, use);
	vec_push(&c->ops, write);
	vec_push(&c->pending, use);
	vec_push(&c->pending, start);
}

/* Uses by other threads before an operation that ends the life of what is used. */
static void look_back(struct finder *f, enum finding_kind kind, const ev_id *events, uint64_t count,
		      op_id end, const uint32_t *clock)
{
	const struct op *o = &f->h->ops.at[end];
	for (uint64_t i = 0; i < count && events[i] < o->event && !finder_is_over(f); i++) {
		op_id use = history_op_of(f->h, events[i]);
		if (use == OP_NONE || f->h->ops.at[use].thread == o->thread ||
		    f->h->ops.at[use].own < clock[f->h->ops.at[use].thread])
			continue;
		uint8_t what = finder_event(f, use)->kind;
		if (what == EV_INITIAL || what == EV_OUTSIDE_WRITE || what == EV_SYNC_INIT ||
		    what == EV_SYNC_DESTROY)
			continue;
		add(f, kind, use, end);
	}
}

static void look_at_free(struct finder *f, op_id id, const uint32_t *clock)
{
	const struct trace_index *x = f->x;
	const struct index_event *e = finder_event(f, id);
	ev_id at = f->h->ops.at[id].event;
	uint64_t cell = index_first_cell(x, e->obj);
	for (; at && cell < x->cell_count && x->cells[cell].address < e->obj + e->size; cell++)
		if (index_cell(x, x->cells[cell].address, at - 1) == &x->cells[cell])
			look_back(f, FINDING_USE_AFTER_FREE, x->cell_events + x->cells[cell].first,
				  x->cells[cell].count, id, clock);
}

/* The first use of an object by each other thread after its initialisation. */
static void look_at_init(struct finder *f, op_id id)
{
	const struct op *o = &f->h->ops.at[id];
	const struct index_list *l = index_object(f->x, finder_event(f, id)->obj, o->event);
	uint64_t met = 0;
	for (uint64_t i = 0; l && i < l->count; i++) {
		ev_id event = f->x->object_events[l->first + i];
		op_id use = event > o->event ? history_op_of(f->h, event) : OP_NONE;
		if (use == OP_NONE || f->h->ops.at[use].thread == o->thread)
			continue;
		if (finder_event(f, use)->kind == EV_SYNC_INIT ||
		    finder_event(f, use)->kind == EV_SYNC_DESTROY)
			return;
		uint32_t thread = f->h->ops.at[use].thread;
		uint64_t bit = thread < 64 ? 1ull << thread : 0;
		if (!(met & bit))
			add(f, FINDING_ORDER, use, id);
		met |= bit;
	}
}

/* Whether an event is the first to write these bytes since their block was allocated, without
 * content. */
static bool is_first_content(const struct finder *f, ev_id write, const struct index_event *read)
{
	const struct trace_index *x = f->x;
	const struct index_list *l = index_cell(x, read->obj / INDEX_CELL * INDEX_CELL, write);
	if (!l || l->since == EVENT_NONE || x->events[l->since].kind != EV_ALLOC ||
	    x->events[l->since].flags & EVF_ZERO)
		return false;
	for (uint64_t i = 0; i < l->count; i++) {
		ev_id id = x->cell_events[l->first + i];
		const struct index_event *e = &x->events[id];
		bool overlaps = e->obj < read->obj + read->size && read->obj < e->obj + e->size;
		if (overlaps && e->kind != EV_READ)
			return id == write;
	}
	return false;
}

/* A read of what another thread wrote first. */
static void look_at_read(struct finder *f, op_id id, const uint32_t *clock)
{
	const struct history *h = f->h;
	const struct op *o = &h->ops.at[id];
	const struct index_event *e = finder_event(f, id);
	if (e->kind != EV_READ || o->accesses != 1 || e->flags & EVF_LIBC || e->size > INDEX_CELL)
		return;
	op_id write = h->accesses.at[o->first_access].seen;
	if (write == OP_NONE || h->ops.at[write].thread == o->thread ||
	    h->ops.at[write].own < clock[h->ops.at[write].thread] ||
	    finder_event(f, write)->kind != EV_WRITE)
		return;
	if (is_first_content(f, h->ops.at[write].event, e) && add(f, FINDING_ORDER, id, write))
		add_before_section(f, id, write);
}

void find_lifetimes(struct finder *f)
{
	struct must must;
	must_init(&must, f->h);
	for (op_id id = 0; id < f->h->ops.len && !finder_is_over(f); id++) {
		const uint32_t *clock = must_step(&must, id);
		const struct index_event *e = finder_event(f, id);
		if (e->kind == EV_FREE)
			look_at_free(f, id, clock);
		else if (e->kind == EV_SYNC_INIT)
			look_at_init(f, id);
		else
			look_at_read(f, id, clock);
		const struct index_list *l =
			e->kind == EV_SYNC_DESTROY
				? index_object(f->x, e->obj, f->h->ops.at[id].event)
				: NULL;
		if (l)
			look_back(f, FINDING_LOCK_MISUSE, f->x->object_events + l->first, l->count,
				  id, clock);
	}
	must_release(&must);
}
