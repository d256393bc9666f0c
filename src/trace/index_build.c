/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building an index in one pass over the trace.  Each event becomes a record in a mapped file.  A
 * record with a forward reference (from an acquire to its release) is completed when the other
 * event is read.  The events of cells and objects go into temporary files as postings in trace
 * order.  At the end, when the lengths of all lists are known, the postings are distributed to
 * the lists.  All files are mapped, so the kernel can page them out.
 *
 * Reads whose next branch is not known yet are chained through the field that will hold it, so
 * they need no extra memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/stop.h"
#include "trace/block.h"
#include "trace/buffers.h"
#include "trace/consistency.h"
#include "trace/index_builder.h"
#include "wire/kinds.h"

/* the largest supported access, in bytes */
#define ACCESS_MAX (1u << 24)

static struct built_thread *thread_at(struct index_builder *b, uint64_t thread)
{
	while (b->threads.len <= thread) {
		struct built_thread *t = vec_add(&b->threads);
		t->pending = t->fork = t->end = t->last = t->waits = t->woken = EVENT_NONE;
	}
	return &b->threads.at[thread];
}

/* ---- lists ---- */

/* Whether a new lifetime has begun since; then *since is the event that began it. */
static bool is_older(const struct index_builder *b, struct built_list *l, uint64_t cell,
		     uint32_t *since)
{
	if (l->checked == b->lifetimes.latest)
		return false;
	uint64_t stamp = range_stamps_get(&b->lifetimes, cell);
	l->checked = b->lifetimes.latest;
	*since = (uint32_t)(stamp - 1);
	return (uint32_t)(l->since + 1) < stamp;
}

static struct built_cell *cell_at(struct index_builder *b, uint64_t number)
{
	uint64_t *at = map_get(&b->cell_of, number);
	uint32_t since;
	if (at && !is_older(b, &b->cells.at[*at].list, number, &since))
		return &b->cells.at[*at];
	if (!at)
		since = (uint32_t)(range_stamps_get(&b->lifetimes, number) - 1);
	*map_put(&b->cell_of, number, NULL) = b->cells.len;
	struct built_cell *c = vec_add(&b->cells);
	c->list = (struct built_list){ .address = number * INDEX_CELL,
				       .since = since,
				       .checked = b->lifetimes.latest };
	for (unsigned i = 0; i < INDEX_CELL; i++)
		c->writer[i] = since;
	return c;
}

static struct built_object *object_at(struct index_builder *b, uint64_t address, unsigned mode)
{
	uint64_t *at = map_get(&b->object_of, address);
	uint32_t since;
	if (at && !is_older(b, &b->objects.at[*at].list, address / INDEX_CELL, &since))
		return &b->objects.at[*at];
	if (!at)
		since = (uint32_t)(range_stamps_get(&b->lifetimes, address / INDEX_CELL) - 1);
	*map_put(&b->object_of, address, NULL) = b->objects.len;
	struct built_object *o = vec_add(&b->objects);
	o->list = (struct built_list){
		.address = address, .since = since, .mode = mode, .checked = b->lifetimes.latest
	};
	o->open = o->broadcast = o->opened = EVENT_NONE;
	return o;
}

static int post(struct mapped *to, struct built_list *l, uint64_t list, ev_id e, struct err *err)
{
	if (list >= UINT32_MAX)
		return err_set(err, ERR_SUPPORT, "the trace touches too much memory for an index");
	int rc = mapped_extend(to, sizeof(struct posting), err);
	if (!rc)
		((struct posting *)(to->at + to->size))[-1] = (struct posting){ (uint32_t)list, e };
	l->count++;
	return rc;
}

/* ---- memory ---- */

/* The later of two sources; EVENT_NONE is before all events. */
static ev_id later(ev_id x, ev_id y)
{
	return (ev_id)(x + 1) > (ev_id)(y + 1) ? x : y;
}

