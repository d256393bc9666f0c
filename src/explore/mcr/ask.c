/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the moves of an execution could have seen instead; see mcr.h.
 *
 * For each move outside the core, each combination of sources of the spots that it sees is a
 * question.  Its smallest part of the execution is the core and the pasts of the move and of the
 * sources.
 */
#include "explore/mcr/question.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "wire/fault.h"
#include "explore/mcr/spots.h"

static void begin(struct question *q, uint32_t move, size_t enabled_by)
{
	const struct sources *s = &q->search->sources;
	q->move = move;
	q->enabled_by = enabled_by;
	q->waker = NOBODY;
	q->late = NULL;
	q->is_look = q->keeps_look = q->looks = false;
	q->touches.len = q->added.len = 0;
	for (uint32_t i = s->touch_first.at[move]; i < s->touch_first.at[move + 1]; i++) {
		vec_push(&q->touches, s->touches.at[i]);
		q->looks |= touch_is_look(&q->search->history, s, &s->touches.at[i]);
	}
}

/*
 * Whether what a thread does that looks for signals is known only if it finds those that it
 * found.  One that waits for a lock, a semaphore, the end of a thread or a change touches the
 * same in any case.
 */
static bool looks_apart(const struct question *q)
{
	const struct pause *p = &asked(q)->pause;
	return q->looks && !(p->is_waiting && (p->awaits || p->is_join || pause_need(p).kind));
}

static void start(struct question *q)
{
	const struct moves *h = &q->search->history;
	q->seeing = 0;
	for (size_t i = 0; i < q->touches.len; i++)
		q->seeing += q->touches.at[i].bits & TOUCH_SEES ? 1 : 0;
	q->pasts.len = 0;
	vec_grow_zeroed(&q->pasts, (q->touches.len + 1) * h->stride);
	sources_past_before(h, q->move, q->enabled_by, q->pasts.at);
	question_widen(q);
	if (q->seeing || q->waker != NOBODY)
		question_decide(q, 0, false);
}

/* It could have found other signals, or none; then what else it does is not known. */
static void ask_look(struct question *q, uint32_t move)
{
	const struct moves *h = &q->search->history;
	const struct move *x = &h->moves.at[move];
	begin(q, move, x->pause.is_waiting && x->previous != NO_MOVE ? NO_MOVE : x->enabled_by);
	if (!looks_apart(q))
		return;
	size_t kept = 0;
	for (size_t i = 0; i < q->touches.len; i++)
		if (touch_is_look(h, &q->search->sources, &q->touches.at[i])) {
			q->touches.at[kept] = q->touches.at[i];
			q->touches.at[kept++].bits |= TOUCH_SETS;
		}
	q->touches.len = kept;
	q->is_look = true;
	start(q);
	q->is_look = false;
}

/* The move was woken: its thread could have timed out before that, which is a move of its own. */
static void ask_late(struct question *q, uint32_t move)
{
	const struct sources *s = &q->search->sources;
	const struct move *x = &q->search->history.moves.at[move];
	if (!x->timed.object || x->previous == NO_MOVE || x->enabled_by == NO_MOVE)
		return;
	begin(q, move, NO_MOVE);
	struct wire_op op = timed_end(&x->timed);
	struct opset *late = moves_new_next(&q->search->history, x->branch.thread, x->previous,
					    x->timed.is_cancellable, &op, 1);
	q->waker = (uint32_t)x->enabled_by;
	q->late = late;
	q->touches.len = 0;
	for (uint32_t c = 0; c < s->spots.len; c++) {
		const struct spot *spot = &s->spots.at[c];
		for (uint32_t k = 0; k < late->count; k++)
			if (spot->space == late->prints[k].space &&
			    spot->low <= late->prints[k].low && late->prints[k].low < spot->high)
				vec_push(&q->touches,
					 ((struct touch){ .move = move,
							  .spot = c,
							  .bits = op_touch_bits(&late->ops[k],
										&late->prints[k]),
							  .source = NOBODY,
							  .own = NOBODY }));
	}
	start(q);
	q->late = NULL;
	opset_drop(late);
}

/* The move ended the last thread: it could have come before the end of another one, and would
 * have seen nothing of ends. */
