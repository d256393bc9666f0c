/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaving out private accesses; see sparse.h.  The cells of an access are recorded when the event
 * arrives, because memory may be freed and reused within a group.  Whether it is left out is
 * decided by the slots of its cells when the group is complete.
 */
#include "trace/sparse.h"

#include <string.h>

#include "base/buf.h"
#include "trace/known.h"
#include "trace/touched.h"

#define GROUP_EVENTS 65536u
#define GROUP_DATA (1u << 24) /* bytes */

struct gathered {
	struct event event; /* its data, if any, is in the group's */
	size_t data_at;
	size_t first_slot; /* in slots */
	uint32_t slots;	   /* cells of an access that may be left out; 0: it is kept */
};

struct sparse {
	sparse_sink sink;
	void *arg;
	VEC(struct gathered) group;
	VEC(uint64_t) slots;
	struct buf data;
	struct touched touched;
	struct known known;
	/* by thread: the branch mark of an omitted event goes to the next event */
	VEC(bool) branched;
	struct sparse_counts counts;
};

struct sparse *sparse_new(sparse_sink sink, void *arg)
{
	struct sparse *s = mem_zero(1, sizeof(*s));
	s->sink = sink;
	s->arg = arg;
	return s;
}

void sparse_free(struct sparse *s)
{
	if (!s)
		return;
	vec_release(&s->group);
	vec_release(&s->slots);
	buf_release(&s->data);
	touched_release(&s->touched);
	known_release(&s->known);
	vec_release(&s->branched);
	mem_free(s);
}

static int emit(struct sparse *s, const struct event *e, struct err *err)
{
	struct event outside;
	if (known_follow(&s->known, e, &outside)) {
		s->counts.kept++;
		s->counts.added++;
		int rc = s->sink(s->arg, &outside, err);
		if (rc)
			return rc;
	}
	s->counts.kept++;
	return s->sink(s->arg, e, err);
}

static bool is_private(const struct sparse *s, const struct gathered *g)
{
	for (uint32_t i = 0; i < g->slots; i++)
		if (touched_is_shared(&s->touched, s->slots.at[g->first_slot + i]))
			return false;
	return g->slots > 0;
}

static int pass_on(struct sparse *s, struct gathered *g, struct err *err)
{
	struct event *e = &g->event;
	vec_grow_zeroed(&s->branched, e->thread + 1ull);
	bool *branched = &s->branched.at[e->thread];
	if (is_private(s, g)) {
		*branched |= e->flags & EVF_BRANCH;
		s->counts.left_out++;
		return 0;
	}
	if (*branched && e->kind != EV_SWITCH) {
		e->flags |= EVF_BRANCH;
		*branched = false;
	}
	if (e->data_len)
		e->data = (const unsigned char *)s->data.at + g->data_at;
	return emit(s, e, err);
}

int sparse_finish(struct sparse *s, struct err *err)
{
	int rc = 0;
	for (size_t i = 0; i < s->group.len && !rc; i++)
		rc = pass_on(s, &s->group.at[i], err);
	s->group.len = 0;
	s->slots.len = 0;
	buf_clear(&s->data);
	return rc;
}

/* Initial content and outside writes concern the cell, but are not accesses of a thread. */
static void note(struct sparse *s, struct gathered *g)
{
	const struct event *e = &g->event;
	bool is_access = e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW;
	uint64_t cell, count = touched_cells(e, &cell);
	g->first_slot = s->slots.len;
	g->slots = (uint32_t)count;
	for (; count--; cell++)
		vec_push(&s->slots,
			 touched_note(&s->touched, cell, is_access ? e->thread : THR_NONE));
}

int sparse_event(struct sparse *s, const struct event *e, struct err *err)
{
	struct gathered *g = vec_add(&s->group);
	g->event = *e;
	g->data_at = s->data.len;
	if (e->data_len)
		buf_add(&s->data, e->data, e->data_len);
	if (event_is_of_block(e->kind))
		touched_block(&s->touched, e);
	else if (event_touches_memory(e->kind))
		note(s, g);
	return s->group.len == GROUP_EVENTS || s->data.len >= GROUP_DATA ? sparse_finish(s, err)
									 : 0;
}

struct sparse_counts sparse_counts(const struct sparse *s)
{
	return s->counts;
}
