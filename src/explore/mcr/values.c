/* SPDX-License-Identifier: Apache-2.0 */
/* Sources by value; see values.h. */
#include "explore/mcr/values.h"

#include "base/hash.h"
#include "wire/fault.h"
#include "explore/mcr/spots.h"

#define INITIAL_VARIES 512
#define CHANGES_MAX 64 /* after so many restarts sources are distinguished by writer */

void values_release(struct values *v)
{
	vec_release(&v->freed);
	map_release(&v->initial);
	map_release(&v->known_writes);
	vec_release(&v->written);
	vec_release(&v->sees);
	vec_release(&v->last_seeing);
	vec_release(&v->firm);
	vec_release(&v->before);
	vec_release(&v->joined);
}

/* ---- refinements ---- */

static bool is_freed(const struct values *v, uint64_t low, uint64_t high)
{
	for (size_t i = 0; i < v->freed.len; i++)
		if (v->freed.at[i].low < high && low < v->freed.at[i].high)
			return true;
	return false;
}

static bool count_change(struct values *v, bool is_news)
{
	if (is_news && ++v->changes > CHANGES_MAX)
		v->is_on = false;
	return is_news;
}

bool values_note_freed(struct sources *s, const struct moves *h)
{
	struct values *v = &s->values;
	bool is_news = false;
	for (size_t m = 0; m < h->moves.len && v->is_on; m++) {
		const struct opset *ops = h->moves.at[m].branch.ops;
		for (uint32_t i = 0; i < ops->count; i++) {
			const struct footprint *f = &ops->prints[i];
			if (f->space != SPACE_MEMORY ||
			    !(op_touch_bits(&ops->ops[i], f) & TOUCH_ENDS))
				continue;
			bool is_known = false;
			for (size_t k = 0; k < v->freed.len && !is_known; k++)
				is_known = v->freed.at[k].low <= f->low &&
					   f->high <= v->freed.at[k].high;
			if (is_known)
				continue;
			vec_push(&v->freed, ((struct address_range){ f->low, f->high }));
			is_news = true;
		}
	}
	return count_change(v, is_news);
}

/* The operation that left what is in a spot after a move; NULL: that is not known, or it did more
 * than write. */
static const struct wire_op *write_of(const struct moves *h, uint32_t move, const struct spot *c)
{
	const struct opset *s = h->moves.at[move].branch.ops;
	const struct wire_op *last = NULL;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct footprint *f = &s->prints[i];
		if (f->space == SPACE_MEMORY && f->low < c->high && c->low < f->high &&
		    f->use != USE_READ)
			last = &s->ops[i];
	}
	return last && (last->kind == EV_WRITE || last->kind == EV_FLUSH) && last->size <= 8 ? last
											     : NULL;
}

static uint64_t byte_at(const struct wire_op *op, uint64_t address)
{
	return op->value >> 8 * (address - op->object) & 255;
}

/* Whether it leaves what was there at first, as far as is known. */
static bool is_initial(const struct values *v, const struct wire_op *op)
{
	for (uint64_t a = op->object; a < op->object + op->size; a++) {
		const uint64_t *known = map_get(&v->initial, a);
		if (!known || *known != byte_at(op, a) + 1)
			return false;
	}
	return true;
}

static bool has_initial(const struct values *v, const struct spot *c)
{
	for (uint64_t a = c->low; a < c->high; a++) {
		const uint64_t *known = map_get(&v->initial, a);
		if (!known || *known == INITIAL_VARIES)
			return false;
	}
	return true;
}

/* What a read saw in memory that no move had written. */
static void note_initial(struct values *v, const struct spot *c, const struct wire_op *op)
{
	for (uint64_t a = c->low; a < c->high; a++) {
		bool is_new;
		uint64_t *known = map_put(&v->initial, a, &is_new);
		if (is_new || (*known != byte_at(op, a) + 1 && *known != INITIAL_VARIES))
			*known = is_new ? byte_at(op, a) + 1 : (v->varied++, INITIAL_VARIES);
	}
}