static void ask_not_last(struct question *q, uint32_t move)
{
	const struct sources *s = &q->search->sources;
	begin(q, move, q->search->history.moves.at[move].enabled_by);
	q->keeps_look = looks_apart(q);
	size_t ends = 0;
	while (ends < q->touches.len && !spot_is_of_ends(&s->spots.at[q->touches.at[ends].spot]))
		ends++;
	if (ends == q->touches.len || !(q->touches.at[ends].bits & TOUCH_SEES))
		return;
	const struct spot *c = &s->spots.at[q->touches.at[ends].spot];
	memmove(q->touches.at + ends, q->touches.at + ends + 1,
		(q->touches.len - ends - 1) * sizeof(struct touch));
	q->touches.len--;
	for (uint32_t i = 0; i < c->count; i++) {
		q->waker = s->touches.at[s->uses.at[c->first + i]].move;
		/* That one is not the last if it is in the core. */
		const struct branch *other = &q->search->history.moves.at[q->waker].branch;
		const struct core_entry *e = core_entry_of(&q->node->core, other->thread);
		if (q->waker != move &&
		    (!e || e->length < q->search->history.moves.at[q->waker].index))
			start(q);
	}
}

/* Other answers to the choices of a move that sees what it saw. */
static void ask_choices(struct question *q, uint32_t move, uint32_t fixed)
{
	const struct mcr *m = q->search;
	const struct moves *h = &m->history;
	const struct move *x = &h->moves.at[move];
	begin(q, move, x->enabled_by);
	q->pasts.len = 0;
	vec_grow_zeroed(&q->pasts, (q->touches.len + 1) * h->stride);
	memcpy(past_at(q, q->touches.len), moves_clock(h, move), h->stride * sizeof(uint32_t));
	for (size_t i = 0; i < q->touches.len; i++) {
		const struct spot *c = &m->sources.spots.at[q->touches.at[i].spot];
		for (uint32_t k = 0; k < c->count; k++) {
			const struct touch *a =
				&m->sources.touches.at[m->sources.uses.at[c->first + k]];
			if (a->bits & TOUCH_ADDS && a->move < move &&
			    touch_is_seen(&q->touches.at[i], a))
				vec_push(&q->added, a->move);
		}
	}
	for (uint32_t c = fixed; c < x->branch.ops->choices; c++) {
		const struct wire_op *chosen = opset_choice(x->branch.ops, c);
		uint64_t before = sources_hash(h, &m->sources, move, c);
		for (uint64_t v = 0; v < chosen->size; v++) {
			if (FAULT(MCR_CHOICE_WITHOUT_ALTERNATIVES))
				break;
			if (v == chosen->value)
				continue;
			struct opset *other = opset_new_alternative(x->branch.ops, c, v);
			question_consider(q, hash_mix(before, v + 1), c + 1, other);
			opset_drop(other);
		}
	}
}

void mcr_ask(struct mcr *m, struct mcr_node *n)
{
	const struct moves *h = &m->history;
	struct question q = { .search = m, .node = n };
	for (uint32_t move = (uint32_t)h->moves.len;
	     move-- > 0 && !cancellation_check(&m->cancellation, 1);) {
		const struct move *x = &h->moves.at[move];
		const struct core_entry *e = core_entry_of(&n->core, x->branch.thread);
		uint32_t kept = e ? e->length : 0;
		bool is_open =
			x->index > kept || (x->index == kept && e && core_is_partial(e->choices));
		if (is_open) {
			/* A move instead of another one takes its place while it is asked about. */
			uint32_t *place =
				&m->sources.numbers
					 .at[m->sources.first.at[x->column] + x->index - 1];
			uint32_t other = *place;
			*place = move;
			begin(&q, move, x->enabled_by);
			q.keeps_look = looks_apart(&q);
			start(&q);
			if (x->index > kept)
				ask_look(&q, move);
			ask_late(&q, move);
			ask_not_last(&q, move);
			*place = other;
		}
		if (x->branch.ops->choices && x->index >= kept)
			ask_choices(&q, move, is_open ? 0 : e->choices);
	}
	vec_release(&q.touches);
	vec_release(&q.added);
	vec_release(&q.pasts);
	vec_release(&q.rivals);
	vec_release(&q.failing);
	vec_release(&q.groups);
}
