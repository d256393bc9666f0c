/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON of Chrome's trace viewer.  Slices of a row must be nested, but locks may be released
 * in any order.  If needed, the slices inside the released one are closed and opened again.  A
 * wait is written when it ends, and only if there were other events in between.
 */
#include <inttypes.h>
#include <string.h>

#include "trace/block.h"
#include "trace/export.h"

#define TICKS 10u /* time units per event; leaves room for the ends of arrows */

static void key_text(struct json *j, const char *key, const char *text)
{
	json_key(j, key);
	json_string(j, text);
}

static void key_number(struct json *j, const char *key, uint64_t n)
{
	json_key(j, key);
	json_number(j, n);
}

/* Begin an object with the common fields; the caller adds the others and ends it. */
static void open_object(struct json *j, const char *phase, const char *category, thr_id thread,
			uint64_t time)
{
	json_begin_object(j);
	key_text(j, "ph", phase);
	key_text(j, "cat", category);
	key_number(j, "pid", 1);
	key_number(j, "tid", thread);
	key_number(j, "ts", time);
}

static struct chrome_thread *thread_at(struct chrome_export *x, thr_id thread)
{
	vec_grow_zeroed(&x->threads, thread + 1ull);
	return &x->threads.at[thread];
}

static void put_name(struct json *j, const char *words, const struct trace_tables *t,
		     uint64_t object)
{
	struct buf name = { 0 };
	buf_str(&name, words);
	trace_text_address(t, object, &name);
	key_text(j, "name", name.at);
	buf_release(&name);
}

static void put_place(struct json *j, const struct trace_tables *t, const struct event *e)
{
	if (!e->loc)
		return;
	const struct location *l = &t->locations.at[e->loc];
	json_key(j, "args");
	json_begin_object(j);
	key_text(j, "function", l->function);
	key_text(j, "file", l->file);
	key_number(j, "line", l->line);
	key_number(j, "event", e->index);
	json_end_object(j);
}

static void open_slice(struct chrome_export *x, const struct trace_tables *t, const struct event *e,
		       uint64_t lock)
{
	open_object(&x->json, "B", "lock", e->thread, e->index * TICKS);
	put_name(&x->json, "", t, lock);
	put_place(&x->json, t, e);
	json_end_object(&x->json);
}

static void close_slice(struct chrome_export *x, const char *category, thr_id thread, uint64_t time)
{
	open_object(&x->json, "E", category, thread, time);
	json_end_object(&x->json);
}

static void put_arrow(struct chrome_export *x, const char *name, thr_id from, uint64_t from_event,
		      const struct event *to)
{
	uint64_t id = ++x->arrows;
	/*
	 * Both ends are inside slices: the one that ends at the release, and the one that begins
	 * at the acquire.
	 */
	open_object(&x->json, "s", "order", from, from_event * TICKS - (from_event > 0));
	key_text(&x->json, "name", name);
	key_number(&x->json, "id", id);
	json_end_object(&x->json);
	open_object(&x->json, "f", "order", to->thread, to->index * TICKS + 1);
	key_text(&x->json, "name", name);
	key_number(&x->json, "id", id);
	key_text(&x->json, "bp", "e");
	json_end_object(&x->json);
}

/* ---- events ---- */

static void end_wait(struct chrome_export *x, const struct trace_tables *t, const struct event *e,
		     const char *words)
{
	struct chrome_thread *self = &x->threads.at[e->thread];
	uint64_t since = self->waits_since;
	self->waits_since = 0;
	if (!since || e->index <= since)
		return;
	open_object(&x->json, "X", "wait", e->thread, (since - 1) * TICKS);
	key_number(&x->json, "dur", (e->index - (since - 1)) * TICKS);
	if (e->kind == EV_JOIN) {
		struct buf name = { 0 };
		buf_printf(&name, "join T%" PRIu64, e->a);
		key_text(&x->json, "name", name.at);
		buf_release(&name);
	} else {
		put_name(&x->json, words, t, e->obj);
	}
	put_place(&x->json, t, e);
	json_end_object(&x->json);
}

static void follow_acquire(struct chrome_export *x, const struct trace_tables *t,
			   const struct event *e)
{
	bool is_new;
	end_wait(x, t, e, "wait for ");
	if (e->a > 1)
		return;
	vec_push(&x->threads.at[e->thread].held, e->obj);
	open_slice(x, t, e, e->obj);
	uint64_t *index = map_put(&x->released, e->obj, &is_new);
	if (is_new) {
		*index = x->releases.len;
		vec_push(&x->releases, ((struct chrome_release){ .thread = THR_NONE }));
	}
	struct chrome_release *r = &x->releases.at[*index];
	if (r->thread != THR_NONE && r->thread != e->thread)
		put_arrow(x, "hand over", r->thread, r->event, e);
	r->thread = THR_NONE;
}