void values_note_written(struct values *v, const struct wire_op *op)
{
	bool is_new;
	map_put(&v->known_writes, hash_mix(hash_mix(hash_mix(1, op->object), op->size), op->value),
		&is_new);
	if (is_new)
		vec_push(&v->written, ((struct written){ *op, is_initial(v, op) }));
}

/* Whether the answer to is_initial() is another one than it was for something that is written. */
static bool has_changed_writes(struct values *v)
{
	bool has_changed = false;
	for (size_t i = 0; i < v->written.len; i++) {
		struct written *w = &v->written.at[i];
		bool is_now = is_initial(v, &w->op);
		if (!FAULT(VALUE_INITIALS_KEPT))
			has_changed |= is_now != w->is_initial;
		w->is_initial = is_now;
	}
	return has_changed;
}

bool values_note_contents(struct sources *s, const struct moves *h)
{
	struct values *v = &s->values;
	size_t known = v->initial.len;
	uint64_t varied = v->varied;
	for (size_t i = 0; i < s->touches.len && v->is_on; i++) {
		const struct touch *t = &s->touches.at[i];
		const struct spot *c = &s->spots.at[t->spot];
		const struct opset *ops = h->moves.at[t->move].branch.ops;
		if (c->space != SPACE_MEMORY)
			continue;
		const struct wire_op *write = t->bits & TOUCH_SETS ? write_of(h, t->move, c) : NULL;
		if (write)
			values_note_written(v, write);
		if (!(t->bits & TOUCH_SEES) || t->bits & TOUCH_NO_SETS || t->source != NOBODY ||
		    t->is_own || opset_has_failed(ops))
			continue;
		for (uint32_t k = 0; k < ops->count; k++)
			if (ops->ops[k].kind == EV_READ && ops->ops[k].size <= 8 &&
			    ops->ops[k].object <= c->low &&
			    c->high <= ops->ops[k].object + ops->ops[k].size)
				note_initial(v, c, &ops->ops[k]);
	}
	bool may_differ = v->initial.len != known || v->varied != varied;
	return count_change(v, may_differ && has_changed_writes(v));
}

/* ---- which moves see something ---- */

void values_note(struct sources *s, const struct raw *r)
{
	struct values *v = &s->values;
	vec_grow_zeroed(&v->sees, r->move + 1);
	bool sees = r->bits & TOUCH_SEES && !(r->bits & TOUCH_NO_SETS);
	if (FAULT(VALUE_RMW_SEES_NOTHING) && r->bits & TOUCH_SETS)
		sees = false;
	v->sees.at[r->move] |= sees || r->bits & TOUCH_ENDS ||
			       (r->bits & TOUCH_SEES && is_freed(v, r->low, r->high));
}

void values_find_seeing(struct sources *s, const struct moves *h)
{
	struct values *v = &s->values;
	vec_grow_zeroed(&v->sees, h->moves.len);
	v->last_seeing.len = 0;
	for (size_t i = 0; i < h->moves.len; i++) {
		const struct move *m = &h->moves.at[i];
		bool is_woken = m->enabled_by != NO_MOVE && m->previous != NO_MOVE &&
				m->branch.thread < BUFFERS_FROM;
		v->sees.at[i] |= m->branch.ops->choices || m->branch.ops->is_cut ||
				 opset_has_failed(m->branch.ops) || is_woken ||
				 m->pause.is_waiting || i >= s->real;
		uint32_t before = m->previous == NO_MOVE ? 0 : v->last_seeing.at[m->previous];
		vec_push(&v->last_seeing, v->sees.at[i] ? m->index : before);
	}
}

uint32_t values_trim(const struct sources *s, uint32_t column, uint32_t length)
{
	return length && s->values.is_on ? s->values.last_seeing.at[sources_move(s, column, length)]
					 : length;
}

