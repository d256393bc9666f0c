/* SPDX-License-Identifier: Apache-2.0 */
/* The pasts of moves, as clocks and as hashes, and what they leave undecided; see sources.h. */
#include "explore/mcr/sources.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "wire/fault.h"
#include "explore/mcr/spots.h"

/* ---- cycles of waiting ---- */

/* The thread that held the lock when the move was made, or that is waited for; NOBODY: that is not
 * known. */
static uint32_t holder_of(const struct moves *h, uint32_t move, uint64_t object,
			  const struct pause *p)
{
	if (p && !pause_need(p).kind && object < h->threads.len)
		return (uint32_t)object; /* a join */
	while (move-- > 0) {
		const struct opset *s = h->moves.at[move].branch.ops;
		for (uint32_t i = s->count; i-- > 0;)
			if (s->ops[i].object == object &&
			    (s->ops[i].kind == EV_ACQUIRE || s->ops[i].kind == EV_RELEASE) &&
			    s->prints[i].space == SPACE_MEMORY)
				return s->ops[i].kind == EV_ACQUIRE
					       ? h->moves.at[move].branch.thread
					       : NOBODY;
	}
	return NOBODY;
}

/* The next thread of the deadlock cycle that the move closes; NOBODY: it closes none, or that was
 * the last. */
static uint32_t next_in_cycle(const struct moves *h, uint32_t move, uint32_t thread)
{
	const struct move *m = &h->moves.at[move];
	const struct opset *s = m->branch.ops;
	const struct wire_op *failure = s->count ? &s->ops[s->count - 1] : NULL;
	if (!failure || failure->kind != EV_FAILURE || !failure_is_cycle(failure->value))
		return NOBODY;
	const struct pause *p = thread == m->branch.thread ? NULL : &h->threads.at[thread].pause;
	uint32_t next = holder_of(h, move, p ? p->object : failure->object, p);
	return next == m->branch.thread || next == thread ||
			       (next != NOBODY && h->threads.at[next].last == NO_MOVE)
		       ? NOBODY
		       : next;
}

void sources_past_before(const struct moves *h, uint32_t move, size_t enabled_by, uint32_t *clock)
{
	const struct move *m = &h->moves.at[move];
	struct preceded p = { m->previous, enabled_by, m->drained, &m->flushed, NULL };
	moves_clock_before(h, &p, move, clock);
	/* A cycle needs all of its threads to be where they wait. */
	size_t left = h->threads.len;
	for (uint32_t t = m->branch.thread; (t = next_in_cycle(h, move, t)) != NOBODY && left;
	     left--) {
		clock_join(clock, moves_clock(h, h->threads.at[t].last), h->stride);
		moves_join_drained(h, &h->threads.at[t].drained, clock);
	}
}

/* ---- pasts ---- */

uint64_t sources_hash(const struct moves *h, const struct sources *s, uint32_t move,
		      uint32_t choices)
{
	if (choices == ALL_CHOICES)
		return s->whole.at[move];
	uint32_t first = s->touch_first.at[move];
	if (choices == ONLY_LOOK)
		return sources_look_with(h, s, move, s->touches.at + first,
					 s->touch_first.at[move + 1] - first);
	if (choices == ONLY_LIFE) {
		return sources_life_with(h, s, move, h->moves.at[move].enabled_by,
					 s->touches.at + first,
					 s->touch_first.at[move + 1] - first);
	}
	uint64_t hash = s->seen.at[move];
	const struct wire_op *choice;
	for (uint32_t i = 0;
	     i < choices && (choice = opset_choice(h->moves.at[move].branch.ops, i)); i++)
		hash = hash_mix(hash, choice->value + 1);
	return hash;
}

/* Whether the source is the end of the spot's life: then what follows is the same for every kind
 * and size of access. */
static bool ends_life(const struct sources *s, const struct touch *t)
{
	if (t->source == NOBODY)
		return false;
	for (uint32_t i = s->touch_first.at[t->source]; i < s->touch_first.at[t->source + 1]; i++)
		if (s->touches.at[i].spot == t->spot)
			return s->touches.at[i].bits & TOUCH_ENDS;
	return false;
}

