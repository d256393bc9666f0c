/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order by saturation and search; see arrange.h.
 *
 * The order that is forced so far is a clock for each move.  An edge is put in by joining the
 * clock of its beginning to those of all moves behind its end, which are the last ones of each
 * thread.  Constraints are applied until nothing changes; then moves are listed, the target as
 * late as it may come and all others as in the execution.  If that list violates a constraint,
 * its two sides are tried one after the other.  By value, touches that have several sources begin
 * without one: if what the list gives one of them is of another group, each source of its own
 * group is tried.
 */
#include "explore/mcr/arrange.h"

#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "wire/fault.h"

#define TRIES_MAX 20000

void arrangement_release(struct arrangement *a)
{
	vec_release(&a->order);
	vec_release(&a->clocks);
	vec_release(&a->saved);
	vec_release(&a->places);
	vec_release(&a->aparts);
	vec_release(&a->open);
	vec_release(&a->before);
}

static bool is_in(const struct arrangement *a, uint32_t move)
{
	const struct move *m = &a->history->moves.at[move];
	return m->index <= a->lengths[m->column];
}

static uint32_t *clock_of(const struct arrangement *a, uint32_t move)
{
	return a->clocks.at + (size_t)move * a->history->stride;
}

static bool is_before(const struct arrangement *a, uint32_t first, uint32_t second)
{
	const struct move *m = &a->history->moves.at[first];
	return m->index <= clock_of(a, second)[m->column];
}

/* ---- what is asked ---- */

static void add_apart(struct arrangement *a, uint32_t seer, uint32_t source, uint32_t other)
{
	vec_push(&a->aparts, ((struct apart){ seer, source, other }));
}

static bool sees_addition(const struct target *t, uint32_t move)
{
	for (size_t i = 0; i < t->added_count; i++)
		if (t->added[i] == move)
			return true;
	return false;
}

/* Others must not change what the target sees, nor it what they see. */
static void ask_about(struct arrangement *a, const struct touch *t, bool is_decided)
{
	const struct sources *s = a->sources;
	const struct target *x = a->target;
	const struct spot *c = &s->spots.at[t->spot];
	if (t->is_absent) {
		if (is_in(a, t->source))
			add_apart(a, x->move, NOBODY, t->source);
		return;
	}
	bool has_source = !t->is_own || (t->source != NOBODY && is_in(a, t->source));
	struct touch change = *t;
	if (x->only_sees)
		change.bits &= (uint8_t) ~(TOUCH_SETS | TOUCH_ADDS | TOUCH_ENDS);
	for (uint32_t i = 0; i < c->count; i++) {
		const struct touch *o = &s->touches.at[s->uses.at[c->first + i]];
		if (o->move == x->move || !is_in(a, o->move))
			continue;
		bool is_rival = is_decided && !t->is_open && has_source && touch_is_seen(t, o) &&
				o->move != t->source;
		if (FAULT(MCR_SOURCE_OVERWRITTEN))
			is_rival = false;
		if (is_rival) {
			if (!(o->bits & TOUCH_ADDS))
				add_apart(a, x->move, t->source, o->move);
			else if (!sees_addition(x, o->move))
				add_apart(a, x->move, NOBODY, o->move);
		}
		if (FAULT(MCR_OTHERS_SEE_CHANGE))
			continue;
		if (!touch_is_seen(o, &change) || o->is_open)
			continue;
		if (o->is_own && (o->source == NOBODY || !is_in(a, o->source)))
			continue;
		add_apart(a, o->move, t->bits & TOUCH_ADDS ? NOBODY : o->source, x->move);
	}
}

