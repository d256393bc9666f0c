// SPDX-License-Identifier: Apache-2.0
/*
 * From a trace to a history, in one pass over the trace with its index beside it.  What each kind of event
 * becomes, and why the orders are enough (every execution of the history is one of the program), is in
 * doc/PREDICT.md; here they are in the same order: memory, locks, condition variables, semaphores, barriers,
 * one-time initialisation, threads, the rest.
 */
#include "oracle/from_trace.h"

#include <string.h>
#include <sys/syscall.h>

#include "base/map.h"
#include "oracle/variables.h"
#include "trace/told.h"
#include "trace/trace.h"

/* An object of synchronisation. */
struct object {
	op_id last;		/* operation on it, if all of them keep their order */
	op_id init, change, once_end;
	VEC(op_id) posts, ins, ins_before, reads;
	uint64_t waits, tokens;	/* semaphore: waits so far, and what it had at first */
	uint64_t told;		/* threads that know of the initialisation, as bits */
	bool is_fixed;		/* all its operations keep their order */
	bool has_tokens;	/* tokens is known */
	bool has_pairs;		/* semaphore: after each wait its thread posts, before the next wait */
};

struct thread {
	op_id last, fork, cancel, wait;
	uint32_t number;	/* in the history, plus one; 0: it has done nothing yet */
};

/* A try that failed because of a section that has not ended yet. */
struct failed_try {
	op_id op, acquire;
};

struct reading {
	struct history *h;
	struct history_source *s;
	const struct trace_index *x;
	struct variables variables;
	struct variable_parts parts;
	struct object *objects;
	struct thread *threads;
	op_id *writer;			/* by variable */
	bool *is_written;
	struct map open;		/* lock and thread to acquire */
	VEC(struct failed_try) tries;
	VEC(op_id) frees, destroys;
	op_id input, fork, kill[65];
	bool has_branches;
};

static op_id add(struct reading *r, const struct event *e, enum op_kind kind)
{
	struct thread *t = &r->threads[e->thread];
	if (!t->number)
		t->number = r->h->threads + 1;
	op_id op = history_add(r->h, t->number - 1, kind);
	vec_last(&r->h->ops).event = (uint32_t)e->index;
	t->last = op;
	return op;
}

static void cause(struct reading *r, op_id before, op_id after)
{
	if (before != OP_NONE && before != after && r->h->ops.at[before].thread != r->h->ops.at[after].thread)
		history_add_cause(r->h, before, after);
}

static void order(struct reading *r, op_id before, op_id after)
{
	if (before != OP_NONE && after != OP_NONE &&
	    r->h->ops.at[before].thread != r->h->ops.at[after].thread)
		history_add_order(r->h, before, after);
}