/* ---- groups ---- */

/* What all pasts with the same seeing moves have in common. */
static uint64_t signature(const struct sources *s, const uint32_t *clock)
{
	uint64_t sum = 0;
	for (uint32_t c = 0; c < s->threads.len; c++) {
		uint32_t seeing = values_trim(s, c, clock[c]);
		if (seeing)
			sum += hash_mix(s->threads.at[c] + 11,
					s->whole.at[sources_move(s, c, seeing)]);
	}
	return sum;
}

/* The last move of the thread that changed the spot before the touch; NOBODY: there is none. */
static uint32_t last_own(const struct sources *s, const struct moves *h, const struct touch *t)
{
	const struct spot *c = &s->spots.at[t->spot];
	const struct move *m = &h->moves.at[t->move];
	uint32_t own = NOBODY;
	for (uint32_t i = 0; i < c->count; i++) {
		const struct touch *o = &s->touches.at[s->uses.at[c->first + i]];
		const struct move *x = &h->moves.at[o->move];
		if (x->branch.thread == m->branch.thread && x->index < m->index &&
		    o->bits & (TOUCH_SETS | TOUCH_ADDS | TOUCH_STORES))
			own = o->move;
	}
	return own;
}

/*
 * Whether a write leaves what the thread would see if no other thread had written.  `own`: the last
 * write of its own, NULL: the initial content counts.  All of the write is compared, not the
 * spot: where spots are cut depends on others.
 */
static bool is_base(const struct values *v, const struct wire_op *op, const struct wire_op *own)
{
	return own ? op->object == own->object && op->size == own->size && op->value == own->value
		   : is_initial(v, op);
}

uint64_t values_group(const struct sources *s, const struct moves *h, const struct touch *t,
		      const uint32_t *before, uint32_t source)
{
	const struct values *v = &s->values;
	const struct spot *c = &s->spots.at[t->spot];
	if (!v->is_on || t->is_own || !(t->bits & TOUCH_SEES) || t->bits & TOUCH_NO_SETS ||
	    c->space != SPACE_MEMORY)
		return GROUP_NONE;
	/* There every write counts: whether a thread can continue depends on more than what it
	 * reads. */
	bool is_awaited = sources_is_awaited(s, c->space, c->low, c->high);
	if (FAULT(VALUE_GROUPS_AWAITED_WRITES))
		is_awaited = false;
	if (is_awaited)
		return GROUP_NONE;
	uint32_t own_move = last_own(s, h, t);
	const struct wire_op *own = own_move == NOBODY ? NULL : write_of(h, own_move, c);
	bool has_base = !is_freed(v, c->low, c->high) &&
			(own ? !h->buffers.len : own_move == NOBODY && has_initial(v, c));
	if (source == NOBODY || move_owner(h, source) == move_owner(h, t->move))
		return has_base ? GROUP_BASE : GROUP_NONE;
	const struct wire_op *write = write_of(h, source, c);
	if (!write)
		return GROUP_NONE;
	uint64_t alone = signature(s, before);
	VEC(uint32_t) joined = { 0 };
	vec_grow_zeroed(&joined, h->stride);
	memcpy(joined.at, before, h->stride * sizeof(*before));
	clock_join(joined.at, moves_clock(h, source), h->stride);
	uint64_t with = signature(s, joined.at);
	vec_release(&joined);
	if (FAULT(VALUE_SIGNATURE_WITHOUT_SOURCE))
		with = alone;
	bool is_alone = with == alone;
	if (FAULT(VALUE_BASE_WITHOUT_SIGNATURE))
		is_alone = true;
	if (has_base && is_alone && is_base(v, write, own))
		return GROUP_BASE;
	/* Byte by byte, for the same reason. */
	uint64_t sum = 0;
	for (uint64_t a = c->low; a < c->high; a++)
		sum += hash_mix(hash_mix(with, a), byte_at(write, a));
	return sum > GROUP_BASE ? sum : sum + 2;
}