static void ask(struct arrangement *a)
{
	const struct moves *h = a->history;
	const struct sources *s = a->sources;
	size_t stride = h->stride;
	a->clocks.len = a->aparts.len = 0;
	vec_reserve(&a->clocks, h->moves.len * stride);
	a->clocks.len = h->moves.len * stride;
	for (size_t c = 0; c < s->threads.len; c++)
		for (uint32_t i = 1; i <= a->lengths[c]; i++) {
			uint32_t m = sources_move(s, c, i);
			memcpy(clock_of(a, m), moves_clock(h, m), stride * sizeof(uint32_t));
		}
	for (size_t i = 0; i < s->aparts.len; i++) {
		const struct apart *x = &s->aparts.at[i];
		if (is_in(a, x->seer) && is_in(a, x->other) &&
		    (x->source == NOBODY || is_in(a, x->source)) &&
		    (!a->target || (x->seer != a->target->move && x->other != a->target->move)))
			vec_push(&a->aparts, *x);
	}
	const struct target *x = a->target;
	a->open.len = 0;
	for (size_t i = 0; i < s->touches.len && s->values.is_on; i++) {
		const struct touch *t = &s->touches.at[i];
		if (t->is_open && is_in(a, t->move) && (!x || x->move != t->move))
			vec_push(&a->open, ((struct open_touch){
						   *t, h->moves.at[t->move].enabled_by, false }));
	}
	if (!x)
		return;
	uint32_t *clock = clock_of(a, x->move);
	const struct move *m = &h->moves.at[x->move];
	sources_past_before(h, x->move, x->enabled_by, clock);
	for (size_t i = 0; i < x->added_count; i++)
		clock_join(clock, moves_clock(h, x->added[i]), stride);
	for (size_t i = 0; i < x->touches_count; i++) {
		const struct touch *t = &x->touches[i];
		bool is_decided = i < x->decided && t->bits & TOUCH_SEES;
		if (is_decided && t->is_open)
			vec_push(&a->open, ((struct open_touch){ *t, x->enabled_by, false }));
		else if (is_decided && t->source != NOBODY && !t->is_own)
			clock_join(clock, moves_clock(h, t->source), stride);
		if (is_decided && t->own != NOBODY)
			clock_join(clock, moves_clock(h, t->own), stride);
		ask_about(a, t, is_decided);
	}
	clock[m->column] = m->index;
	if (x->waker != NOBODY && is_in(a, x->waker)) {
		if (!FAULT(MCR_WAKER_UNORDERED))
			add_apart(a, x->move, NOBODY, x->waker);
	}
	for (size_t c = 0; x->end != NOBODY && is_in(a, x->end) && c < s->threads.len; c++)
		if (a->lengths[c] && c != h->moves.at[x->end].column)
			add_apart(a, sources_move(s, c, a->lengths[c]), NOBODY, x->end);
}

/* ---- what follows ---- */

/* False: the opposite is known. */
static bool put_before(struct arrangement *a, uint32_t first, uint32_t second)
{
	const struct moves *h = a->history;
	if (is_before(a, second, first))
		return false;
	const struct move *begin = &h->moves.at[first], *end = &h->moves.at[second];
	const uint32_t *clock = clock_of(a, first);
	size_t columns = a->sources->threads.len;
	for (size_t c = 0; c < columns; c++)
		for (uint32_t i = a->lengths[c]; i > 0; i--) {
			uint32_t m = sources_move(a->sources, c, i);
			uint32_t *behind = clock_of(a, m);
			if (behind[end->column] < end->index)
				break;
			/* What is behind the beginning already has all that is before it. */
			if (behind[begin->column] < begin->index)
				clock_join(behind, clock, columns);
		}
	return true;
}

static bool saturate(struct arrangement *a)
{
	bool has_changed = true;
	while (has_changed && !cancellation_check(a->sources->cancellation, a->clocks.len)) {
		has_changed = false;
		for (size_t i = 0; i < a->aparts.len; i++) {
			const struct apart *x = &a->aparts.at[i];
			uint32_t first = x->seer, second = x->other;
			if (x->source != NOBODY && is_before(a, x->other, x->seer)) {
				first = x->other;
				second = x->source;
			} else if (x->source != NOBODY && !is_before(a, x->source, x->other)) {
				continue;
			}
			if (is_before(a, first, second))
				continue;
			if (!put_before(a, first, second) ||
			    cancellation_check(a->sources->cancellation, a->history->moves.len))
				return false;
			has_changed = true;
		}
	}
	return true;
}

