/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Following a run; see scene.h.  Events are taken as they are: a lock that is released without
 * having been seen taken, or a thread that appears without a fork (a trace may begin anywhere),
 * changes what is known and nothing else.
 */
#include "report/scene.h"

#include "base/alloc.h"
#include "wire/kinds.h"
#include "wire/sync.h"

void scene_init(struct scene *m)
{
	*m = (struct scene){ 0 };
	m->accesses.size = SCENE_STEPS;
	m->others.size = SCENE_SYNCS;
	m->accesses.at = mem_zero(SCENE_STEPS, sizeof(struct event));
	m->others.at = mem_zero(SCENE_SYNCS, sizeof(struct event));
}

void scene_release(struct scene *m)
{
	for (size_t i = 0; i < m->threads.len; i++) {
		mem_free(m->threads.at[i].name);
		vec_release(&m->threads.at[i].held);
	}
	vec_release(&m->threads);
	vec_release(&m->syncs);
	vec_release(&m->blocks);
	map_release(&m->sync_of);
	map_release(&m->block_of);
	map_release(&m->throw_of);
	vec_release(&m->throws);
	mem_free(m->accesses.at);
	mem_free(m->others.at);
	*m = (struct scene){ 0 };
}

static struct scene_thread *thread_at(struct scene *m, thr_id t)
{
	while (m->threads.len <= t)
		vec_add(&m->threads);
	return &m->threads.at[t];
}

static struct scene_sync *sync_at(struct scene *m, const struct event *e)
{
	bool is_new;
	uint64_t *slot = map_put(&m->sync_of, e->obj, &is_new);
	if (is_new) {
		struct scene_sync *s = vec_add(&m->syncs);
		s->obj = e->obj;
		s->last_owner = THR_NONE;
		*slot = m->syncs.len;
	}
	struct scene_sync *s = &m->syncs.at[*slot - 1];
	if (e->mode)
		s->mode = e->mode;
	return s;
}

static void take_lock(struct scene *m, struct scene_thread *t, const struct event *e)
{
	t->doing = DOING_RUN;
	if (t->asked_obj == e->obj)
		t->asked_obj = 0;
	sync_at(m, e);
	for (size_t i = 0; i < t->held.len; i++) {
		if (t->held.at[i].obj == e->obj) {
			t->held.at[i].depth = e->a;
			return;
		}
	}
	struct scene_lock l = { e->obj, e->a, e->mode, scene_place_of(e) };
	vec_push(&t->held, l);
}

/* false: it did not hold it. */
static bool drop_lock(struct scene_thread *t, uint64_t obj, uint64_t depth)
{
	for (size_t i = 0; i < t->held.len; i++) {
		if (t->held.at[i].obj != obj)
			continue;
		t->held.at[i].depth = depth;
		if (!depth) {
			for (; i + 1 < t->held.len; i++)
				t->held.at[i] = t->held.at[i + 1];
			t->held.len--;
		}
		return true;
	}
	return false;
}

/* No thread holds it any more. */
static void drop_from_all(struct scene *m, uint64_t obj)
{
	for (size_t i = 0; i < m->threads.len; i++)
		drop_lock(&m->threads.at[i], obj, 0);
}

static void release_lock(struct scene *m, struct scene_thread *t, const struct event *e)
{
	struct scene_sync *s = sync_at(m, e);
	s->released = scene_place_of(e);
	s->last_owner = e->thread;
	bool was_own = drop_lock(t, e->obj, e->a);
	/* A lock that another thread gives back: of a reader's share is not known whose it was. */
	if (!was_own && !sync_is_shared(e->mode))
		drop_from_all(m, e->obj);
}

static void wait_for(struct scene_thread *t, uint64_t obj, uint8_t mode)
{
	t->doing = DOING_WAIT;
	t->wait_obj = obj;
	t->wait_mode = mode;
}

/* A request without an object asks for the end of thread a. */
static void make_block(struct scene *m, const struct event *e)
{
	uint64_t *slot = map_put(&m->block_of, e->obj, NULL);
	struct scene_block b = { .start = e->obj, .size = e->size, .made = scene_place_of(e) };
	vec_push(&m->blocks, b);
	*slot = m->blocks.len;
}

