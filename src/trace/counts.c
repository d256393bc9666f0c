/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts of a trace; see counts.h.
 *
 * Locks are followed from the events alone: a thread has a lock from its acquire to its release, or
 * until it leaves the lock behind.  A recursive acquire or release that changes nothing for others
 * says so (operand a of a release), and is not the end of anything.
 */
#include "trace/counts.h"

#include <stdlib.h>

#include "wire/kinds.h"
#include "wire/sync.h"

/* ---- locks ---- */

static struct lock_count *lock_of(struct trace_counts *c, uint64_t object)
{
	bool is_new;
	uint64_t *id = map_put(&c->lock_ids, object, &is_new);
	if (is_new) {
		*id = c->locks.len;
		vec_push(&c->locks, ((struct lock_count){ .object = object, .owner = THR_NONE }));
	}
	return &c->locks.at[*id];
}

/* Whether the lock is held in a way that keeps this request from it. */
static bool is_held_against(const struct lock_count *l, const struct event *e)
{
	if (l->owner != THR_NONE)
		return l->owner != e->thread;
	return l->readers && !sync_is_shared(e->mode);
}

static void end_hold(struct lock_count *l, thr_id thread)
{
	if (l->owner == thread)
		l->owner = THR_NONE;
	else if (l->readers)
		l->readers--;
}

static void begin_hold(struct lock_count *l, const struct event *e)
{
	l->acquired++;
	l->mode = e->mode;
	if (sync_is_shared(e->mode))
		l->readers++;
	else
		l->owner = e->thread;
}

static void begin_wait(struct trace_counts *c, struct lock_count *l, struct thread_count *t)
{
	t->waits++;
	t->waits_for = (uint64_t)(l - c->locks.at) + 1;
	l->waiting++;
	l->longest = l->waiting > l->longest ? l->waiting : l->longest;
}

static void end_wait(struct trace_counts *c, struct thread_count *t)
{
	if (t->waits_for)
		c->locks.at[t->waits_for - 1].waiting--;
	t->waits_for = 0;
}

static void count_request(struct trace_counts *c, struct thread_count *t, const struct event *e)
{
	struct lock_count *l = lock_of(c, e->obj);
	end_wait(c, t);
	if (!is_held_against(l, e))
		return;
	l->contended++;
	if (e->kind == EV_REQUEST)
		begin_wait(c, l, t);
}

static void count_lock(struct trace_counts *c, const struct event *e)
{
	struct thread_count *t = &c->threads.at[e->thread];
	switch ((enum event_kind)e->kind) {
	case EV_REQUEST:
	case EV_TRY_FAIL:
		count_request(c, t, e);
		break;
	case EV_TIMEOUT:
		end_wait(c, t);
		break;
	case EV_ACQUIRE:
		end_wait(c, t);
		t->acquired++;
		begin_hold(lock_of(c, e->obj), e);
		break;
	case EV_RELEASE:
		if (!e->a)
			end_hold(lock_of(c, e->obj), e->thread);
		break;
	case EV_ORPHAN:
		end_hold(lock_of(c, e->obj), e->thread);
		break;
	/* Objects that no thread holds, and what is not about an object. */
	CASES_OF_OBJECT_LIFE:
	CASES_OF_CONDITIONS:
	CASES_OF_BARRIERS:
	CASES_OF_SEMAPHORES:
	CASES_OF_ONCE:
	case EV_HIDDEN:
	case EV_CONSISTENT:
	case EV_ASK:
#define SYNC_ON_OBJECT(...)
#define SYNC_EVENT(NAME, ...) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
}

/* ---- memory ---- */

static void count_access(struct trace_counts *c, const struct event *e)
{
	bool is_new;
	uint64_t number = e->obj / COUNTS_CELL;
	if (e->kind != EV_READ && e->kind != EV_WRITE && e->kind != EV_RMW)
		return;
	uint64_t *id = map_put(&c->cell_ids, number, &is_new);
	if (is_new) {
		*id = c->cells.len;
		vec_push(&c->cells, ((struct cell_count){ .number = number, .thread = e->thread }));
	}
	struct cell_count *cell = &c->cells.at[*id];
	cell->reads += e->kind != EV_WRITE;
	cell->writes += e->kind == EV_WRITE || (e->kind == EV_RMW && !(e->flags & EVF_FAILED));
	if (cell->thread != e->thread)
		cell->thread = COUNTS_SEVERAL;
	c->threads.at[e->thread].accesses++;
}

/* ---- all ---- */

void trace_counts_add(struct trace_counts *c, const struct event *e)
{
	c->events++;
	c->by_kind[e->kind]++;
	while (c->threads.len <= e->thread) {
		vec_add(&c->threads);
		vec_last(&c->threads).thread = (thr_id)(c->threads.len - 1);
	}
	struct thread_count *t = &c->threads.at[e->thread];
	t->events++;
	if (e->kind == EV_THREAD_NAME) {
		mem_free(t->name);
		t->name = mem_strndup((const char *)e->data, e->data_len);
	}
	vec_grow_zeroed(&c->by_location, e->loc + 1ull);
	c->by_location.at[e->loc]++;
	count_lock(c, e);
	count_access(c, e);
}

static int by_own_events(const void *x, const void *y)
{
	const struct thread_count *a = x, *b = y;
	if (a->events != b->events)
		return a->events < b->events ? 1 : -1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int by_contention(const void *x, const void *y)
{
	const struct lock_count *a = x, *b = y;
	if (a->contended != b->contended)
		return a->contended < b->contended ? 1 : -1;
	if (a->acquired != b->acquired)
		return a->acquired < b->acquired ? 1 : -1;
	return a->object < b->object ? -1 : a->object > b->object;
}

static int by_accesses(const void *x, const void *y)
{
	const struct cell_count *a = x, *b = y;
	if (a->reads + a->writes != b->reads + b->writes)
		return a->reads + a->writes < b->reads + b->writes ? 1 : -1;
	return a->number < b->number ? -1 : a->number > b->number;
}

void trace_counts_sort(struct trace_counts *c)
{
	if (c->threads.len)
		qsort(c->threads.at, c->threads.len, sizeof(*c->threads.at), by_own_events);
	if (c->locks.len)
		qsort(c->locks.at, c->locks.len, sizeof(*c->locks.at), by_contention);
	if (c->cells.len)
		qsort(c->cells.at, c->cells.len, sizeof(*c->cells.at), by_accesses);
}

void trace_counts_release(struct trace_counts *c)
{
	for (size_t i = 0; i < c->threads.len; i++)
		mem_free(c->threads.at[i].name);
	vec_release(&c->threads);
	vec_release(&c->locks);
	vec_release(&c->cells);
	vec_release(&c->by_location);
	map_release(&c->lock_ids);
	map_release(&c->cell_ids);
}