/* ---- a list ---- */

/* The next move of its thread: whether what is before it is listed. */
static bool is_ready(const struct arrangement *a, uint32_t move, uint32_t *listed)
{
	uint32_t self = a->history->moves.at[move].column;
	listed[self]++;
	bool is_so = clock_is_within(clock_of(a, move), listed, a->sources->threads.len);
	listed[self]--;
	return is_so;
}

static void list(struct arrangement *a)
{
	const struct moves *h = a->history;
	a->order.len = a->places.len = 0;
	vec_grow_zeroed(&a->places, h->moves.len + a->sources->threads.len);
	uint32_t *listed = a->places.at + h->moves.len;
	for (;;) {
		uint32_t best = NOBODY;
		for (size_t c = 0; c < a->sources->threads.len; c++) {
			if (listed[c] >= a->lengths[c])
				continue;
			uint32_t m = sources_move(a->sources, c, listed[c] + 1);
			bool is_target = a->target && m == a->target->move;
			bool is_better = best == NOBODY || (a->target && best == a->target->move) ||
					 (!is_target && m < best);
			if (is_better && is_ready(a, m, listed))
				best = m;
		}
		if (best == NOBODY)
			return;
		listed[h->moves.at[best].column]++;
		a->places.at[best] = (uint32_t)a->order.len;
		vec_push(&a->order, best);
	}
}

static const struct apart *violated(const struct arrangement *a)
{
	for (size_t i = 0; i < a->aparts.len; i++) {
		const struct apart *x = &a->aparts.at[i];
		if (x->source == NOBODY)
			continue; /* it is an edge */
		const uint32_t *p = a->places.at;
		if (FAULT(MCR_ORDER_NOT_CHECKED))
			break;
		if (p[x->other] > p[x->source] && p[x->other] < p[x->seer])
			return x;
	}
	return NULL;
}

/* ---- several sources ---- */

/* Whether the move of that use changes the spot. */
static bool changes(const struct arrangement *a, const struct touch *use)
{
	const struct target *x = a->target;
	for (size_t i = 0; x && use->move == x->move && i < x->touches_count; i++)
		if (x->touches[i].spot == use->spot)
			return !x->only_sees &&
			       x->touches[i].bits & (TOUCH_SETS | TOUCH_ADDS | TOUCH_ENDS);
	return use->bits & (TOUCH_SETS | TOUCH_ADDS | TOUCH_ENDS);
}

static bool is_of_group(struct arrangement *a, const struct open_touch *o, uint32_t source)
{
	if (source == o->touch.source)
		return true;
	if (a->target && source == a->target->move)
		return false;
	a->before.len = 0;
	vec_grow_zeroed(&a->before, a->real->stride);
	sources_past_before(a->real, o->touch.move, o->enabled_by, a->before.at);
	return values_group(a->sources, a->real, &o->touch, a->before.at, source) == o->touch.group;
}

/* The move that changed the spot last before the touch, in the list. */
static uint32_t seen_in_list(const struct arrangement *a, const struct touch *t)
{
	const struct spot *c = &a->sources->spots.at[t->spot];
	uint32_t last = NOBODY;
	for (uint32_t i = 0; i < c->count; i++) {
		const struct touch *o = &a->sources->touches.at[a->sources->uses.at[c->first + i]];
		if (o->move == t->move || !is_in(a, o->move) ||
		    a->places.at[o->move] > a->places.at[t->move] || !changes(a, o))
			continue;
		if (last == NOBODY || a->places.at[o->move] > a->places.at[last])
			last = o->move;
	}
	return last;
}

static struct open_touch *unsettled(struct arrangement *a)
{
	for (size_t i = 0; i < a->open.len; i++) {
		struct open_touch *o = &a->open.at[i];
		if (FAULT(VALUE_GROUP_NOT_SETTLED))
			break;
		if (!o->is_settled && !is_of_group(a, o, seen_in_list(a, &o->touch)))
			return o;
	}
	return NULL;
}