static void resize_block(struct scene *m, const struct event *e)
{
	uint64_t *slot = map_get(&m->block_of, e->obj);
	if (slot && *slot)
		m->blocks.at[*slot - 1].size = e->size;
}

static void free_block(struct scene *m, const struct event *e)
{
	uint64_t *slot = map_get(&m->block_of, e->obj);
	if (slot && *slot)
		m->blocks.at[*slot - 1].freed = scene_place_of(e);
}

static void change_sync(struct scene *m, const struct event *e)
{
	struct scene_sync *s = sync_at(m, e);
	if (e->kind == EV_SYNC_INIT) {
		drop_from_all(m, e->obj);
		s->made = scene_place_of(e);
		s->destroyed = (struct scene_place){ 0 };
	} else {
		s->destroyed = scene_place_of(e);
	}
}

/* The first throw of an exception has its type; the memory of one that is gone may hold a new one.
 */
static void note_throw(struct scene *m, const struct event *e)
{
	if (!e->a)
		return;
	bool is_new;
	uint64_t *slot = map_put(&m->throw_of, e->obj, &is_new);
	if (is_new) {
		vec_add(&m->throws);
		*slot = m->throws.len;
	}
	m->throws.at[*slot - 1] = scene_place_of(e);
}

/* What a thread waits for, or no longer waits for; false: the event is of another kind. */
static bool change_wait(struct scene *m, struct scene_thread *t, const struct event *e)
{
	switch (e->kind) {
	case EV_REQUEST:
	case EV_WAIT: /* the mutex is given up by an event of its own */
		sync_at(m, e);
		wait_for(t, e->obj, e->mode);
		return true;
	case EV_ASK:
		sync_at(m, e);
		t->asked_obj = e->obj;
		t->asked = scene_place_of(e);
		t->doing = DOING_RUN;
		return true;
	case EV_TRY_FAIL:
		t->asked_obj = 0;
		t->doing = DOING_RUN;
		return true;
	case EV_JOIN_WAIT:
		t->doing = DOING_JOIN;
		t->wait_obj = e->a;
		return true;
	case EV_IO_WAIT:
		t->doing = DOING_IO;
		t->wait_obj = e->a;
		t->wait_call = (uint16_t)e->b;
		return true;
	case EV_WAKE:
		if (e->a)
			wait_for(t, e->a, SYNC_MUTEX);
		else
			t->doing = DOING_RUN;
		return true;
	case EV_BARRIER_IN:
		sync_at(m, e)->missing = e->a;
		wait_for(t, e->obj, SYNC_BARRIER);
		return true;
	case EV_SWITCH:
		if (e->mode == SWITCH_BLOCK && e->b < m->threads.len &&
		    m->threads.at[e->b].doing == DOING_RUN)
			m->threads.at[e->b].doing = DOING_BLOCK;
		if (t->doing == DOING_BLOCK)
			t->doing = DOING_RUN;
		return true;
	case EV_END:
		t->doing = DOING_END;
		return true;
	default:
		return false;
	}
}

/* Locks, blocks, names and places; false: nothing of these changes. */
static bool change_object(struct scene *m, struct scene_thread *t, const struct event *e)
{
	switch (e->kind) {
	case EV_ACQUIRE:
		take_lock(m, t, e);
		return true;
	case EV_RELEASE:
		release_lock(m, t, e);
		return true;
	case EV_ORPHAN:
		drop_lock(t, e->obj, 0);
		return true;
	CASES_OF_OBJECT_LIFE:
		change_sync(m, e);
		return true;
	case EV_THROW:
		note_throw(m, e);
		return true;
	case EV_FRAME_LEFT:
		m->left = (struct scene_place){ e->index, (thr_id)e->a, e->loc, 0, e->b != 0 };
		m->left_by = (thr_id)e->a;
		return true;
	case EV_FORK:
		if (e->a < UINT32_MAX)
			thread_at(m, (thr_id)e->a)->start = e->b;
		return true;
	case EV_ALLOC:
		make_block(m, e);
		return true;
	case EV_FREE:
		free_block(m, e);
		return true;
	case EV_RESIZE:
		resize_block(m, e);
		return true;
	case EV_THREAD_NAME:
		mem_free(t->name);
		t->name = mem_strndup((const char *)e->data, e->data_len);
		return true;
	default:
		return false;
	}
}

