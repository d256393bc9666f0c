/* SPDX-License-Identifier: Apache-2.0 */
/* Which events a slice keeps; see select.h. */
#include "trace/select.h"

#include <stdlib.h>
#include <string.h>

#define NAMED_MAX 65536u /* bytes of an access that are asked for their names */

/* ---- which cells are shared ---- */

static void note_access(struct select *s, const struct event *e)
{
	uint64_t cell;
	for (uint64_t count = touched_cells(e, &cell); count--; cell++)
		touched_note(&s->touched, cell, e->thread);
}

static bool is_shared_access(struct select *s, const struct event *e)
{
	uint64_t cell, count = touched_cells(e, &cell);
	if (!count)
		return true;
	for (; count--; cell++)
		if (touched_is_shared(&s->touched, touched_slot(&s->touched, cell)))
			return true;
	return false;
}

/* The first pass; initial content is not an access. */
int select_find_shared(struct select *s, const char *path, struct err *err)
{
	struct trace_reader *r;
	struct event e;
	int rc = trace_reader_open(&r, path, err);
	if (rc)
		return rc;
	while ((rc = trace_reader_next(r, &e, err)) == 1) {
		if (event_is_of_block(e.kind))
			touched_block(&s->touched, &e);
		else if (e.kind == EV_READ || e.kind == EV_WRITE || e.kind == EV_RMW)
			note_access(s, &e);
	}
	trace_reader_close(r);
	/* Both passes see the same blocks come and go, so that a cell has the same life in both. */
	touched_restart(&s->touched);
	return rc;
}

/* ---- what is selected ---- */

static bool is_wanted_thread(const struct select *s, thr_id thread)
{
	return !s->threads.len || (thread < s->threads.len && s->threads.at[thread]);
}

static bool is_at_place(struct select *s, const struct trace_tables *t, loc_id loc)
{
	vec_grow_zeroed(&s->at_place, loc + 1ull);
	if (s->at_place.at[loc])
		return s->at_place.at[loc] > 0;
	const struct location *l = &t->locations.at[loc];
	size_t len = loc ? strlen(l->file) : 0;
	bool fits = loc && l->line == s->place_line && len >= s->place_len &&
		    !memcmp(l->file + len - s->place_len, s->place, s->place_len) &&
		    (len == s->place_len || l->file[len - s->place_len - 1] == '/');
	s->at_place.at[loc] = fits ? 1 : -1;
	return fits;
}

/* Events of the lock, and what its holder does to anything but other locks. */
static bool is_under_lock(struct select *s, const struct trace_tables *t, const struct event *e)
{
	vec_grow_zeroed(&s->holds, e->thread + 1ull);
	bool *holds = &s->holds.at[e->thread];
	if (event_shape(e->kind).obj != OPERAND_SYNC)
		return *holds;
	bool is_wait = e->kind == EV_WAIT || e->kind == EV_WAKE;
	if (!s->match(s->match_context, t, is_wait && e->a ? e->a : e->obj, s->lock))
		return false;
	if (e->kind == EV_ACQUIRE)
		*holds = true;
	else if ((e->kind == EV_RELEASE && !e->a) || e->kind == EV_ORPHAN)
		*holds = false;
	return true;
}

/* Any part of an access counts; of a long one, its first pages. */
static bool is_at_location(struct select *s, const struct trace_tables *t, const struct event *e)
{
	char *end;
	uint64_t number = strtoull(s->location, &end, 0);
	if (end != s->location && !*end)
		return number - e->obj < (e->size ? e->size : 1);
	uint64_t size = e->size < NAMED_MAX ? e->size : NAMED_MAX;
	for (uint64_t at = 0; at == 0 || at < size; at = (e->obj + at + 8) / 8 * 8 - e->obj)
		if (s->match(s->match_context, t, e->obj + at, s->location))
			return true;
	return false;
}

bool select_event(struct select *s, const struct trace_tables *t, const struct event *e)
{
	bool is_memory = event_touches_memory(e->kind),
	     is_sync = event_shape(e->kind).obj == OPERAND_SYNC;
	if (s->is_shared && event_is_of_block(e->kind))
		touched_block(&s->touched, e);
	/* Asked first, because it keeps track. */
	if (s->lock && !is_under_lock(s, t, e))
		return false;
	if (!is_wanted_thread(s, e->thread))
		return false;
	if (is_sync)
		return true;
	if (s->place && !is_at_place(s, t, e->loc))
		return false;
	if (s->location && !(is_memory && is_at_location(s, t, e)))
		return false;
	return !s->is_shared || !is_memory || is_shared_access(s, e);
}

void select_release(struct select *s)
{
	vec_release(&s->threads);
	vec_release(&s->at_place);
	vec_release(&s->holds);
	touched_release(&s->touched);
}
