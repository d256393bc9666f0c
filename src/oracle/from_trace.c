/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a trace to a history, in one pass over the trace and its index.  doc/internals/PREDICT.md
 * describes what each kind of event becomes, and why the orders suffice (every execution of the
 * history is one of the program).  Memory is handled here, synchronisation and the rest in
 * trace_sync.c.
 */
#include "oracle/from_trace.h"

#include <string.h>

#include "base/search.h"
#include "base/stop.h"
#include "wire/fault.h"
#include "oracle/reading.h"
#include "trace/std.h"
#include "trace/known.h"
#include "trace/trace.h"

op_id reading_add(struct reading *r, const struct event *e, enum op_kind kind)
{
	struct thread *t = &r->threads[e->thread];
	bool is_first = !t->number;
	if (is_first)
		t->number = r->h->threads + 1;
	op_id op = history_add(r->h, t->number - 1, kind);
	vec_last(&r->h->ops).event = (uint32_t)e->index;
	t->last = op;
	/* Traces of other tools may have no begin.  The first event of a thread is after its
	 * creation. */
	if (FAULT(FIRST_EVENT_WITHOUT_FORK))
		return op;
	if (is_first)
		reading_cause(r, t->fork, op);
	return op;
}

void reading_cause(struct reading *r, op_id before, op_id after)
{
	if (before != OP_NONE && before != after &&
	    r->h->ops.at[before].thread != r->h->ops.at[after].thread)
		history_add_cause(r->h, before, after);
}

void reading_order(struct reading *r, op_id before, op_id after)
{
	if (before != OP_NONE && after != OP_NONE &&
	    r->h->ops.at[before].thread != r->h->ops.at[after].thread)
		history_add_order(r->h, before, after);
}

op_id history_op_of(const struct history *h, ev_id event)
{
	size_t low = partition_point(h->ops.len, i, h->ops.at[i].event < event);
	return low < h->ops.len && h->ops.at[low].event == event ? (op_id)low : OP_NONE;
}

/* ---- memory ---- */

/* The value of a part of an access.  If it is unknown, the history has no values. */
static uint64_t value_of(struct reading *r, const struct event *e, const struct variable_part *p,
			 bool is_new)
{
	unsigned char small[8];
	const unsigned char *bytes = event_bytes(e, is_new, small);
	uint64_t value = 0;
	if (bytes && p->size <= sizeof(value))
		memcpy(&value, bytes + p->offset, p->size);
	else
		r->h->has_values = false;
	return value;
}

static bool is_read(const struct event *e)
{
	return e->kind == EV_READ || e->kind == EV_RMW;
}

static bool is_write(const struct event *e)
{
	return e->kind != EV_READ && !(e->kind == EV_RMW && e->flags & EVF_FAILED);
}

/* Whether the event gives the initial content of variables that were not written before. */
static bool is_initial(const struct reading *r, const struct event *e)
{
	for (size_t i = 0; i < r->parts.parts.len; i++)
		if (r->is_written[r->parts.parts.at[i].variable])
			return false;
	return e->kind == EV_INITIAL;
}

static void follow_access(struct reading *r, const struct event *e)
{
	variables_of(&r->variables, &r->x->events[e->index], (ev_id)e->index, &r->parts);
	if (!r->parts.parts.len || is_initial(r, e))
		return;
	if (e->kind == EV_OUTSIDE_WRITE)
		r->s->assumptions |= HISTORY_OUTSIDE;
	op_id op = reading_add(r, e, OP_ACCESS);
	if (e->kind == EV_RMW)
		r->h->ops.at[op].guard = 0; /* set_guards() makes it its own position */
	for (size_t i = 0; i < r->parts.parts.len; i++) {
		const struct variable_part *p = &r->parts.parts.at[i];
		struct op_access *a =
			history_add_access(r->h, p->variable, is_read(e), is_write(e));
		if (a->reads) {
			a->seen = r->writer[p->variable];
			a->value = value_of(r, e, p, false);
		}
		if (a->writes) {
			a->written = value_of(r, e, p, e->kind == EV_RMW);
			r->writer[p->variable] = op;
			r->is_written[p->variable] = true;
		}
	}
}