uint64_t sources_hash_with(const struct moves *h, const struct sources *s, uint32_t move,
			   size_t enabled_by, const struct touch *touches, size_t count)
{
	const struct move *m = &h->moves.at[move];
	uint64_t hash = hash_mix(m->branch.thread + 1,
				 m->previous == NO_MOVE ? 0 : s->whole.at[m->previous]);
	hash = hash_mix(hash, enabled_by == NO_MOVE ? 0 : s->whole.at[enabled_by]);
	size_t left = h->threads.len;
	for (uint32_t t = m->branch.thread; (t = next_in_cycle(h, move, t)) != NOBODY && left;
	     left--)
		hash = hash_mix(hash, s->whole.at[h->threads.at[t].last]);
	/* Neighbouring spots with the same source are one: where they are cut depends on others.
	 * One's own are known. */
	uint64_t low = 0, high = 0, from = 0, values = 0;
	for (size_t i = 0; i < count; i++) {
		const struct touch *t = &touches[i];
		if (!(t->bits & TOUCH_SEES))
			continue;
		if (t->group > GROUP_BASE)
			values += t->group;
		bool is_foreign = t->group == GROUP_NONE && !t->is_own && t->source != NOBODY &&
				  move_owner(h, t->source) != move_owner(h, move);
		uint64_t seen = (is_foreign ? s->whole.at[t->source] : 0) + t->added;
		if (!seen)
			continue;
		const struct spot *c = &s->spots.at[t->spot];
		uint64_t place = hash_mix(c->space, seen);
		bool is_dead = ends_life(s, t);
		if (place == from && (c->low == high || (is_dead && low == high))) {
			high = is_dead ? high : c->high;
			continue;
		}
		if (from)
			hash = hash_mix(hash_mix(hash_mix(hash, from), low), high);
		from = place;
		low = is_dead ? 0 : c->low;
		high = is_dead ? 0 : c->high;
	}
	if (from)
		hash = hash_mix(hash_mix(hash_mix(hash, from), low), high);
	return values ? hash_mix(hash, values) : hash;
}

/* A store may leave its buffer after the end, and does not change it. */
uint32_t sources_end_of_life(const struct sources *s, const struct touch *t)
{
	if (t->source == NOBODY || ends_life(s, t))
		return t->source;
	for (uint32_t i = s->touch_first.at[t->source]; i < s->touch_first.at[t->source + 1]; i++)
		if (s->touches.at[i].spot == t->spot && s->touches.at[i].bits & TOUCH_NO_SETS)
			return s->touches.at[i].source;
	return NOBODY;
}

bool touch_is_look(const struct moves *h, const struct sources *s, const struct touch *t)
{
	const struct spot *c = &s->spots.at[t->spot];
	uint64_t own = PENDING_OF(h->moves.at[t->move].branch.thread),
		 all = PENDING_OF(PENDING_PROCESS);
	return c->space == SPACE_HIDDEN && t->bits & TOUCH_SEES &&
	       (c->low == (own << 8 | HIDDEN_PENDING) || c->low == (all << 8 | HIDDEN_PENDING) ||
		c->low == (own << 8 | HIDDEN_CANCEL));
}

uint64_t sources_look_with(const struct moves *h, const struct sources *s, uint32_t move,
			   const struct touch *touches, size_t count)
{
	const struct move *m = &h->moves.at[move];
	/* What ended a wait makes no difference: a signal that is found, or something else. */
	uint64_t hash = hash_mix(m->branch.thread + 1, 0);
	if (m->previous != NO_MOVE)
		hash = hash_mix(m->branch.thread + 1, s->whole.at[m->previous]);
	else if (m->enabled_by != NO_MOVE)
		hash = hash_mix(m->branch.thread + 1, s->whole.at[m->enabled_by]);
	for (size_t i = 0; i < count; i++) {
		const struct touch *t = &touches[i];
		if (!touch_is_look(h, s, t) || t->source == NOBODY ||
		    move_owner(h, t->source) == m->branch.thread)
			continue;
		hash = hash_mix(hash_mix(hash, s->whole.at[t->source]), s->spots.at[t->spot].low);
	}
	return hash;
}

uint64_t sources_life_with(const struct moves *h, const struct sources *s, uint32_t move,
			   size_t enabled_by, const struct touch *touches, size_t count)
{
	uint64_t hash = sources_hash_with(h, s, move, enabled_by, NULL, 0), last = 0;
	for (size_t i = 0; i < count; i++)
		if (touch_is_look(h, s, &touches[i]))
			hash = hash_mix(hash, sources_look_with(h, s, move, &touches[i], 1));
	for (size_t i = 0; i < count; i++) {
		uint32_t by =
			touches[i].bits & TOUCH_SEES ? sources_end_of_life(s, &touches[i]) : NOBODY;
		uint64_t end = by == NOBODY ? 0 : s->whole.at[by];
		if (end && end != last)
			hash = hash_mix(hash, last = end);
	}
	return hash;
}