static int follow_access(struct index_builder *b, const struct event *e, struct index_event *r,
			 struct err *err)
{
	bool reads = e->kind == EV_READ || e->kind == EV_RMW;
	bool is_buffered = e->kind == EV_WRITE && e->flags & EVF_BUFFERED;
	bool writes =
		e->kind != EV_READ && !(e->kind == EV_RMW && e->flags & EVF_FAILED) && !is_buffered;
	ev_id self = (ev_id)e->index, seen = EVENT_NONE;
	bool is_first = true;
	if (e->size > ACCESS_MAX || e->size > UINT64_MAX - e->obj)
		return err_set(err, ERR_SUPPORT,
			       "event %llu: an access of %llu bytes is too large for an index",
			       (unsigned long long)e->index, (unsigned long long)e->size);
	if (is_buffered && !buffers_write(&b->buffers, e))
		return err_set(err, ERR_FORMAT,
			       "event %llu: the thread has too many stores in its buffer",
			       (unsigned long long)e->index);
	struct buffered flushed;
	if (e->kind == EV_FLUSH && buffers_flush(&b->buffers, e, &flushed)) {
		r->link = (ev_id)flushed.index;
		buffered_release(&flushed);
	}
	for (uint64_t at = e->obj, end = e->obj + e->size; at < end;) {
		struct built_cell *c = cell_at(b, at / INDEX_CELL);
		do {
			ev_id *writer = &c->writer[at % INDEX_CELL];
			const struct buffered *own =
				reads ? buffers_newest(&b->buffers, e->thread, at) : NULL;
			ev_id from = own ? (ev_id)own->index : *writer;
			if (reads && !is_first && from != seen)
				r->bits |= INDEX_SEVERAL;
			if (reads)
				seen = later(seen, from);
			if (writes)
				*writer = self;
			is_first = false;
		} while (++at < end && at % INDEX_CELL);
		int rc = post(&b->cell_postings, &c->list, (uint64_t)(c - b->cells.at), self, err);
		if (rc)
			return rc;
	}
	if (reads)
		r->link = seen;
	return 0;
}

static void follow_block(struct index_builder *b, const struct event *e)
{
	uint64_t small = e->kind == EV_RESIZE ? (e->a < e->size ? e->a : e->size) : 0;
	uint64_t large = e->kind == EV_RESIZE && e->a > e->size ? e->a : e->size;
	if (large <= small || large > UINT64_MAX - e->obj - INDEX_CELL)
		return;
	uint64_t first = (e->obj + small + (small ? INDEX_CELL - 1 : 0)) / INDEX_CELL;
	uint64_t last = (e->obj + large - 1) / INDEX_CELL;
	if (first <= last)
		range_stamps_mark(&b->lifetimes, first, last, e->index + 1);
}

/* ---- locks ---- */

/* Remove the thread's last open acquire of an object; EVENT_NONE if there is none. */
static ev_id take_held(struct built_thread *t, uint64_t object)
{
	for (size_t i = t->held.len; i-- > 0;) {
		ev_id a = t->held.at[i].acquire;
		if (t->held.at[i].object != object)
			continue;
		memmove(&t->held.at[i], &t->held.at[i + 1],
			(t->held.len - i - 1) * sizeof(*t->held.at));
		t->held.len--;
		return a;
	}
	return EVENT_NONE;
}

static void pair(struct index_builder *b, struct index_event *r, ev_id self, ev_id other)
{
	r->link = other;
	if (other != EVENT_NONE)
		index_record(b, other)->link = self;
}

static void follow_release(struct index_builder *b, const struct event *e, struct built_object *o,
			   struct index_event *r)
{
	ev_id a = take_held(thread_at(b, e->thread), e->obj);
	/* The lock is another thread's; a failure event has reported this. */
	if (a == EVENT_NONE && o->open != EVENT_NONE)
		a = take_held(thread_at(b, index_record(b, o->open)->thread), e->obj);
	pair(b, r, (ev_id)e->index, a);
	while (e->kind == EV_ORPHAN &&
	       (a = take_held(thread_at(b, e->thread), e->obj)) != EVENT_NONE)
		index_record(b, a)->link = (ev_id)e->index;
	o->open = EVENT_NONE;
}