/* ---- touches with several sources ---- */

struct moves values_view(const struct sources *s, const struct moves *h)
{
	struct moves view = *h;
	if (s->values.is_on) {
		view.clocks.at = s->values.firm.at;
		view.clocks.len = s->values.firm.len;
	}
	return view;
}

static bool has_others(const struct sources *s, const struct moves *h, const struct touch *t,
		       const uint32_t *before)
{
	const struct spot *c = &s->spots.at[t->spot];
	if (t->source != NOBODY && values_group(s, h, t, before, NOBODY) == t->group &&
	    t->group == GROUP_BASE)
		return true;
	for (uint32_t i = 0; i < c->count; i++) {
		const struct touch *o = &s->touches.at[s->uses.at[c->first + i]];
		if (o->bits & TOUCH_SETS && o->move != t->move && o->move != t->source &&
		    o->move < s->real && values_group(s, h, t, before, o->move) == t->group)
			return true;
	}
	return false;
}

static void find_firm_past(struct sources *s, const struct moves *view, uint32_t move)
{
	uint32_t *clock = moves_clock(view, move);
	const struct move *m = &view->moves.at[move];
	sources_past_before(view, move, m->enabled_by, clock);
	for (uint32_t i = s->touch_first.at[move]; i < s->touch_first.at[move + 1]; i++) {
		struct touch *t = &s->touches.at[i];
		if (t->bits & TOUCH_SEES)
			(void)sources_join(s, view, t, clock);
	}
	clock[m->column] = m->index;
}

void values_find_open(struct sources *s, const struct moves *h)
{
	struct values *v = &s->values;
	if (!v->is_on)
		return;
	v->before.len = 0;
	vec_grow_zeroed(&v->before, h->stride);
	for (uint32_t m = 0; m < s->real && !cancellation_check(s->cancellation, h->moves.len);
	     m++) {
		bool has_before = false;
		for (uint32_t i = s->touch_first.at[m]; i < s->touch_first.at[m + 1]; i++) {
			struct touch *t = &s->touches.at[i];
			if (t->group == GROUP_NONE || t->added)
				continue;
			if (!has_before)
				sources_past_before(h, m, h->moves.at[m].enabled_by, v->before.at);
			has_before = true;
			t->is_open = has_others(s, h, t, v->before.at);
			if (FAULT(VALUE_READS_CLOSED))
				t->is_open = false;
		}
	}
	v->firm.len = 0;
	vec_grow_zeroed(&v->firm, h->clocks.len);
	struct moves view = values_view(s, h);
	for (uint32_t m = 0; m < h->moves.len && !cancellation_check(s->cancellation, h->moves.len);
	     m++)
		find_firm_past(s, &view, m);
}

/* ---- parts ---- */

void values_close(const struct sources *s, const struct moves *h, uint32_t *lengths,
		  uint32_t except, uint32_t end, uint32_t after)
{
	const struct move *a = &h->moves.at[after];
	bool has_changed = s->values.is_on;
	if (FAULT(VALUE_PAST_NOT_CLOSED))
		has_changed = false;
	while (has_changed) {
		has_changed = false;
		for (uint32_t c = 0; c < s->threads.len; c++) {
			while (c != except && lengths[c] < s->made.at[c]) {
				uint32_t next = sources_move(s, c, lengths[c] + 1);
				const uint32_t *clock = moves_clock(h, next);
				bool is_in = next != end && !s->values.sees.at[next] &&
					     clock[a->column] < a->index;
				for (uint32_t p = 0; p < s->threads.len && is_in; p++)
					is_in = p == c || clock[p] <= lengths[p];
				if (!is_in)
					break;
				lengths[c]++;
				has_changed = true;
			}
		}
	}
}