/* The touch sees that source. */
static bool settle(struct arrangement *a, const struct touch *t, uint32_t source)
{
	const struct spot *c = &a->sources->spots.at[t->spot];
	for (uint32_t i = 0; i < c->count; i++) {
		const struct touch *o = &a->sources->touches.at[a->sources->uses.at[c->first + i]];
		if (FAULT(VALUE_SOURCE_OVERWRITTEN))
			break;
		if (o->move != t->move && o->move != source && is_in(a, o->move) && changes(a, o))
			add_apart(a, t->move, source, o->move);
	}
	return source == NOBODY || put_before(a, source, t->move);
}

static enum arranged solve(struct arrangement *a);

static size_t save_clocks(struct arrangement *a)
{
	size_t saved = a->saved.len, size = a->clocks.len;
	vec_reserve(&a->saved, size);
	memcpy(a->saved.at + saved, a->clocks.at, size * sizeof(uint32_t));
	a->saved.len += size;
	return saved;
}

static void restore_clocks(struct arrangement *a, size_t saved)
{
	memcpy(a->clocks.at, a->saved.at + saved, a->clocks.len * sizeof(uint32_t));
}

/* Each source of the group, and none if that is one. */
static enum arranged solve_sources(struct arrangement *a, size_t open)
{
	struct touch t = a->open.at[open].touch;
	const struct spot *c = &a->sources->spots.at[t.spot];
	size_t saved = save_clocks(a), aparts = a->aparts.len;
	enum arranged answer = ARRANGED_NOT;
	a->open.at[open].is_settled = true;
	for (uint32_t i = 0; i <= c->count && answer == ARRANGED_NOT; i++) {
		uint32_t source =
			i == c->count
				? NOBODY
				: a->sources->touches.at[a->sources->uses.at[c->first + i]].move;
		if (source == t.move || (source != NOBODY && !is_in(a, source)) ||
		    !is_of_group(a, &a->open.at[open], source))
			continue;
		if (source != NOBODY &&
		    !changes(a, &a->sources->touches.at[a->sources->uses.at[c->first + i]]))
			continue;
		answer = settle(a, &t, source) ? solve(a) : ARRANGED_NOT;
		a->aparts.len = aparts;
		restore_clocks(a, saved);
	}
	a->open.at[open].is_settled = false;
	a->saved.len = saved;
	return answer;
}

static enum arranged solve(struct arrangement *a)
{
	if (!saturate(a))
		return ARRANGED_NOT;
	list(a);
	const struct apart *x = violated(a);
	const struct open_touch *touch = x || !a->open.len ? NULL : unsettled(a);
	if (!x && !touch)
		return ARRANGED;
	if (++a->tries > TRIES_MAX || a->sources->cancellation->is_cancelled)
		return ARRANGED_UNKNOWN;
	if (!x)
		return solve_sources(a, (size_t)(touch - a->open.at));
	struct apart open = *x;
	size_t saved = save_clocks(a);
	enum arranged answer = ARRANGED_NOT;
	for (int side = 0; side < 2 && answer == ARRANGED_NOT; side++) {
		restore_clocks(a, saved);
		bool is_possible = side ? put_before(a, open.seer, open.other)
					: put_before(a, open.other, open.source);
		answer = is_possible ? solve(a) : ARRANGED_NOT;
	}
	a->saved.len = saved;
	return answer;
}

enum arranged arrange(struct arrangement *a, const struct moves *h, const struct sources *s,
		      const uint32_t *lengths, const struct target *target)
{
	a->real = h;
	a->view = values_view(s, h);
	a->history = &a->view;
	a->sources = s;
	a->lengths = lengths;
	a->target = target;
	a->tries = 0;
	a->saved.len = 0;
	double begun = clock_now_seconds();
	ask(a);
	enum arranged answer = solve(a);
	a->seconds += clock_now_seconds() - begun;
	return answer;
}