/* What others added to the spot before the touch; gives the sum of their hashes. */
static uint64_t join_added(const struct sources *s, const struct moves *h, const struct touch *t,
			   uint32_t *clock)
{
	const struct spot *c = &s->spots.at[t->spot];
	uint64_t added = 0;
	if (t->bits & (TOUCH_NO_ADDS | TOUCH_NO_SETS))
		return 0;
	for (uint32_t i = 0; i < c->count; i++) {
		const struct touch *a = &s->touches.at[s->uses.at[c->first + i]];
		if (a->move >= t->move)
			break;
		if (!(a->bits & TOUCH_ADDS))
			continue;
		clock_join(clock, moves_clock(h, a->move), h->stride);
		if (move_owner(h, a->move) != move_owner(h, t->move))
			added += hash_mix(3, s->whole.at[a->move]);
	}
	return added;
}

uint64_t sources_join(const struct sources *s, const struct moves *h, const struct touch *t,
		      uint32_t *clock)
{
	if (t->source != NOBODY && !t->is_own && !t->is_open) {
		if (!FAULT(MCR_SOURCE_NOT_JOINED))
			clock_join(clock, moves_clock(h, t->source), h->stride);
	}
	if (t->own != NOBODY)
		clock_join(clock, moves_clock(h, t->own), h->stride);
	return join_added(s, h, t, clock);
}

static void find_past(struct sources *s, const struct moves *h, uint32_t move)
{
	const struct move *m = &h->moves.at[move];
	uint32_t *clock = moves_clock(h, move);
	sources_past_before(h, move, m->enabled_by, clock);
	struct values *v = &s->values;
	v->joined.len = 0;
	vec_grow_zeroed(&v->joined, h->stride);
	const uint32_t *before = memcpy(v->joined.at, clock, h->stride * sizeof(*clock));
	uint32_t first = s->touch_first.at[move], end = s->touch_first.at[move + 1];
	for (uint32_t i = first; i < end; i++) {
		struct touch *t = &s->touches.at[i];
		if (!(t->bits & TOUCH_SEES))
			continue;
		if (s->values.is_on)
			t->group = values_group(s, h, t, before, t->source);
		t->added = sources_join(s, h, t, clock);
		(void)cancellation_check(s->cancellation, s->spots.at[t->spot].count + h->stride);
	}
	clock[m->column] = m->index;
	uint64_t hash =
		sources_hash_with(h, s, move, m->enabled_by, s->touches.at + first, end - first);
	vec_push(&s->seen, hash);
	const struct wire_op *choice;
	for (uint32_t i = 0; (choice = opset_choice(m->branch.ops, i)); i++) {
		if (FAULT(MCR_HASH_WITHOUT_ANSWERS))
			break;
		hash = hash_mix(hash, choice->value + 1);
	}
	vec_push(&s->whole, hash);
}

static void find_aparts(struct sources *s, const struct moves *h, const struct spot *c)
{
	for (uint32_t i = 0; i < c->count && !cancellation_check(s->cancellation, c->count); i++) {
		const struct touch *t = &s->touches.at[s->uses.at[c->first + i]];
		if (!(t->bits & TOUCH_SEES) || t->is_open || t->move >= s->real ||
		    (t->is_own && t->source == NOBODY))
			continue;
		for (uint32_t k = 0; k < c->count; k++) {
			const struct touch *o = &s->touches.at[s->uses.at[c->first + k]];
			if (o->move == t->move || o->move == t->source || o->move >= s->real ||
			    !touch_is_seen(t, o))
				continue;
			uint32_t source = o->bits & TOUCH_ADDS ? NOBODY : t->source;
			if (o->bits & TOUCH_ADDS && o->move < t->move)
				continue; /* it is in the past */
			bool is_decided = moves_is_before(h, t->move, o->move) ||
					  (source != NOBODY && moves_is_before(h, o->move, source));
			if (!is_decided)
				vec_push(&s->aparts, ((struct apart){ t->move, source, o->move }));
		}
	}
}

void sources_find_pasts(struct sources *s, struct moves *h)
{
	s->seen.len = s->whole.len = s->aparts.len = 0;
	for (uint32_t m = 0; m < h->moves.len && !cancellation_check(s->cancellation, h->stride);
	     m++)
		find_past(s, h, m);
	if (s->cancellation->is_cancelled)
		return;
	values_find_open(s, h);
	struct moves view = values_view(s, h);
	for (size_t c = 0; c < s->spots.len; c++)
		find_aparts(s, &view, &s->spots.at[c]);
}
