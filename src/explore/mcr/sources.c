/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of what moves saw; see sources.h. */
#include "explore/mcr/sources.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "wire/fault.h"
#include "explore/mcr/spots.h"

void sources_release(struct sources *s)
{
	vec_release(&s->spots);
	vec_release(&s->touches);
	vec_release(&s->touch_first);
	vec_release(&s->uses);
	vec_release(&s->aparts);
	vec_release(&s->seen);
	vec_release(&s->whole);
	vec_release(&s->numbers);
	vec_release(&s->threads);
	vec_release(&s->column_of);
	vec_release(&s->first);
	vec_release(&s->made);
	vec_release(&s->awaited);
	values_release(&s->values);
	if (!s->scratch)
		return;
	vec_release(&s->scratch->raws);
	vec_release(&s->scratch->borders);
	vec_release(&s->scratch->found);
	vec_release(&s->scratch->forwarded);
	vec_release(&s->scratch->stores);
	vec_release(&s->scratch->fill);
	mem_free(s->scratch);
	s->scratch = NULL;
}

uint32_t move_owner(const struct moves *h, uint32_t move)
{
	uint32_t thread = h->moves.at[move].branch.thread;
	return thread >= BUFFERS_FROM && thread - BUFFERS_FROM < h->buffers.len
		       ? h->buffers.at[thread - BUFFERS_FROM].thread
		       : thread;
}

/* ---- sources ---- */

/* Under TSO and PSO a thread sees its own stores before and after their flush. */
static bool see_own(struct sources *s, struct touch *t, uint32_t number, uint32_t thread,
		    uint32_t last_set, bool last_is_own)
{
	struct sources_scratch *x = s->scratch;
	struct own_stores *o = &x->stores.at[thread];
	if (!o->stored)
		return false;
	if (o->stored > o->flushed) {
		t->is_own = true;
		vec_push(&x->forwarded, ((struct forwarded){ number, thread, o->stored }));
		return true;
	}
	if (last_is_own) {
		t->is_own = true;
		t->source = last_set;
		return true;
	}
	t->own = o->last_flush;
	return false;
}

static void note_flush(struct sources *s, uint32_t thread, uint32_t move)
{
	struct sources_scratch *x = s->scratch;
	struct own_stores *o = &x->stores.at[thread];
	o->flushed++;
	o->last_flush = move;
	for (size_t i = 0; i < x->forwarded.len; i++)
		if (x->forwarded.at[i].thread == thread && x->forwarded.at[i].store == o->flushed)
			s->touches.at[x->forwarded.at[i].touch].source = move;
}

static void find_sources(struct sources *s, const struct moves *h, const struct spot *c)
{
	struct sources_scratch *x = s->scratch;
	uint32_t last_set = NOBODY, last_end = NOBODY;
	if (h->buffers.len) {
		x->forwarded.len = x->stores.len = 0;
		vec_grow_zeroed(&x->stores, h->threads.len);
		for (size_t i = 0; i < h->threads.len; i++)
			x->stores.at[i].last_flush = NOBODY;
	}
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t number = s->uses.at[c->first + i];
		struct touch *t = &s->touches.at[number];
		uint32_t owner = move_owner(h, t->move);
		bool is_flush =
			h->moves.at[t->move].branch.thread >= BUFFERS_FROM && h->buffers.len;
		if (t->bits & TOUCH_SEES && t->bits & TOUCH_NO_SETS)
			t->source = last_end;
		else if (t->bits & TOUCH_SEES &&
			 (!h->buffers.len || is_flush ||
			  !see_own(s, t, number, owner, last_set,
				   last_set != NOBODY && move_owner(h, last_set) == owner)))
			t->source = last_set;
		if (t->bits & TOUCH_STORES)
			x->stores.at[owner].stored++;
		if (is_flush)
			note_flush(s, owner, t->move);
		if (t->bits & (TOUCH_SETS | TOUCH_ENDS) && t->move < s->real)
			last_set = t->move;
		if (t->bits & TOUCH_ENDS)
			last_end = t->move;
	}
}

/* ---- numbers ---- */

static void number_columns(struct sources *s, struct moves *h)
{
	s->column_of.len = s->threads.len = 0;
	vec_grow_zeroed(&s->column_of, h->threads.len);
	for (size_t m = 0; m < h->moves.len; m++)
		s->column_of.at[h->moves.at[m].branch.thread] = 1;
	for (uint32_t t = 0; t < h->threads.len; t++) {
		bool has_moves = s->column_of.at[t];
		s->column_of.at[t] = has_moves ? (uint32_t)s->threads.len : NOBODY;
		if (has_moves)
			vec_push(&s->threads, t);
	}
	for (size_t m = 0; m < h->moves.len; m++)
		h->moves.at[m].column = s->column_of.at[h->moves.at[m].branch.thread];
}

static void number_moves(struct sources *s, const struct moves *h)
{
	s->first.len = s->made.len = s->numbers.len = 0;
	vec_grow_zeroed(&s->first, s->threads.len + 1);
	vec_grow_zeroed(&s->made, s->threads.len);
	vec_grow_zeroed(&s->numbers, h->moves.len);
	for (size_t m = 0; m < h->moves.len; m++)
		s->first.at[h->moves.at[m].column + 1]++;
	for (size_t c = 0; c < s->threads.len; c++)
		s->first.at[c + 1] += s->first.at[c];
	for (size_t m = 0; m < h->moves.len; m++) {
		const struct move *x = &h->moves.at[m];
		bool is_instead = m >= s->real && x->index <= s->made.at[x->column];
		if (!is_instead)
			s->numbers.at[s->first.at[x->column] + x->index - 1] = (uint32_t)m;
		if (m < s->real)
			s->made.at[x->column] = x->index;
	}
}

uint64_t sources_refinements(const struct sources *s)
{
	const struct values *v = &s->values;
	return s->awaited.len + v->freed.len + v->initial.len + v->varied + v->written.len;
}

bool sources_find(struct sources *s, struct moves *h)
{
	if (!s->scratch)
		s->scratch = mem_zero(1, sizeof(*s->scratch));
	bool is_new = sources_note_ordered(s, h);
	is_new |= values_note_freed(s, h);
	s->real = h->moves.len;
	sources_add_waiting(h);
	number_columns(s, h);
	moves_make_room(h, 0, s->threads.len);
	number_moves(s, h);
	sources_find_spots(s, h);
	for (size_t c = 0; c < s->spots.len; c++)
		find_sources(s, h, &s->spots.at[c]);
	if (s->values.is_on)
		values_find_seeing(s, h);
	return values_note_contents(s, h) || is_new;
}