static void follow(struct reading *r, const struct event *e)
{
	switch ((enum event_kind)e->kind) {
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
	case EV_FLUSH:
	case EV_INITIAL:
	case EV_OUTSIDE_WRITE:
		follow_access(r, e);
		break;
	case EV_FREE:
		vec_push(&r->frees, reading_add(r, e, OP_OTHER));
		break;
	case EV_FORK:
	case EV_BEGIN:
	case EV_END:
	case EV_JOIN:
	case EV_CANCEL:
	case EV_CANCELLED:
		reading_follow_thread(r, e);
		break;
	case EV_KILL:
	case EV_HANDLER_BEGIN:
	case EV_SIGNAL_TAKEN:
		reading_follow_signal(r, e);
		break;
	case EV_INPUT:
		reading_follow_input(r, e);
		break;
	case EV_CLOCK:
		r->s->assumptions |= HISTORY_CLOCK;
		break;
	case EV_PROCESS_END:
		reading_follow_end(r, e);
		break;
#define SYNC_ON_OBJECT(NAME, ...) case EV_##NAME:
#include "wire/sync.def"
		reading_follow_object(r, e);
		break;
	/* Fences order nothing in a recording that is sequentially consistent, and what stays the
	 * same in all executions of the history needs no operation. */
	case EV_FENCE:
	case EV_ALLOC:
	case EV_RESIZE:
	case EV_DETACH:
	case EV_JOIN_WAIT:
	case EV_ANNOTATION:
	case EV_ASSUME:
	case EV_FAILURE:
	case EV_BRANCH:
	case EV_SWITCH:
	case EV_YIELD:
	case EV_SLEEP:
	case EV_OPEN:
	case EV_USE:
	case EV_CLOSE:
	case EV_METHOD_BEGIN:
	case EV_METHOD_END:
	case EV_CHOICE:
	case EV_THREAD_NAME:
	case EV_HANDLER_END:
	case EV_INPUT_DATA:
	case EV_IO_WAIT:
	case EV_IO_TIME:
	case EV_THROW:
	case EV_CATCH:
	case EV_FLUSH_TURN:
	case EV_FRAME_LEFT:
	case EV_AWAIT:
		break;
	}
}

/* ---- before and after the pass ---- */

/* Whether a thread has observed the state of the object, by a timeout, a failed try or a futex. */
static bool is_observed(const struct trace_index *x, const struct index_list *l)
{
	for (uint64_t i = 0; i < l->count; i++) {
		const struct index_event *e = &x->events[x->object_events[l->first + i]];
		bool is_sem = e->mode == SYNC_SEMAPHORE;
		if (e->kind == EV_TIMEOUT || e->mode == SYNC_FUTEX ||
		    (is_sem && (e->kind == EV_TRY_FAIL || e->kind == EV_HIDDEN)))
			return true;
	}
	return false;
}

static bool has_pairs(const struct trace_index *x, const struct index_list *l)
{
	const struct index_event *wait = NULL;
	for (uint64_t i = 0; i < l->count; i++) {
		const struct index_event *e = &x->events[x->object_events[l->first + i]];
		if (e->kind == EV_SEM_WAIT && wait)
			return false;
		if (e->kind == EV_SEM_POST && (!wait || wait->thread != e->thread))
			return false;
		if (e->kind == EV_SEM_WAIT || e->kind == EV_SEM_POST)
			wait = e->kind == EV_SEM_WAIT ? e : NULL;
	}
	return true;
}

static void begin(struct reading *r)
{
	const struct trace_index *x = r->x;
	variables_init(&r->variables, x);
	r->objects = mem_zero(x->object_count + 1, sizeof(*r->objects));
	r->threads = mem_zero(x->threads + 1ull, sizeof(*r->threads));
	r->writer = mem_alloc((r->variables.count + 1ull) * sizeof(*r->writer));
	r->is_written = mem_zero(r->variables.count + 1ull, sizeof(*r->is_written));
	r->h->variables = r->variables.count;
	r->h->locks = (uint32_t)x->object_count;
	r->h->has_values = true;
	for (uint32_t i = 0; i < r->variables.count; i++)
		r->writer[i] = OP_NONE;
	for (uint64_t i = 0; i < x->object_count; i++) {
		struct object *o = &r->objects[i];
		o->last = o->init = o->change = o->once_end = OP_NONE;
		o->is_fixed = is_observed(x, &x->objects[i]);
		o->has_pairs = has_pairs(x, &x->objects[i]);
	}
	for (thr_id t = 0; t < x->threads; t++)
		r->threads[t] = (struct thread){ OP_NONE, OP_NONE, OP_NONE, OP_NONE, 0 };
	r->input = OP_NONE;
}

static void release(struct reading *r)
{
	for (uint64_t i = 0; i < r->x->object_count; i++) {
		struct object *o = &r->objects[i];
		vec_release(&o->posts);
		vec_release(&o->ins);
		vec_release(&o->ins_before);
		vec_release(&o->reads);
	}
	variables_release(&r->variables);
	vec_release(&r->parts.parts);
	mem_free(r->objects);
	mem_free(r->threads);
	mem_free(r->writer);
	mem_free(r->is_written);
	map_release(&r->open);
	vec_release(&r->tries);
	vec_release(&r->sent);
	vec_release(&r->frees);
	vec_release(&r->destroys);
}