static void change(struct scene *m, struct scene_thread *t, const struct event *e)
{
	if (change_wait(m, t, e) || change_object(m, t, e))
		return;
	/* After any other event the thread does not wait.  A failure is reported while it waits. */
	if (e->kind != EV_FAILURE && e->kind != EV_PROCESS_END)
		t->doing = DOING_RUN;
}

static void scene_remember(struct scene_window *w, const struct event *e)
{
	struct event *slot = &w->at[w->count++ & (w->size - 1)];
	*slot = *e;
	slot->data = NULL;
	slot->data_len = 0;
}

void scene_follow(struct scene *m, const struct event *e)
{
	/* What happens to a store of another thread says nothing about the one that runs. */
	if (e->kind == EV_FLUSH || e->kind == EV_FLUSH_TURN) {
		if (e->kind == EV_FLUSH)
			scene_remember(&m->others, e);
		return;
	}
	struct scene_thread *t = thread_at(m, e->thread);
	if (t->doing == DOING_NOTHING)
		t->doing = DOING_RUN;
	change(m, t, e);
	t = &m->threads.at[e->thread]; /* a fork may have moved the threads */
	if (e->kind == EV_SWITCH || e->kind == EV_BRANCH)
		return;
	bool is_access = e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW;
	if (!is_access || !(e->flags & EVF_STACK))
		scene_remember(is_access ? &m->accesses : &m->others, e);
	if (e->loc && e->kind != EV_FAILURE)
		t->last = scene_place_of(e);
}

const struct scene_thread *scene_thread(const struct scene *m, thr_id t)
{
	return t < m->threads.len ? &m->threads.at[t] : NULL;
}

const struct scene_sync *scene_sync(const struct scene *m, uint64_t obj)
{
	const uint64_t *slot = map_get(&m->sync_of, obj);
	return slot && *slot ? &m->syncs.at[*slot - 1] : NULL;
}

const struct scene_place *scene_throw(const struct scene *m, uint64_t exception)
{
	const uint64_t *slot = map_get(&m->throw_of, exception);
	return slot && *slot ? &m->throws.at[*slot - 1] : NULL;
}

/* Called only for findings, so a walk over all blocks, newest first, is quick enough. */
const struct scene_block *scene_block_around(const struct scene *m, uint64_t address)
{
	for (size_t i = m->blocks.len; i--;) {
		const struct scene_block *b = &m->blocks.at[i];
		if (address - b->start < b->size || address == b->start)
			return b;
	}
	return NULL;
}

const struct scene_lock *scene_held(const struct scene_thread *t, uint64_t obj)
{
	for (size_t i = 0; i < t->held.len; i++)
		if (t->held.at[i].obj == obj)
			return &t->held.at[i];
	return NULL;
}

thr_id scene_owner(const struct scene *m, uint64_t obj)
{
	for (size_t i = 0; i < m->threads.len; i++)
		if (scene_held(&m->threads.at[i], obj))
			return (thr_id)i;
	return THR_NONE;
}

uint64_t scene_awaited(const struct scene_thread *t)
{
	return t->asked_obj ? t->asked_obj : t->doing == DOING_WAIT ? t->wait_obj : 0;
}

void scene_last_steps(const struct scene *m, struct scene_steps *out)
{
	const struct scene_window *a = &m->accesses, *b = &m->others;
	uint64_t i = a->count > a->size ? a->count - a->size : 0;
	uint64_t j = b->count > b->size ? b->count - b->size : 0;
	*out = (struct scene_steps){ 0 };
	while (i < a->count || j < b->count) {
		const struct event *x = &a->at[i & (a->size - 1)], *y = &b->at[j & (b->size - 1)];
		if (j >= b->count || (i < a->count && x->index < y->index)) {
			vec_push(&out->events, *x);
			i++;
		} else {
			vec_push(&out->events, *y);
			j++;
		}
	}
}