/* The first signal for this thread, or broadcast, after it began to wait. */
static ev_id woken_by(const struct built_thread *t, const struct built_object *o)
{
	bool is_waiting = t->waits != EVENT_NONE;
	bool is_signalled = is_waiting && t->woken != EVENT_NONE && t->woken > t->waits;
	bool is_broadcast = is_waiting && o->broadcast != EVENT_NONE && o->broadcast > t->waits;
	ev_id signal = is_signalled ? t->woken : EVENT_NONE,
	      all = is_broadcast ? o->broadcast : EVENT_NONE;
	return signal < all ? signal : all;
}

static int follow_object(struct index_builder *b, const struct event *e, struct index_event *r,
			 struct err *err)
{
	struct built_object *o = object_at(b, e->obj, e->mode);
	struct built_thread *t = thread_at(b, e->thread);
	ev_id self = (ev_id)e->index;
	switch ((enum event_kind)e->kind) {
	case EV_ACQUIRE:
		vec_reserve(&t->held, 1);
		t->held.at[t->held.len].object = e->obj;
		t->held.at[t->held.len++].acquire = self;
		o->open = self;
		break;
	case EV_RELEASE:
	case EV_ORPHAN:
		follow_release(b, e, o, r);
		break;
	case EV_WAIT:
		t->waits = self;
		break;
	case EV_WAKE:
		r->link = e->b ? EVENT_NONE : woken_by(t, o);
		break;
	case EV_SIGNAL:
		if (e->a && e->a <= TRACE_THREADS_MAX)
			thread_at(b, e->a - 1)->woken = self;
		break;
	case EV_BROADCAST:
		o->broadcast = self;
		break;
	case EV_BARRIER_IN:
		o->opened = e->a ? o->opened : self;
		break;
	case EV_BARRIER_OUT:
		r->link = o->opened;
		break;
	/* Their partners, if any, are found by the list of the object. */
	CASES_OF_ATTEMPTS:
	CASES_OF_OBJECT_LIFE:
	CASES_OF_SEMAPHORES:
	CASES_OF_ONCE:
	case EV_CONSISTENT:
	case EV_ASK:
	case EV_HIDDEN:
#define SYNC_ON_OBJECT(...)
#define SYNC_EVENT(NAME, ...) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
	return post(&b->object_postings, &o->list, (uint64_t)(o - b->objects.at), self, err);
}

/* ---- threads ---- */

static void follow_thread(struct index_builder *b, const struct event *e, struct index_event *r)
{
	ev_id self = (ev_id)e->index;
	switch ((enum event_kind)e->kind) {
	case EV_FORK:
		thread_at(b, e->a)->fork = self;
		break;
	case EV_BEGIN:
		pair(b, r, self, thread_at(b, e->thread)->fork);
		break;
	case EV_END:
		thread_at(b, e->thread)->end = self;
		break;
	case EV_JOIN: {
		struct built_thread *t = thread_at(b, e->a);
		/* Traces of other tools may have no end. */
		if (t->end != EVENT_NONE)
			pair(b, r, self, t->end);
		else
			r->link = t->last;
		break;
	}
	case EV_DETACH:
	case EV_JOIN_WAIT:
	CASES_OF_SIGNALS:
#define SYNC_ON_THREAD(...)
#define SYNC_EVENT(NAME, ...) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
}

static void follow_branch(struct index_builder *b, const struct event *e, struct index_event *r)
{
	struct built_thread *t = thread_at(b, e->thread);
	ev_id self = (ev_id)e->index;
	if (e->flags & EVF_BRANCH || e->kind == EV_BRANCH) {
		for (ev_id at = t->pending; at != EVENT_NONE;) {
			ev_id next = index_record(b, at)->branch;
			index_record(b, at)->branch = self;
			at = next;
		}
		t->pending = EVENT_NONE;
	}
	if (e->kind == EV_READ || e->kind == EV_RMW) {
		r->branch = t->pending;
		t->pending = self;
	}
}

static int follow(struct index_builder *b, const struct event *e, struct err *err)
{
	struct built_thread *t = thread_at(b, e->thread);
	struct index_event r = { .obj = e->obj,
				 .size = e->size < UINT32_MAX ? (uint32_t)e->size : UINT32_MAX,
				 .link = EVENT_NONE,
				 .branch = EVENT_NONE,
				 .own = (uint32_t)t->count++,
				 .loc = e->loc,
				 .thread = e->thread,
				 .kind = e->kind,
				 .mode = e->mode,
				 .flags = e->flags,
				 .inside = t->held.len ? vec_last(&t->held).acquire : EVENT_NONE };
	if (b->count >= EVENT_NONE - 1)
		return err_set(err, ERR_SUPPORT, "the trace has too many events for an index");
	t->last = (ev_id)e->index;
	int rc = mapped_extend(&b->file, sizeof(r), err);
	if (rc)
		return rc;
	b->count++;
	follow_branch(b, e, &r);
	switch ((enum event_kind)e->kind) {
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
	case EV_FLUSH:
	case EV_INITIAL:
	case EV_OUTSIDE_WRITE:
		rc = follow_access(b, e, &r, err);
		break;
	CASES_OF_BLOCKS:
		follow_block(b, e);
		break;
#define SYNC_ON_THREAD(NAME, ...) case EV_##NAME:
#include "wire/sync.def"
		follow_thread(b, e, &r);
		break;
#define SYNC_ON_OBJECT(NAME, ...) case EV_##NAME:
#include "wire/sync.def"
		rc = follow_object(b, e, &r, err);
		break;
	case EV_FENCE:
	case EV_ANNOTATION:
	case EV_INPUT:
	case EV_ASSUME:
	case EV_FAILURE:
	case EV_PROCESS_END:
#define SYNC_OWN(NAME) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
	*index_record(b, (ev_id)e->index) = r;
	return rc;
}

static int read_all(struct index_builder *b, const char *trace, struct err *err)
{
	struct trace_reader *r;
	struct event e;
	uint32_t rounds = 0;
	int rc = trace_reader_open(&r, trace, err);
	if (rc)
		return rc;
	struct consistency *c = consistency_new();
	while ((rc = consistency_next(c, r, &e, err)) == 1) {
		if (stop_is_requested_sampled(&rounds))
			rc = err_set(err, ERR_STOPPED, "stopped while the index was built");
		else
			rc = follow(b, &e, err);
		if (rc)
			break;
	}
	consistency_free(c);
	trace_reader_close(r);
	return rc;
}

static void builder_release(struct index_builder *b)
{
	for (size_t i = 0; i < b->threads.len; i++)
		vec_release(&b->threads.at[i].held);
	vec_release(&b->threads);
	vec_release(&b->cells);
	vec_release(&b->objects);
	map_release(&b->cell_of);
	map_release(&b->object_of);
	range_stamps_release(&b->lifetimes);
	buffers_release(&b->buffers);
	mapped_close(&b->cell_postings);
	mapped_close(&b->object_postings);
}

int index_build(struct trace_index *x, const char *trace, const char *path, struct err *err)
{
	struct index_builder b = { 0 };
	struct buf name = { 0 };
	*x = (struct trace_index){ 0 };
	if (path)
		buf_printf(&name, "%s.%ld.tmp", path, (long)getpid());
	int rc = mapped_create(&b.file, path ? name.at : NULL, err);
	if (!rc)
		rc = mapped_create(&b.cell_postings, NULL, err);
	if (!rc)
		rc = mapped_create(&b.object_postings, NULL, err);
	if (!rc)
		rc = mapped_extend(&b.file, sizeof(struct index_header), err);
	if (!rc)
		rc = read_all(&b, trace, err);
	if (!rc)
		rc = index_write_lists(&b, trace, err);
	builder_release(&b);
	if (!rc && path && rename(name.at, path))
		rc = err_set(err, ERR_IO, "cannot write %s", path);
	if (rc && path)
		unlink(name.at);
	/* A file without a name can be opened again through its descriptor. */
	if (!path)
		buf_printf(&name, "/proc/self/fd/%d", b.file.fd);
	if (!rc)
		rc = index_open(x, path ? path : name.at, trace, err);
	mapped_close(&b.file);
	buf_release(&name);
	return rc;
}
