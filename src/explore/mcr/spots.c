/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the moves of an execution touch, cut into spots; see sources.h.
 *
 * Accesses that overlap, directly or by others, are taken together; between their borders each
 * covers a spot completely or not at all.  What one move does to one spot is one touch, also
 * where it does several things there.
 */
#include "explore/mcr/spots.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "wire/fault.h"
#include "wire/kinds.h"

bool sources_is_awaited(const struct sources *s, uint8_t space, uint64_t low, uint64_t high)
{
	for (size_t i = 0; i < s->awaited.len && space == SPACE_MEMORY; i++)
		if (s->awaited.at[i].low < high && low < s->awaited.at[i].high)
			return true;
	return false;
}

/* ---- what operations do to memory ---- */

bool op_is_shared(const struct wire_op *op)
{
	bool is_of_lock = op->kind == EV_ACQUIRE || op->kind == EV_RELEASE ||
			  op->kind == EV_TRY_FAIL || op->kind == EV_TIMEOUT;
	return is_of_lock && sync_is_shared(op->mode);
}

bool opset_has_failed(const struct opset *s)
{
	return s->count && s->ops[s->count - 1].kind == EV_FAILURE;
}

uint8_t op_touch_bits(const struct wire_op *op, const struct footprint *f)
{
	switch ((enum event_kind)op->kind) {
	case EV_WRITE:
		if (op_is_left_frame(op))
			return TOUCH_SETS | TOUCH_ENDS | TOUCH_SEES | TOUCH_NO_SETS;
		if (op->flags & EVF_BUFFERED) /* that memory was freed is found at once */
			return TOUCH_STORES | TOUCH_SEES | TOUCH_NO_SETS;
		return TOUCH_SETS | TOUCH_SEES | TOUCH_NO_SETS;
	case EV_FLUSH:
	case EV_OUTSIDE_WRITE:
		return TOUCH_SETS | TOUCH_SEES | TOUCH_NO_SETS;
	case EV_FREE:
	case EV_RESIZE:
		return TOUCH_SETS | TOUCH_ENDS | TOUCH_SEES | TOUCH_NO_SETS;
	CASES_OF_OBJECT_LIFE:
		return TOUCH_SETS | TOUCH_ENDS | TOUCH_SEES;
	case EV_HIDDEN:
		/* The last thread sees all ends: it is the only one for which they make a
		 * difference. */
		if (op->mode == HIDDEN_ENDS)
			return op->value == ENDS_LAST ? TOUCH_SEES : TOUCH_ADDS;
		break;
	/* by its use */
	case EV_READ:
	case EV_RMW:
	case EV_ALLOC:
	case EV_INITIAL:
	CASES_OF_ATTEMPTS:
	case EV_ACQUIRE:
	case EV_RELEASE:
	CASES_OF_CONDITIONS:
	CASES_OF_BARRIERS:
	CASES_OF_SEMAPHORES:
	CASES_OF_ONCE:
	case EV_ORPHAN:
	case EV_CONSISTENT:
	case EV_ASK:
#define SYNC_MEMORY(...)
#define SYNC_ON_OBJECT(...)
#define SYNC_EVENT(NAME, ...) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
	switch ((enum footprint_use)f->use) {
	case USE_READ:
		/* A failed attempt looks at what a successful one looks at. */
		return op_is_shared(op) ? TOUCH_SEES | TOUCH_NO_ADDS : TOUCH_SEES;
	case USE_SHARE:
	case USE_ADMIT:
		if (FAULT(SHARED_ACQUIRE_ADDS_NOTHING))
			return TOUCH_SEES | TOUCH_NO_ADDS;
		return TOUCH_SEES | TOUCH_NO_ADDS | TOUCH_ADDS;
	case USE_POST:
		if (FAULT(POST_ADDS_NOTHING))
			return TOUCH_SEES | TOUCH_NO_SETS;
		return TOUCH_ADDS | TOUCH_SEES | TOUCH_NO_SETS;
	case USE_CHANGE:
	case USE_QUEUE:
	case USE_LEAVE:
	case USE_END:
	case USE_REQUEST:
	case USES:
		break;
	}
	if (FAULT(CHANGE_SEES_NOTHING))
		return TOUCH_SETS;
	return TOUCH_SEES | TOUCH_SETS;
}

static void collect_raws(struct sources *s, const struct moves *h)
{
	struct sources_scratch *x = s->scratch;
	x->raws.len = s->values.sees.len = 0;
	for (size_t m = 0; m < h->moves.len; m++) {
		const struct opset *ops = h->moves.at[m].branch.ops;
		for (uint32_t i = 0; i < ops->count; i++) {
			const struct wire_op *op = &ops->ops[i];
			struct footprint f = ops->prints[i];
			/* What a move looks at must not depend on what it finds there, so it
			 * counts. */
			bool only_might = op_only_might(op);
			if (FAULT(MCR_IGNORES_POSSIBLE_OPS))
				only_might = false;
			if (only_might) {
				struct wire_op made = *op;
				made.flags &= (uint16_t)~OPF_MIGHT;
				f = op_footprint(&made);
			}
			uint8_t bits = op_touch_bits(op, &f);
			/* An access to what is not there, of whatever kind. */
			if (op->kind == EV_READ && opset_has_failed(ops))
				bits |= TOUCH_NO_SETS;
			if (bits & TOUCH_STORES)
				f = (struct footprint){ op->object, op->object + op->size,
							SPACE_MEMORY, USE_CHANGE };
			if (f.space == SPACE_NONE || f.high <= f.low)
				continue;
			struct raw r = { f.low,	  f.high, (uint32_t)m, (uint32_t)x->raws.len,
					 f.space, bits };
			bool is_awaited =
				s->awaited.len && sources_is_awaited(s, r.space, r.low, r.high);
			/* What a thread waits for decides whether it goes on, whatever the value
			 * is for. */
			if (!depends_on(&s->depends, ops) && !is_awaited)
				r.bits |= TOUCH_NO_SETS;
			if (is_awaited && op_is_shared(op)) {
				r.bits = r.bits & TOUCH_ADDS ? TOUCH_SEES | TOUCH_SETS : TOUCH_SEES;
			} else if (is_awaited) {
				if (r.bits & TOUCH_SETS)
					r.bits &= (uint8_t)~TOUCH_NO_SETS;
				else if (r.bits & TOUCH_SEES && op->kind == EV_READ)
					r.bits |= h->moves.at[m].pause.awaits
							  ? TOUCH_NO_ADDS | TOUCH_ADDS
							  : TOUCH_NO_ADDS;
			}
			vec_push(&x->raws, r);
			if (s->values.is_on)
				values_note(s, &r);
			/* If it were not the last thread, it would end. */
			if (op->kind == EV_HIDDEN && op->mode == HIDDEN_ENDS &&
			    op->value == ENDS_LAST) {
				uint32_t thread = h->moves.at[m].branch.thread;
				struct raw end = { thread,	 thread + 1ull,
						   (uint32_t)m,	 (uint32_t)x->raws.len,
						   SPACE_THREAD, TOUCH_SEES | TOUCH_SETS };
				vec_push(&x->raws, end);
			}
			/* whether the memory of the lock is still there */
			if (op_is_annotated(op))
				vec_push(&x->raws,
					 ((struct raw){ f.low, f.high, (uint32_t)m,
							(uint32_t)x->raws.len, SPACE_MEMORY,
							TOUCH_SEES | TOUCH_NO_SETS }));
		}
	}
}

static int compare_places(const void *a, const void *b)
{
	const struct raw *x = a, *y = b;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct raw *x = a, *y = b;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int compare_borders(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* ---- spots ---- */

/* Accesses that overlap, directly or by others: whether anything in there can be seen by several
 * threads. */
static bool is_shared(const struct moves *h, const struct raw *raws, size_t count)
{
	bool several = false;
	uint8_t bits = 0;
	for (size_t i = 0; i < count; i++) {
		several |= move_owner(h, raws[i].move) != move_owner(h, raws[0].move);
		bits |= raws[i].bits;
	}
	return several && bits & (TOUCH_SETS | TOUCH_ADDS);
}

static size_t border_at(const struct sources_scratch *x, uint64_t place)
{
	size_t low = 0, high = x->borders.len;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (x->borders.at[middle] < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Every access to the spots that it covers; what one move does to one spot is one touch. */
static void fill_spots(struct sources *s, const struct raw *raws, size_t count, size_t spots)
{
	struct sources_scratch *x = s->scratch;
	x->fill.len = 0;
	vec_grow_zeroed(&x->fill, spots + 1);
	for (size_t i = 0; i < count; i++)
		for (size_t c = border_at(x, raws[i].low), end = border_at(x, raws[i].high);
		     c < end; c++)
			x->fill.at[c + 1]++;
	for (size_t c = 0; c < spots; c++)
		x->fill.at[c + 1] += x->fill.at[c];
	size_t base = x->found.len, total = x->fill.at[spots];
	vec_grow_zeroed(&x->found, base + total);
	VEC(uint32_t) at = { 0 };
	vec_grow_zeroed(&at, spots);
	for (size_t i = 0; i < count; i++) {
		for (size_t c = border_at(x, raws[i].low), end = border_at(x, raws[i].high);
		     c < end; c++) {
			struct touch *first = &x->found.at[base + x->fill.at[c]];
			struct touch *last = at.at[c] ? first + at.at[c] - 1 : NULL;
			/* What a move sees of a spot that it has changed itself is its own. */
			if (last && last->move == raws[i].move) {
				last->bits |= raws[i].bits &
					      (TOUCH_SETS | TOUCH_ADDS | TOUCH_ENDS | TOUCH_STORES);
				/* An exchange after an await: it comes after all additions, and
				 * nothing of its own is left. */
				if (last->bits & TOUCH_SETS && last->bits & TOUCH_ADDS)
					last->bits &= (uint8_t) ~(TOUCH_ADDS | TOUCH_NO_ADDS);
			} else {
				first[at.at[c]++] = (struct touch){ .move = raws[i].move,
								    .bits = raws[i].bits,
								    .source = NOBODY,
								    .own = NOBODY };
			}
		}
	}
	for (size_t c = 0; c < spots; c++) {
		struct spot *spot = vec_add(&s->spots);
		*spot = (struct spot){ x->borders.at[c], x->borders.at[c + 1], raws[0].space,
				       (uint32_t)base + x->fill.at[c], at.at[c] };
	}
	vec_release(&at);
}

static void make_spots(struct sources *s, const struct moves *h, struct raw *raws, size_t count)
{
	struct sources_scratch *x = s->scratch;
	x->borders.len = 0;
	for (size_t i = 0; i < count; i++) {
		vec_push(&x->borders, raws[i].low);
		vec_push(&x->borders, raws[i].high);
	}
	qsort(x->borders.at, x->borders.len, sizeof(*x->borders.at), compare_borders);
	size_t kept = 0;
	for (size_t i = 0; i < x->borders.len; i++)
		if (!i || x->borders.at[i] != x->borders.at[kept - 1])
			x->borders.at[kept++] = x->borders.at[i];
	x->borders.len = kept;
	qsort(raws, count, sizeof(*raws), compare_numbers);
	size_t first = s->spots.len;
	fill_spots(s, raws, count, kept - 1);
	/* A part of what overlaps may again be of one thread. */
	size_t left = first;
	for (size_t c = first; c < s->spots.len; c++) {
		const struct touch *t = x->found.at + s->spots.at[c].first;
		bool several = false;
		for (uint32_t i = 1; i < s->spots.at[c].count && !several; i++)
			several = move_owner(h, t[i].move) != move_owner(h, t[0].move);
		if (several)
			s->spots.at[left++] = s->spots.at[c];
	}
	s->spots.len = left;
}

void sources_find_spots(struct sources *s, const struct moves *h)
{
	struct sources_scratch *x = s->scratch;
	collect_raws(s, h);
	s->spots.len = x->found.len = 0;
	qsort(x->raws.at, x->raws.len, sizeof(*x->raws.at), compare_places);
	for (size_t i = 0, end; i < x->raws.len; i = end) {
		uint64_t high = x->raws.at[i].high;
		for (end = i + 1;
		     end < x->raws.len && x->raws.at[end].space == x->raws.at[i].space &&
		     x->raws.at[end].low < high;
		     end++)
			if (x->raws.at[end].high > high)
				high = x->raws.at[end].high;
		if (is_shared(h, x->raws.at + i, end - i))
			make_spots(s, h, x->raws.at + i, end - i);
	}
	/* From spots to moves: touches in the order of moves, those of one move in the order of
	 * spots. */
	s->touch_first.len = 0;
	vec_grow_zeroed(&s->touch_first, h->moves.len + 1);
	for (size_t c = 0; c < s->spots.len; c++)
		for (uint32_t i = 0; i < s->spots.at[c].count; i++)
			s->touch_first.at[x->found.at[s->spots.at[c].first + i].move + 1]++;
	for (size_t m = 0; m < h->moves.len; m++)
		s->touch_first.at[m + 1] += s->touch_first.at[m];
	x->fill.len = 0;
	vec_grow_zeroed(&x->fill, h->moves.len);
	s->touches.len = s->uses.len = 0;
	vec_grow_zeroed(&s->touches, s->touch_first.at[h->moves.len]);
	for (size_t c = 0; c < s->spots.len; c++) {
		struct spot *spot = &s->spots.at[c];
		uint32_t first = (uint32_t)s->uses.len;
		for (uint32_t i = 0; i < spot->count; i++) {
			struct touch t = x->found.at[spot->first + i];
			t.spot = (uint32_t)c;
			uint32_t at = s->touch_first.at[t.move] + x->fill.at[t.move]++;
			s->touches.at[at] = t;
			vec_push(&s->uses, at);
		}
		spot->first = first;
	}
}
