/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An index of moves by what they touch, so that a move is compared only with moves that may be in
 * conflict with it; see conflicts.h.  A footprint is entered at each of its eight-byte granules,
 * or at KEY_WIDE if there are many.  The index over-approximates: the caller asks
 * wire/depend.h whether two moves depend on each other.
 */
#include "explore/execution/conflicts.h"

#include "base/alloc.h"
#include "wire/fault.h"

#define GRANULES_MAX 8 /* a footprint of more granules is wide */
#define ALL_BYTES 0xff

/* Keys of what is no place. */
enum { KEY_WIDE = 1, KEY_STORED, KEY_ENDED };

void conflicts_release(struct conflicts *c)
{
	map_release(&c->places);
	vec_release(&c->lists);
	vec_release(&c->uses);
	vec_release(&c->cursors);
}

void conflicts_begin(struct conflicts *c, const struct moves *h)
{
	c->is_on = h->moves.len >= c->worth_it && !h->is_total;
	if (!c->is_on)
		return;
	map_clear(&c->places);
	c->lists.len = c->uses.len = 0;
}

static bool is_wide(const struct footprint *f)
{
	return f->high <= f->low || (f->high - 1) / 8 - f->low / 8 >= GRANULES_MAX;
}

/* Different places with the same key, hardly any, make the walk longer, and nothing else. */
static uint64_t key_of(const struct footprint *f, uint64_t granule, unsigned use)
{
	_Static_assert(USES <= 16, "a use has four bits of a key");
	return granule << 7 | (uint64_t)f->space << 4 | use;
}

/* Which of the eight bytes it is about. */
static uint8_t bytes_of(const struct footprint *f, uint64_t granule)
{
	uint64_t low = granule * 8, first = f->low > low ? f->low - low : 0,
		 end = f->high - low < 8 ? f->high - low : 8;
	return (uint8_t)((1u << end) - (1u << first));
}

/* ---- what is known ---- */

static struct conflict_list *list_of(struct conflicts *c, uint64_t key, uint32_t thread,
				     uint8_t bytes)
{
	uint64_t *first = map_put(&c->places, key, NULL);
	uint32_t at = (uint32_t)*first;
	while (at && (c->lists.at[at - 1].thread != thread || c->lists.at[at - 1].bytes != bytes))
		at = c->lists.at[at - 1].next;
	if (at)
		return &c->lists.at[at - 1];
	vec_push(&c->lists, ((struct conflict_list){ thread, 0, (uint32_t)*first, bytes }));
	*first = c->lists.len;
	return &vec_last(&c->lists);
}

static void note(struct conflicts *c, uint64_t key, uint32_t thread, uint8_t bytes, size_t move)
{
	struct conflict_list *l = list_of(c, key, thread, bytes);
	if (l->last && c->uses.at[l->last - 1].move == move)
		return;
	vec_push(&c->uses, ((struct conflict_use){ (uint32_t)move, l->last }));
	l->last = (uint32_t)c->uses.len;
}

void conflicts_add(struct conflicts *c, const struct move *m, size_t number)
{
	const struct opset *ops = m->branch.ops;
	uint32_t thread = m->branch.thread;
	if (!c->is_on)
		return;
	if (ops->is_wild)
		note(c, KEY_WIDE, thread, ALL_BYTES, number);
	if (ops->needs_life)
		note(c, KEY_STORED, thread, ALL_BYTES, number);
	if (ops->ends_life)
		note(c, KEY_ENDED, thread, ALL_BYTES, number);
	for (uint32_t i = 0; i < ops->count && !ops->is_wild; i++) {
		const struct footprint *f = &ops->prints[i];
		if (f->space == SPACE_NONE)
			continue;
		if (is_wide(f)) {
			note(c, KEY_WIDE, thread, ALL_BYTES, number);
			continue;
		}
		for (uint64_t g = f->low / 8; g <= (f->high - 1) / 8; g++)
			note(c, key_of(f, g, f->use), thread, bytes_of(f, g), number);
	}
}

/* ---- walks ---- */

/*
 * The history may go on behind the end of the walk.  The flushes of a thread's own stores are
 * nothing to it, nor is it to them.
 */
static void follow(struct conflicts *c, const struct moves *h, uint64_t key, uint8_t bytes,
		   uint32_t but)
{
	const uint64_t *first = map_get(&c->places, key);
	for (uint32_t at = first ? (uint32_t)*first : 0; at; at = c->lists.at[at - 1].next) {
		const struct conflict_list *l = &c->lists.at[at - 1];
		bool is_met = l->bytes & bytes && l->thread != but &&
			      !moves_is_buffer_of(h, l->thread, but) &&
			      !moves_is_buffer_of(h, but, l->thread);
		uint32_t use = is_met ? l->last : 0;
		while (use && c->uses.at[use - 1].move >= c->next)
			use = c->uses.at[use - 1].before;
		if (use)
			vec_push(&c->cursors, ((struct conflict_cursor){ l->thread, use }));
	}
}

static void follow_place(struct conflicts *c, const struct moves *h, const struct footprint *f,
			 uint32_t but)
{
	for (uint64_t g = f->low / 8; g <= (f->high - 1) / 8; g++)
		for (unsigned use = 0; use < USES; use++) {
			if (FAULT(READS_NOT_INDEXED) && use == USE_READ)
				continue;
			if (!uses_commute(use, f->use))
				follow(c, h, key_of(f, g, use), bytes_of(f, g), but);
		}
}

void conflicts_walk(struct conflicts *c, const struct moves *h, const struct branch *b, size_t end)
{
	const struct opset *ops = b->ops;
	c->next = end;
	c->cursors.len = 0;
	c->meets_all = !c->is_on || ops->is_wild;
	for (uint32_t i = 0; i < ops->count && !c->meets_all; i++) {
		const struct footprint *f = &ops->prints[i];
		if (f->space != SPACE_NONE && is_wide(f))
			c->meets_all = true;
		else if (f->space != SPACE_NONE)
			follow_place(c, h, f, b->thread);
	}
	if (c->meets_all)
		return;
	follow(c, h, KEY_WIDE, ALL_BYTES, b->thread);
	if (ops->ends_life)
		follow(c, h, KEY_STORED, ALL_BYTES, b->thread);
	if (ops->needs_life)
		follow(c, h, KEY_ENDED, ALL_BYTES, b->thread);
}

size_t conflicts_next(struct conflicts *c, const struct moves *h, const uint32_t *clock)
{
	if (c->meets_all)
		return c->next ? --c->next : NO_MOVE;
	size_t found = NO_MOVE, kept = 0;
	for (size_t i = 0; i < c->cursors.len; i++) {
		struct conflict_cursor now = c->cursors.at[i];
		/* Met by way of another list. */
		while (now.use && c->uses.at[now.use - 1].move >= c->next)
			now.use = c->uses.at[now.use - 1].before;
		size_t move = now.use ? c->uses.at[now.use - 1].move : 0;
		uint32_t known = clock[now.thread];
		if (FAULT(CONFLICT_INDEX_MISSES_NEXT))
			known++;
		if (!now.use || h->moves.at[move].index <= known)
			continue;
		c->cursors.at[kept++] = now;
		if (found == NO_MOVE || move > found)
			found = move;
	}
	c->cursors.len = kept;
	c->next = found;
	return found;
}