static void follow_release(struct chrome_export *x, const struct trace_tables *t,
			   const struct event *e)
{
	struct chrome_thread *self = &x->threads.at[e->thread];
	size_t at = self->held.len;
	if (e->a && e->kind == EV_RELEASE)
		return;
	while (at && self->held.at[at - 1] != e->obj)
		at--;
	if (!at)
		return;
	for (size_t i = self->held.len; i >= at; i--)
		close_slice(x, "lock", e->thread, e->index * TICKS);
	memmove(&self->held.at[at - 1], &self->held.at[at],
		(self->held.len - at) * sizeof(*self->held.at));
	self->held.len--;
	for (size_t i = at - 1; i < self->held.len; i++)
		open_slice(x, t, e, self->held.at[i]);
	uint64_t *index = map_get(&x->released, e->obj);
	if (index)
		x->releases.at[*index] = (struct chrome_release){ e->index, e->thread };
	if (self->waits_since)
		self->waits_since = e->index + 1; /* a wait first releases its mutex */
}

static void begin_thread(struct chrome_export *x, const struct event *e)
{
	struct chrome_thread *self = thread_at(x, e->thread);
	if (self->is_alive)
		return;
	self->is_alive = true;
	struct buf name = { 0 };
	buf_printf(&name, "T%u", e->thread);
	open_object(&x->json, "B", "thread", e->thread, e->index * TICKS);
	key_text(&x->json, "name", name.at);
	json_end_object(&x->json);
	buf_release(&name);
	if (self->created_at)
		put_arrow(x, "create", self->creator, self->created_at - 1, e);
	self->created_at = 0;
}

static void end_thread(struct chrome_export *x, thr_id thread, uint64_t time)
{
	struct chrome_thread *self = &x->threads.at[thread];
	for (; self->held.len; self->held.len--)
		close_slice(x, "lock", thread, time);
	if (self->is_alive)
		close_slice(x, "thread", thread, time);
	self->is_alive = false;
}

static void name_thread(struct chrome_export *x, const struct event *e)
{
	char *name = e->data_len ? mem_strndup((const char *)e->data, e->data_len) : mem_strdup("");
	struct buf full = { 0 };
	buf_printf(&full, "T%u %s", e->thread, name);
	open_object(&x->json, "M", "thread", e->thread, 0);
	key_text(&x->json, "name", "thread_name");
	json_key(&x->json, "args");
	json_begin_object(&x->json);
	key_text(&x->json, "name", full.at);
	json_end_object(&x->json);
	json_end_object(&x->json);
	buf_release(&full);
	mem_free(name);
}

static void put_mark(struct chrome_export *x, const struct trace_tables *t, const struct event *e)
{
	open_object(&x->json, "i", "failure", e->thread, e->index * TICKS);
	key_text(&x->json, "s", "t");
	put_name(&x->json, "failure ", t, e->obj);
	put_place(&x->json, t, e);
	json_end_object(&x->json);
}

void chrome_begin(struct chrome_export *x, struct buf *out)
{
	json_init(&x->json, out);
	json_begin_object(&x->json);
	key_text(&x->json, "displayTimeUnit", "ns");
	json_key(&x->json, "traceEvents");
	json_begin_array(&x->json);
}

void chrome_event(struct chrome_export *x, const struct trace_tables *t, const struct event *e)
{
	x->last = e->index;
	begin_thread(x, e);
	switch (e->kind) {
	case EV_REQUEST:
	case EV_ASK:
	case EV_WAIT:
	case EV_JOIN_WAIT:
		x->threads.at[e->thread].waits_since = e->index + 1;
		break;
	case EV_ACQUIRE:
		follow_acquire(x, t, e);
		break;
	case EV_RELEASE:
	case EV_ORPHAN:
		follow_release(x, t, e);
		break;
	case EV_TRY_FAIL:
	case EV_TIMEOUT:
	case EV_SEM_WAIT:
	case EV_WAKE:
	case EV_JOIN:
		end_wait(x, t, e, "wait for ");
		break;
	case EV_BARRIER_IN:
		x->threads.at[e->thread].waits_since = e->index + 1;
		break;
	case EV_BARRIER_OUT:
		end_wait(x, t, e, "wait at ");
		break;
	case EV_FORK:
		if (e->a < TRACE_THREADS_MAX) {
			struct chrome_thread *child = thread_at(x, (thr_id)e->a);
			child->created_at = e->index + 1;
			child->creator = e->thread;
		}
		break;
	case EV_END:
		end_thread(x, e->thread, e->index * TICKS + 2);
		break;
	case EV_THREAD_NAME:
		name_thread(x, e);
		break;
	case EV_FAILURE:
		put_mark(x, t, e);
		break;
	}
}

void chrome_end(struct chrome_export *x)
{
	for (size_t i = 0; i < x->threads.len; i++) {
		end_thread(x, (thr_id)i, (x->last + 1) * TICKS);
		vec_release(&x->threads.at[i].held);
	}
	json_end_array(&x->json);
	json_end_object(&x->json);
	vec_release(&x->threads);
	vec_release(&x->releases);
	map_release(&x->released);
}
