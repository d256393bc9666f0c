/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synchronisation, threads, signals and input, from events to operations and orders.
 * doc/internals/PREDICT.md explains why the orders suffice, in the same order: locks, condition
 * variables, semaphores, barriers, hidden objects of libc, threads, signals, input, the end.
 */
#include "oracle/reading.h"

#include <sys/syscall.h>

#include "wire/kinds.h"
#include "wire/sync.h"

/* ---- locks ---- */

static uint64_t open_key(uint64_t lock, thr_id thread)
{
	return lock << 20 | thread;
}

static op_id follow_section(struct reading *r, const struct event *e, uint64_t lock,
			    bool is_acquire)
{
	bool is_new;
	uint64_t *open = map_put(&r->open, open_key(lock, e->thread), &is_new);
	if (is_new)
		*open = OP_NONE;
	if (is_acquire ? *open != OP_NONE : *open == OP_NONE)
		return OP_NONE; /* misuse, reported by a failure event */
	op_id op = reading_add(r, e, is_acquire ? OP_ACQUIRE : OP_RELEASE);
	struct op *o = &r->h->ops.at[op];
	o->lock = (uint32_t)lock;
	o->is_shared = sync_is_shared(e->mode);
	o->gives_up = is_acquire && e->b;
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

/* A try failed because another thread held the lock.  In every execution it must be held again. */
static op_id follow_failed_try(struct reading *r, const struct event *e, uint64_t lock)
{
	op_id op = reading_add(r, e, OP_OTHER);
	for (thr_id t = 0; t < r->x->threads; t++) {
		uint64_t *open = t == e->thread ? NULL : map_get(&r->open, open_key(lock, t));
		if (!open || *open == OP_NONE)
			continue;
		reading_cause(r, (op_id)*open, op);
		vec_push(&r->tries, ((struct failed_try){ op, (op_id)*open }));
		break;
	}
	return op;
}

/* ---- other objects ---- */

static op_id follow_condition(struct reading *r, const struct event *e)
{
	op_id op = reading_add(r, e, OP_OTHER);
	r->h->ops.at[op].gives_up = e->kind == EV_WAIT && e->b;
	if (e->kind == EV_WAIT)
		r->threads[e->thread].wait = op;
	if (e->kind == EV_WAKE && r->x->events[e->index].link != EVENT_NONE) {
		op_id signal = history_op_of(r->h, r->x->events[e->index].link);
		reading_cause(r, signal, op);
		reading_order(r, r->threads[e->thread].wait, signal);
	}
	return op;
}

/*
 * The n-th wait takes the token of the n-th post, after the initial tokens.  A semaphore with one
 * initial token, where each wait is followed by a post of the same thread, is a lock, so its
 * sections may be reordered.
 */
static op_id follow_semaphore(struct reading *r, const struct event *e, struct object *o,
			      uint64_t number)
{
	if (!o->has_tokens)
		o->tokens = e->kind == EV_SEM_POST ? e->a - 1 : e->a + 1;
	o->has_tokens = true;
	if (o->has_pairs && o->tokens == 1)
		return follow_section(r, e, number, e->kind == EV_SEM_WAIT);
	op_id op = reading_add(r, e, OP_OTHER);
	if (e->kind == EV_SEM_POST) {
		vec_push(&o->posts, op);
	} else {
		if (o->waits >= o->tokens && o->waits - o->tokens < o->posts.len)
			reading_cause(r, o->posts.at[o->waits - o->tokens], op);
		o->waits++;
	}
	return op;
}

/* Rounds stay the same, and the last thread to arrive, which gets a special result, stays the last.
 */
static op_id follow_barrier(struct reading *r, const struct event *e, struct object *o)
{
	op_id op = reading_add(r, e, OP_OTHER);
	if (e->kind == EV_BARRIER_OUT) {
		if (r->x->events[e->index].link != EVENT_NONE)
			reading_cause(r, history_op_of(r->h, r->x->events[e->index].link), op);
		return op;
	}
	for (size_t i = 0; i < o->ins_before.len; i++)
		reading_cause(r, o->ins_before.at[i], op);
	vec_push(&o->ins, op);
	if (e->a)
		return op;
	for (size_t i = 0; i + 1 < o->ins.len; i++)
		reading_cause(r, o->ins.at[i], op);
	o->ins_before.len = 0;
	for (size_t i = 0; i < o->ins.len; i++)
		vec_push(&o->ins_before, o->ins.at[i]);
	o->ins.len = 0;
	return op;
}

/* Hidden objects of libc: changes keep their order, and reads stay between the same changes. */
static op_id follow_hidden(struct reading *r, const struct event *e, struct object *o)
{
	if (e->mode == SYNC_STREAM)
		return OP_NONE; /* the order of output does not affect threads */
	op_id op = reading_add(r, e, OP_OTHER);
	reading_cause(r, o->change, op);
	if (!e->a) {
		vec_push(&o->reads, op);
		return op;
	}
	for (size_t i = 0; i < o->reads.len; i++)
		reading_order(r, o->reads.at[i], op);
	o->reads.len = 0;
	o->change = op;
	return op;
}

/*
 * The runtime also emits an init event when it first sees an object.  Such an event is not an
 * operation of the thread.
 */
static bool is_own_init(const struct reading *r, const struct event *e)
{
	ev_id next = index_next(r->x, (ev_id)e->index);
	/* An explicit initialisation is followed by a write of the object. */
	return next == EVENT_NONE || r->x->events[next].obj != e->obj ||
	       r->x->events[next].loc != e->loc ||
	       event_shape(r->x->events[next].kind).obj != OPERAND_SYNC;
}

/*
 * An event whose operand is a synchronisation object.  A request or an ask has no effect: what
 * comes of it is an event of its own.
 */
static op_id follow_one_object(struct reading *r, const struct event *e, struct object *o,
			       uint64_t number)
{
	switch ((enum event_kind)e->kind) {
	case EV_ACQUIRE:
	case EV_RELEASE:
	case EV_ORPHAN:
		return follow_lock(r, e, number);
	case EV_TRY_FAIL:
		return follow_failed_try(r, e, number);
	CASES_OF_CONDITIONS:
		return follow_condition(r, e);
	CASES_OF_SEMAPHORES:
		return follow_semaphore(r, e, o, number);
	CASES_OF_BARRIERS:
		return follow_barrier(r, e, o);
	case EV_HIDDEN:
		return follow_hidden(r, e, o);
	case EV_SYNC_INIT:
		return is_own_init(r, e) ? reading_add(r, e, OP_OTHER) : OP_NONE;
	CASES_OF_ONCE:
	case EV_TIMEOUT:
	case EV_CONSISTENT:
	case EV_SYNC_DESTROY:
		return reading_add(r, e, OP_OTHER);
	case EV_REQUEST:
	case EV_ASK:
#define SYNC_ON_OBJECT(...)
#define SYNC_EVENT(NAME, ...) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
	return OP_NONE;
}

void reading_follow_object(struct reading *r, const struct event *e)
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
	if (!(o->ordered & bit))
		reading_cause(r, o->init, op);
	o->ordered |= bit;
	if (o->is_fixed)
		reading_cause(r, o->last, op);
	o->last = op;
	reading_cause(r, o->once_end, op);
	if (e->kind == EV_SYNC_INIT) {
		o->init = op;
		o->ordered = bit;
	}
	if (e->kind == EV_ONCE_END)
		o->once_end = op;
	if (e->kind == EV_SYNC_DESTROY)
		vec_push(&r->destroys, op);
}

/* ---- threads, signals and input ---- */

/* A join comes after all operations of the thread; if it has none, after its creation. */
static void follow_join(struct reading *r, op_id join, const struct thread *joined, ev_id link)
{
	if (link != EVENT_NONE && joined->last != OP_NONE)
		reading_cause(r, joined->last, join);
	else if (!joined->number)
		reading_cause(r, joined->fork, join);
}

void reading_follow_thread(struct reading *r, const struct event *e)
{
	op_id op = reading_add(r, e, OP_OTHER);
	ev_id link = r->x->events[e->index].link;
	r->h->ops.at[op].gives_up = e->kind == EV_JOIN && e->b;
	if (e->kind == EV_FORK && e->a < r->x->threads)
		r->threads[e->a].fork = op;
	else if (e->kind == EV_JOIN && e->a < r->x->threads)
		follow_join(r, op, &r->threads[e->a], link);
	else if (e->kind == EV_CANCEL && e->a < r->x->threads)
		r->threads[e->a].cancel = op;
	else if (e->kind == EV_CANCELLED)
		reading_cause(r, r->threads[e->thread].cancel, op);
}

/*
 * A handler runs at the position that its thread has reached when the signal arrives.  So the
 * thread's last operation before the kill must come before the kill.  What the thread did between
 * kill and handler (the signal was blocked) does not depend on the kill.
 */
static void keep_place(struct reading *r, op_id kill, op_id handler)
{
	for (op_id id = kill; id-- > 0;)
		if (r->h->ops.at[id].thread == r->h->ops.at[handler].thread) {
			reading_cause(r, id, kill);
			return;
		}
}

/*
 * Signals are sent to a thread, or to the process, where any thread may take them.  A handler is
 * ordered after all matching signals that were sent and not taken.  Standard signals are then all
 * taken at once; real-time signals (from 32 on) are queued.
 */
void reading_follow_signal(struct reading *r, const struct event *e)
{
	op_id op = reading_add(r, e, OP_OTHER);
	r->s->assumptions |= HISTORY_SIGNALS;
	if (e->kind == EV_KILL) {
		vec_push(&r->sent, ((struct sent){ op, e->b, e->a }));
		return;
	}
	size_t kept = 0;
	bool is_taken = false;
	for (size_t i = 0; i < r->sent.len; i++) {
		struct sent *s = &r->sent.at[i];
		bool is_meant = s->signal == e->a && (!s->to || s->to == e->thread + 1ull);
		if (is_meant)
			reading_cause(r, s->op, op);
		if (is_meant && e->kind == EV_HANDLER_BEGIN)
			keep_place(r, s->op, op);
		if (!is_meant || (is_taken && e->a >= 32))
			r->sent.at[kept++] = *s;
		is_taken |= is_meant;
	}
	r->sent.len = kept;
}

/* Calls whose result does not depend on other threads. */
static bool is_question(uint64_t call)
{
	switch (call) {
	case SYS_fstat:
	case SYS_newfstatat:
	case SYS_getpid:
	case SYS_gettid:
		return true;
	}
	return false;
}

static bool is_output(uint64_t call)
{
	switch (call) {
	case SYS_write:
	case SYS_writev:
	case SYS_pwrite64:
	case SYS_sendto:
	case SYS_sendmsg:
		return true;
	}
	return false;
}

/* Calls that give a descriptor by which one thread may read what another one writes. */
static bool makes_channel(uint64_t call)
{
	switch (call) {
	case SYS_open:
	case SYS_openat:
	case SYS_openat2:
	case SYS_creat:
	case SYS_pipe:
	case SYS_pipe2:
	case SYS_socket:
	case SYS_socketpair:
	case SYS_accept:
	case SYS_accept4:
	case SYS_eventfd:
	case SYS_eventfd2:
	case SYS_memfd_create:
		return true;
	}
	return false;
}

/*
 * What a read gives, and whether it may continue, depends on all calls before it, since the trace
 * does not say which of them were about the same descriptor.  So calls keep their order.  Output
 * is left out as long as the program has made no descriptor: it then goes to those that it began
 * with, and no thread depends on what is printed when.
 */
void reading_follow_input(struct reading *r, const struct event *e)
{
	r->has_channels |= makes_channel(e->b) && (int64_t)e->a >= 0;
	if (is_question(e->b) || (is_output(e->b) && !r->has_channels))
		return;
	op_id op = reading_add(r, e, OP_OTHER);
	reading_cause(r, r->input, op);
	r->input = op;
}

void reading_follow_end(struct reading *r, const struct event *e)
{
	op_id op = reading_add(r, e, OP_OTHER);
	for (thr_id t = 0; t < r->x->threads; t++)
		if (t != e->thread)
			reading_order(r, r->threads[t].last, op);
}