/*
 * Order the last operation of each other thread in a list of events before an operation that ends
 * the lifetime of the object.
 */
static void order_uses(struct reading *r, const ev_id *events, uint64_t count, op_id end)
{
	const struct op *o = &r->h->ops.at[end];
	uint64_t seen = 0; /* threads whose last operation is ordered, as bits */
	for (uint64_t i = count; i-- > 0;) {
		const struct index_event *e = &r->x->events[events[i]];
		if (events[i] >= o->event || e->thread == o->thread)
			continue;
		if (e->kind == EV_SYNC_DESTROY)
			break;
		uint64_t bit = e->thread < 64 ? 1ull << e->thread : 0;
		if (seen & bit)
			continue;
		op_id use = history_op_of(r->h, events[i]);
		if (use == OP_NONE)
			continue;
		seen |= bit;
		reading_order(r, use, end);
	}
}

/* A free comes after the last uses of the block. */
static void order_free(struct reading *r, op_id free_op)
{
	const struct trace_index *x = r->x;
	ev_id id = r->h->ops.at[free_op].event;
	const struct index_event *f = &x->events[id];
	const struct index_list *l = x->cells + index_first_cell(x, f->obj);
	const struct index_list *end = x->cells + x->cell_count;
	for (; l < end && l->address < f->obj + f->size; l++)
		if (r->variables.cells[l - x->cells].first != VARIABLE_NONE && id &&
		    index_cell(x, l->address, id - 1) == l)
			order_uses(r, x->cell_events + l->first, l->count, free_op);
}

static void set_guards(struct reading *r)
{
	struct history *h = r->h;
	for (op_id id = 0; id < h->ops.len; id++) {
		struct op *o = &h->ops.at[id];
		if (o->kind != OP_ACCESS)
			continue;
		if (o->guard != GUARD_NEVER) {
			o->guard = o->own;
			continue;
		}
		ev_id branch = r->x->events[o->event].branch;
		if (!r->has_branches) {
			o->guard = o->own + 1;
			continue;
		}
		for (uint32_t p = o->own + 1;
		     branch != EVENT_NONE && p < history_length(h, o->thread); p++)
			if (h->ops.at[history_op(h, o->thread, p)].event >= branch) {
				o->guard = p;
				break;
			}
	}
}

static void finish(struct reading *r)
{
	for (size_t i = 0; i < r->tries.len; i++)
		reading_order(r, r->tries.at[i].op, r->h->ops.at[r->tries.at[i].acquire].match);
	for (size_t i = 0; i < r->frees.len; i++)
		order_free(r, r->frees.at[i]);
	for (size_t i = 0; i < r->destroys.len; i++) {
		const struct op *o = &r->h->ops.at[r->destroys.at[i]];
		const struct index_list *l =
			index_object(r->x, r->x->events[o->event].obj, o->event);
		if (l)
			order_uses(r, r->x->object_events + l->first, l->count, r->destroys.at[i]);
	}
	history_finish(r->h);
	set_guards(r);
	if (r->has_branches)
		r->s->assumptions |= HISTORY_BRANCHES;
}

static bool has_branch_events(const struct trace_index *x)
{
	for (uint64_t i = 0; i < x->count; i++)
		if (x->events[i].kind == EV_BRANCH)
			return true;
	return false;
}

int history_from_trace(struct history_source *s, const char *trace, const struct trace_index *x,
		       enum history_guards guards, struct err *err)
{
	*s = (struct history_source){ 0 };
	struct reading r = { .h = &s->h, .s = s, .x = x };
	struct event e;
	uint32_t rounds = 0;
	int rc = trace_reader_open(&s->reader, trace, err);
	if (rc)
		return rc;
	begin(&r);
	while ((rc = trace_reader_next(s->reader, &e, err)) == 1 && e.index < x->count) {
		follow(&r, &e);
		if (stop_is_requested_sampled(&rounds)) {
			rc = err_set(err, ERR_STOPPED, "stopped while the trace was read");
			break;
		}
	}
	r.has_branches = guards == GUARDS_BRANCHES ||
			 (std_is_source(trace_reader_tables(s->reader)) && has_branch_events(x));
	if (rc >= 0)
		finish(&r);
	release(&r);
	if (rc < 0)
		history_source_release(s);
	return rc < 0 ? rc : 0;
}

void history_source_release(struct history_source *s)
{
	history_release(&s->h);
	if (s->reader)
		trace_reader_close(s->reader);
	s->reader = NULL;
}