op_id history_op_of(const struct history *h, ev_id event)
{
	size_t low = 0, high = h->ops.len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (h->ops.at[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low < h->ops.len && h->ops.at[low].event == event ? (op_id)low : OP_NONE;
}

/* ---- memory ---- */

/* The value of a part of an access; values do not count any more if it is not known. */
static uint64_t value_of(struct reading *r, const struct event *e, const struct variable_part *p, bool is_new)
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

/* Content that begins out of sight is initial, unless something was written before. */
static bool tells_initial(const struct reading *r, const struct event *e)
{
	for (size_t i = 0; i < r->parts.parts.len; i++)
		if (r->is_written[r->parts.parts.at[i].variable])
			return false;
	return e->kind == EV_INITIAL;
}

static void follow_access(struct reading *r, const struct event *e)
{
	variables_of(&r->variables, &r->x->events[e->index], (ev_id)e->index, &r->parts);
	if (!r->parts.parts.len || tells_initial(r, e))
		return;
	if (e->kind == EV_OUTSIDE_WRITE)
		r->s->assumptions |= HISTORY_OUTSIDE;
	op_id op = add(r, e, OP_ACCESS);
	if (e->kind == EV_RMW)
		r->h->ops.at[op].guard = 0;	/* its own position: see set_guards */
	for (size_t i = 0; i < r->parts.parts.len; i++) {
		const struct variable_part *p = &r->parts.parts.at[i];
		struct op_access *a = history_add_access(r->h, p->variable, is_read(e), is_write(e));
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

/* ---- locks ---- */

static bool is_shared_mode(unsigned mode)
{
	return mode == SYNC_RDLOCK || mode == SYNC_ANNOTATED_SHARED;
}

static uint64_t open_key(uint64_t lock, thr_id thread)
{
	return lock << 20 | thread;
}

static op_id follow_section(struct reading *r, const struct event *e, uint64_t lock, bool is_acquire)
{
	bool is_new;
	uint64_t *open = map_put(&r->open, open_key(lock, e->thread), &is_new);
	if (is_new)
		*open = OP_NONE;
	if (is_acquire ? *open != OP_NONE : *open == OP_NONE)
		return OP_NONE;		/* misuse, of which a failure tells */
	op_id op = add(r, e, is_acquire ? OP_ACQUIRE : OP_RELEASE);
	struct op *o = &r->h->ops.at[op];
	o->lock = (uint32_t)lock;
	o->is_shared = is_shared_mode(e->mode);
	if (is_acquire) {
		*open = op;
		return op;
	}
	o->match = (op_id)*open;
	o->is_shared = r->h->ops.at[o->match].is_shared;
	r->h->ops.at[o->match].match = op;
	*open = OP_NONE;
	return op;
}

static op_id follow_lock(struct reading *r, const struct event *e, uint64_t lock)
{
	bool is_acquire = e->kind == EV_ACQUIRE;
	/* Only the outermost acquire of a recursive lock, and the release that frees it. */
	if (is_acquire ? e->a > 1 : e->a > 0 && e->kind != EV_ORPHAN)
		return OP_NONE;
	return follow_section(r, e, lock, is_acquire);
}

/* A try failed because somebody else held the lock, and so it must be again. */
static op_id follow_failed_try(struct reading *r, const struct event *e, uint64_t lock)
{
	op_id op = add(r, e, OP_OTHER);
	for (thr_id t = 0; t < r->x->threads; t++) {
		uint64_t *open = t == e->thread ? NULL : map_get(&r->open, open_key(lock, t));
		if (!open || *open == OP_NONE)
			continue;
		cause(r, (op_id)*open, op);
		vec_push(&r->tries, ((struct failed_try){ op, (op_id)*open }));
		break;
	}
	return op;
}

/* ---- other objects ---- */

static op_id follow_condition(struct reading *r, const struct event *e)
{
	op_id op = add(r, e, OP_OTHER);
	if (e->kind == EV_WAIT)
		r->threads[e->thread].wait = op;
	if (e->kind == EV_WAKE && r->x->events[e->index].link != EV_NONE) {
		op_id signal = history_op_of(r->h, r->x->events[e->index].link);
		cause(r, signal, op);
		order(r, r->threads[e->thread].wait, signal);
	}
	return op;
}

/*
 * The n-th wait takes what the n-th post gave, after those that were there at first.  A semaphore that begins
 * with one and is given back by who took it is a lock, whose sections may change places.
 */
static op_id follow_semaphore(struct reading *r, const struct event *e, struct object *o, uint64_t number)
{
	if (!o->has_tokens)
		o->tokens = e->kind == EV_SEM_POST ? e->a - 1 : e->a + 1;
	o->has_tokens = true;
	if (o->has_pairs && o->tokens == 1)
		return follow_section(r, e, number, e->kind == EV_SEM_WAIT);
	op_id op = add(r, e, OP_OTHER);
	if (e->kind == EV_SEM_POST) {
		vec_push(&o->posts, op);
	} else {
		if (o->waits >= o->tokens && o->waits - o->tokens < o->posts.len)
			cause(r, o->posts.at[o->waits - o->tokens], op);
		o->waits++;
	}
	return op;
}

/* Rounds stay as they were, and the last one to arrive, who is told so, stays the last. */
static op_id follow_barrier(struct reading *r, const struct event *e, struct object *o)
{
	op_id op = add(r, e, OP_OTHER);
	if (e->kind == EV_BARRIER_OUT) {
		if (r->x->events[e->index].link != EV_NONE)
			cause(r, history_op_of(r->h, r->x->events[e->index].link), op);
		return op;
	}
	for (size_t i = 0; i < o->ins_before.len; i++)
		cause(r, o->ins_before.at[i], op);
	vec_push(&o->ins, op);
	if (e->a)
		return op;
	for (size_t i = 0; i + 1 < o->ins.len; i++)
		cause(r, o->ins.at[i], op);
	o->ins_before.len = 0;
	for (size_t i = 0; i < o->ins.len; i++)
		vec_push(&o->ins_before, o->ins.at[i]);
	o->ins.len = 0;
	return op;
}

/* What libc shares: changes keep their order, and what was read stays between them. */
static op_id follow_hidden(struct reading *r, const struct event *e, struct object *o)
{
	if (e->mode == SYNC_STREAM)
		return OP_NONE;		/* what is printed when steers no thread */
	op_id op = add(r, e, OP_OTHER);
	cause(r, o->change, op);
	if (!e->a) {
		vec_push(&o->reads, op);
		return op;
	}
	for (size_t i = 0; i < o->reads.len; i++)
		order(r, o->reads.at[i], op);
	o->reads.len = 0;
	o->change = op;
	return op;
}

/*
 * An object that is seen for the first time is told, too; its initialisation is no operation of the thread.
 */
static bool is_own_init(const struct reading *r, const struct event *e)
{
	ev_id next = index_next(r->x, (ev_id)e->index);
	return next == EV_NONE || r->x->events[next].obj != e->obj || r->x->events[next].loc != e->loc;
}

static op_id follow_one_object(struct reading *r, const struct event *e, struct object *o, uint64_t number)
{
	switch (e->kind) {
	case EV_ACQUIRE:
	case EV_RELEASE:
	case EV_ORPHAN: return follow_lock(r, e, number);
	case EV_TRY_FAIL: return follow_failed_try(r, e, number);
	case EV_WAIT:
	case EV_WAKE:
	case EV_SIGNAL:
	case EV_BROADCAST: return follow_condition(r, e);
	case EV_SEM_POST:
	case EV_SEM_WAIT: return follow_semaphore(r, e, o, number);
	case EV_BARRIER_IN:
	case EV_BARRIER_OUT: return follow_barrier(r, e, o);
	case EV_HIDDEN: return follow_hidden(r, e, o);
	case EV_SYNC_INIT: return is_own_init(r, e) ? add(r, e, OP_OTHER) : OP_NONE;
	case EV_ONCE_BEGIN:
	case EV_ONCE_END:
	case EV_TIMEOUT:
	case EV_CONSISTENT:
	case EV_SYNC_DESTROY: return add(r, e, OP_OTHER);
	}
	return OP_NONE;
}

static void follow_object(struct reading *r, const struct event *e)
{
	const struct index_list *l = index_object(r->x, e->obj, (ev_id)e->index);
	if (!l)
		return;
	uint64_t number = (uint64_t)(l - r->x->objects);
	struct object *o = &r->objects[number];
	op_id op = follow_one_object(r, e, o, number);
	if (op == OP_NONE)
		return;
	uint64_t bit = e->thread < 64 ? 1ull << e->thread : 0;
	if (!(o->told & bit))
		cause(r, o->init, op);
	o->told |= bit;
	if (o->is_fixed)
		cause(r, o->last, op);
	o->last = op;
	cause(r, o->once_end, op);
	if (e->kind == EV_SYNC_INIT) {
		o->init = op;
		o->told = bit;
	}
	if (e->kind == EV_ONCE_END)
		o->once_end = op;
	if (e->kind == EV_SYNC_DESTROY)
		vec_push(&r->destroys, op);
}

/* ---- threads, the outside ---- */

static void follow_thread(struct reading *r, const struct event *e)
{
	op_id op = add(r, e, OP_OTHER);
	ev_id link = r->x->events[e->index].link;
	if (e->kind == EV_FORK) {
		/* Names and memory of threads depend on the order of their creation. */
		cause(r, r->fork, op);
		r->fork = op;
	}
	if (e->kind == EV_FORK && e->a < r->x->threads)
		r->threads[e->a].fork = op;
	else if (e->kind == EV_BEGIN)
		cause(r, r->threads[e->thread].fork, op);
	else if (e->kind == EV_JOIN && e->a < r->x->threads && link != EV_NONE)
		cause(r, r->threads[e->a].last, op);
	else if (e->kind == EV_CANCEL && e->a < r->x->threads)
		r->threads[e->a].cancel = op;
	else if (e->kind == EV_CANCELLED)
		cause(r, r->threads[e->thread].cancel, op);
}

static void follow_signal(struct reading *r, const struct event *e)
{
	op_id op = add(r, e, OP_OTHER);
	uint64_t signal = e->kind == EV_KILL ? e->b : e->a;
	r->s->assumptions |= HISTORY_SIGNALS;
	if (signal >= sizeof(r->kill) / sizeof(r->kill[0]))
		return;
	if (e->kind == EV_KILL)
		r->kill[signal] = op;
	else
		cause(r, r->kill[signal], op);
}

/* Calls that give out and learn nothing that depends on others. */
static bool is_output(uint64_t call)
{
	switch (call) {
	case SYS_write: case SYS_writev: case SYS_pwrite64: case SYS_sendto: case SYS_sendmsg: case SYS_fstat:
	case SYS_newfstatat: case SYS_getpid: case SYS_gettid: return true;
	}
	return false;
}

static void follow_input(struct reading *r, const struct event *e)
{
	if (is_output(e->b))
		return;
	op_id op = add(r, e, OP_OTHER);
	cause(r, r->input, op);
	r->input = op;
}

static void follow_end(struct reading *r, const struct event *e)
{
	op_id op = add(r, e, OP_OTHER);
	for (thr_id t = 0; t < r->x->threads; t++)
		if (t != e->thread)
			order(r, r->threads[t].last, op);
}

static void follow(struct reading *r, const struct event *e)
{
	switch (e->kind) {
	case EV_READ: case EV_WRITE: case EV_RMW: case EV_FLUSH: case EV_INITIAL: case EV_OUTSIDE_WRITE:
		follow_access(r, e);
		break;
	case EV_FREE: vec_push(&r->frees, add(r, e, OP_OTHER)); break;
	case EV_FORK:
	case EV_BEGIN:
	case EV_END:
	case EV_JOIN:
	case EV_CANCEL:
	case EV_CANCELLED: follow_thread(r, e); break;
	case EV_KILL: case EV_HANDLER_BEGIN: case EV_SIGNAL_TAKEN: follow_signal(r, e); break;
	case EV_INPUT: follow_input(r, e); break;
	case EV_CLOCK: r->s->assumptions |= HISTORY_CLOCK; break;
	case EV_PROCESS_END: follow_end(r, e); break;
	default:
		if (event_shape(e->kind).obj == OPERAND_SYNC)
			follow_object(r, e);
	}
}

/* ---- before and after the pass ---- */

/* Objects whose state somebody has looked at. */
static bool is_looked_at(const struct trace_index *x, const struct index_list *l)
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
		o->is_fixed = is_looked_at(x, &x->objects[i]);
		o->has_pairs = has_pairs(x, &x->objects[i]);
	}
	for (thr_id t = 0; t < x->threads; t++)
		r->threads[t] = (struct thread){ OP_NONE, OP_NONE, OP_NONE, OP_NONE, 0 };
	r->input = r->fork = OP_NONE;
	for (size_t i = 0; i < sizeof(r->kill) / sizeof(r->kill[0]); i++)
		r->kill[i] = OP_NONE;
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
	vec_release(&r->frees);
	vec_release(&r->destroys);
}

/*
 * The last operations of other threads in a list of events, before an operation that ends the life of what
 * they use.
 */
static void order_uses(struct reading *r, const ev_id *events, uint64_t count, op_id end)
{
	const struct op *o = &r->h->ops.at[end];
	uint64_t met = 0;
	for (uint64_t i = count; i-- > 0;) {
		const struct index_event *e = &r->x->events[events[i]];
		if (events[i] >= o->event || e->thread == o->thread)
			continue;
		if (e->kind == EV_SYNC_DESTROY)
			break;
		uint64_t bit = e->thread < 64 ? 1ull << e->thread : 0;
		if (met & bit)
			continue;
		op_id use = history_op_of(r->h, events[i]);
		if (use == OP_NONE)
			continue;
		met |= bit;
		order(r, use, end);
	}
}

/* Blocks are not freed before their last use. */
static void order_free(struct reading *r, op_id free_op)
{
	const struct trace_index *x = r->x;
	ev_id id = r->h->ops.at[free_op].event;
	const struct index_event *f = &x->events[id];
	const struct index_list *l = x->cells, *end = x->cells + x->cell_count;
	for (uint64_t low = 0, high = x->cell_count; low < high;) {
		uint64_t middle = low + (high - low) / 2;
		if (x->cells[middle].address < f->obj / INDEX_CELL * INDEX_CELL)
			l = &x->cells[low = middle + 1];
		else
			high = middle;
	}
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
		for (uint32_t p = o->own + 1; branch != EV_NONE && p < history_length(h, o->thread); p++)
			if (h->ops.at[history_op(h, o->thread, p)].event >= branch) {
				o->guard = p;
				break;
			}
	}
}

static void finish(struct reading *r)
{
	for (size_t i = 0; i < r->tries.len; i++)
		order(r, r->tries.at[i].op, r->h->ops.at[r->tries.at[i].acquire].match);
	for (size_t i = 0; i < r->frees.len; i++)
		order_free(r, r->frees.at[i]);
	for (size_t i = 0; i < r->destroys.len; i++) {
		const struct op *o = &r->h->ops.at[r->destroys.at[i]];
		const struct index_list *l = index_object(r->x, r->x->events[o->event].obj, o->event);
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
	*s = (struct history_source){0};
	struct reading r = { .h = &s->h, .s = s, .x = x };
	struct trace_reader *reader;
	struct event e;
	int rc = trace_reader_open(&reader, trace, err);
	if (rc)
		return rc;
	begin(&r);
	while ((rc = trace_reader_next(reader, &e, err)) == 1 && e.index < x->count)
		follow(&r, &e);
	const char *source = trace_fact(trace_reader_tables(reader), "source");
	r.has_branches = guards == GUARDS_BRANCHES || (source && !strcmp(source, "std") && has_branch_events(x));
	trace_reader_close(reader);
	if (rc >= 0)
		finish(&r);
	release(&r);
	if (rc < 0)
		history_release(&s->h);
	return rc < 0 ? rc : 0;
}
