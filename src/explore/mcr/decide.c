/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The combinations of sources that one move can see; see mcr.h.
 *
 * The touches of the move are decided one after the other.  The past of a combination is what must
 * come before the move if it sees these sources; where no order of what is decided so far is
 * possible, no combination that begins with it is tried.
 */
#include "explore/mcr/question.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "wire/fault.h"
#include "explore/mcr/spots.h"

/* Whether some order of what is decided so far is possible; only asked where there is more to
 * decide. */
static bool is_possible(struct question *q, size_t decided)
{
	struct mcr *m = q->search;
	if (m->cancellation.is_cancelled)
		return false;
	if (q->seeing < 2)
		return true;
	m->wanted.len = 0;
	vec_grow_zeroed(&m->wanted, m->sources.threads.len);
	question_part(q, &q->node->core, past_at(q, decided), m->wanted.at);
	struct target target = { q->move,	q->enabled_by,
				 q->touches.at, q->touches.len,
				 decided,	q->added.at,
				 q->added.len,	true,
				 q->waker,	question_end(q, m->wanted.at) };
	return arrange(&m->arrangement, &m->history, &m->sources, m->wanted.at, &target) !=
	       ARRANGED_NOT;
}

static bool is_in_past(const struct question *q, const uint32_t *past)
{
	return past[asked(q)->column] >= asked(q)->index;
}

/* Whether the move adds to a spot of the touches before `at`, which see it or not: then it is
 * known for all that it adds to. */
static bool is_addition_decided(const struct question *q, size_t at, uint32_t move)
{
	const struct sources *s = &q->search->sources;
	for (uint32_t i = s->touch_first.at[move]; i < s->touch_first.at[move + 1]; i++)
		for (size_t k = 0; k < at && s->touches.at[i].bits & TOUCH_ADDS; k++)
			if (q->touches.at[k].spot == s->touches.at[i].spot &&
			    touch_sees_additions(&q->touches.at[k]))
				return true;
	return false;
}

static bool is_added(const struct question *q, uint32_t move)
{
	for (size_t i = 0; i < q->added.len; i++)
		if (q->added.at[i] == move)
			return true;
	return false;
}

/* Which additions of those from `use` on are seen. */
static void decide_added(struct question *q, size_t at, uint32_t use, bool differs)
{
	const struct sources *s = &q->search->sources;
	const struct moves *h = &q->search->history;
	struct touch *t = &q->touches.at[at];
	const struct spot *c = &s->spots.at[t->spot];
	if (!touch_sees_additions(t))
		use = c->count;
	const struct touch *a = NULL;
	for (; use < c->count; use++) {
		a = &s->touches.at[s->uses.at[c->first + use]];
		if (a->bits & TOUCH_ADDS && a->move != q->move && a->move < s->real &&
		    moves_clock(h, a->move)[asked(q)->column] < asked(q)->index)
			break;
	}
	if (use >= c->count) {
		if (is_possible(q, at + 1))
			question_decide(q, at + 1, differs);
		return;
	}
	bool was_seen = a->move < q->move;
	uint32_t *past = past_at(q, at + 1);
	/* By value the past of the execution is one of several that would do. */
	bool is_only_past = !s->values.is_on;
	if (FAULT(VALUE_ADDITIONS_FORCED))
		is_only_past = true;
	bool is_forced =
		is_only_past && h->moves.at[a->move].index <= past[h->moves.at[a->move].column];
	bool is_decided = is_addition_decided(q, at, a->move),
	     is_seen = is_decided && is_added(q, a->move);
	is_seen |= spot_is_of_ends(c); /* as long as it is the last one: ask_not_last() */
	if (!is_forced && !is_seen) {
		if (!FAULT(MCR_ADDITIONS_FIXED))
			decide_added(q, at, use + 1, differs || was_seen);
	}
	if (is_decided && !is_seen)
		return;
	VEC(uint32_t) saved = { 0 };
	vec_grow_zeroed(&saved, h->stride);
	memcpy(saved.at, past, h->stride * sizeof(*past));
	uint64_t added = t->added;
	clock_join(past, moves_clock(h, a->move), h->stride);
	if (move_owner(h, a->move) != move_owner(h, q->move))
		t->added += hash_mix(3, s->whole.at[a->move]);
	vec_push(&q->added, a->move);
	decide_added(q, at, use + 1, differs || !was_seen);
	q->added.len--;
	q->touches.at[at].added = added;
	memcpy(past_at(q, at + 1), saved.at, h->stride * sizeof(*past));
	vec_release(&saved);
}

/* Whether a source of this group is among those that were tried, from `tried` on; now it is. */
static bool has_tried(struct question *q, size_t tried, uint64_t group)
{
	for (size_t i = tried; i < q->groups.len; i++)
		if (q->groups.at[i] == group)
			return true;
	vec_push(&q->groups, group);
	return false;
}

/*
 * Whether another change of what the touch sees comes between the source and the move whatever
 * the order is: most questions end here.  By value the pasts of the execution are some of several
 * that would do.
 */
static bool is_overwritten(const struct question *q, const struct touch *t, uint32_t source,
			   const uint32_t *past)
{
	const struct sources *s = &q->search->sources;
	const struct moves *h = &q->search->history;
	const struct spot *c = &s->spots.at[t->spot];
	for (uint32_t i = 0; i < c->count && !s->values.is_on; i++) {
		const struct touch *o = &s->touches.at[s->uses.at[c->first + i]];
		const struct move *m = &h->moves.at[o->move];
		bool is_later = source == NOBODY || moves_is_before(h, source, o->move);
		if (FAULT(MCR_EARLIER_WRITE_OVERWRITES))
			is_later = true;
		if (o->move != source && o->move < s->real && !(o->bits & TOUCH_ADDS) &&
		    touch_is_seen(t, o) && m->index <= past[m->column] && is_later)
			return true;
	}
	return false;
}

/* The touch sees that source, and perhaps additions. */
static void decide_source(struct question *q, size_t at, uint32_t source, bool is_own, uint32_t own,
			  size_t tried, bool differs)
{
	struct touch *t = &q->touches.at[at];
	t->is_own = is_own;
	uint64_t group =
		values_group(&q->search->sources, &q->search->history, t, past_at(q, 0), source);
	if (group != GROUP_NONE && has_tried(q, tried, group))
		return;
	const struct touch *was = NULL;
	const struct moves *h = &q->search->history;
	const struct sources *s = &q->search->sources;
	for (uint32_t i = s->touch_first.at[q->move]; i < s->touch_first.at[q->move + 1]; i++)
		if (s->touches.at[i].spot == t->spot)
			was = &s->touches.at[i];
	uint32_t *past = past_at(q, at + 1);
	memcpy(past, past_at(q, at), h->stride * sizeof(*past));
	if (source != NOBODY && !is_own)
		clock_join(past, moves_clock(h, source), h->stride);
	if (own != NOBODY)
		clock_join(past, moves_clock(h, own), h->stride);
	if (is_in_past(q, past) || (!is_own && is_overwritten(q, t, source, past)))
		return;
	uint32_t wait = question_ended_wait(q, t);
	if (wait != NOBODY && past[h->moves.at[wait].column] < h->moves.at[wait].index)
		return;
	t->source = source;
	t->own = own;
	t->added = 0;
	t->group = group;
	t->is_open = group != GROUP_NONE;
	bool is_other = !was || was->is_own != is_own || was->group != group ||
			(!is_own && group == GROUP_NONE && was->source != source);
	decide_added(q, at, 0, differs || is_other);
}

/* A signal that is sent before its receiver waits for the first time ends no wait. */
static void decide_no_wait(struct question *q, size_t at)
{
	const struct moves *h = &q->search->history;
	struct touch *t = &q->touches.at[at];
	uint32_t wait = question_ended_wait(q, t), *past = past_at(q, at + 1);
	if (wait == NOBODY)
		return;
	memcpy(past, past_at(q, at), h->stride * sizeof(*past));
	if (past[h->moves.at[wait].column] >= h->moves.at[wait].index)
		return;
	t->bits = 0;
	t->is_absent = true;
	t->source = wait;
	if (is_possible(q, at + 1))
		question_decide(q, at + 1, true);
}

/* The last store of the thread to the spot before the move, and its flush if there is one. */
static bool own_store(const struct question *q, const struct spot *c, uint32_t *flush)
{
	const struct sources *s = &q->search->sources;
	const struct moves *h = &q->search->history;
	uint32_t store = NOBODY;
	*flush = NOBODY;
	for (uint32_t i = 0; i < c->count; i++) {
		const struct touch *o = &s->touches.at[s->uses.at[c->first + i]];
		const struct move *m = &h->moves.at[o->move];
		if (o->bits & TOUCH_STORES && m->branch.thread == asked(q)->branch.thread &&
		    m->index < asked(q)->index)
			store = o->move;
	}
	for (uint32_t i = 0; i < c->count && store != NOBODY; i++) {
		const struct touch *o = &s->touches.at[s->uses.at[c->first + i]];
		if (h->moves.at[o->move].branch.thread >= BUFFERS_FROM &&
		    h->moves.at[o->move].enabled_by == store)
			*flush = o->move;
	}
	return store != NOBODY;
}

/* An exclusive lock that was just taken by another thread cannot be acquired.  Several threads
 * may read; and to request a lock without success may be a move. */
static bool leaves_locked(const struct question *q, uint32_t source)
{
	const struct wire_op *need = &asked(q)->need;
	if (need->kind != EV_ACQUIRE || need->flags & OPF_REQUEST_SEEN || q->waker != NOBODY ||
	    (q->looks && asked(q)->pause.is_waiting) ||
	    move_owner(&q->search->history, source) == asked(q)->branch.thread)
		return false;
	const struct opset *s = q->search->history.moves.at[source].branch.ops;
	uint16_t takes = EV_ACQUIRE;
	if (FAULT(MCR_RELEASE_HOLDS_LOCK))
		takes = EV_RELEASE;
	for (uint32_t i = s->count; i-- > 0;)
		if (s->ops[i].object == need->object &&
		    (s->ops[i].kind == EV_ACQUIRE || s->ops[i].kind == EV_RELEASE))
			return s->ops[i].kind == takes &&
			       !(op_is_shared(need) && op_is_shared(&s->ops[i]));
	return false;
}

void question_decide(struct question *q, size_t at, bool differs)
{
	const struct sources *s = &q->search->sources;
	const struct moves *h = &q->search->history;
	uint32_t thread = asked(q)->branch.thread;
	if (at == q->touches.len) {
		if (!differs && q->waker == NOBODY && q->move < s->real)
			return;
		uint64_t hash = sources_hash_with(h, s, q->move, q->enabled_by, q->touches.at,
						  q->touches.len);
		struct opset *predicted = opset_new_predicted(
			q->late ? q->late : asked(q)->branch.ops, 0, asked(q)->branch.first);
		question_consider(q, hash, 0, predicted);
		opset_drop(predicted);
		return;
	}
	struct touch t = q->touches.at[at];
	if (!(t.bits & TOUCH_SEES)) {
		memcpy(past_at(q, at + 1), past_at(q, at), h->stride * sizeof(uint32_t));
		question_decide(q, at + 1, differs);
		return;
	}
	const struct spot *c = &s->spots.at[t.spot];
	if (q->keeps_look && touch_is_look(h, s, &t)) {
		size_t tried = q->groups.len;
		decide_source(q, at, t.source, t.is_own, t.own, tried, differs);
		q->groups.len = tried;
		q->touches.at[at] = t;
		return;
	}
	uint32_t flush = NOBODY;
	bool has_store = h->buffers.len && thread < BUFFERS_FROM && !(t.bits & TOUCH_NO_SETS) &&
			 own_store(q, c, &flush);
	bool may_be_first = !has_store;
	size_t tried = q->groups.len;
	for (uint32_t i = 0; i < c->count; i++) {
		const struct touch *o = &s->touches.at[s->uses.at[c->first + i]];
		const struct move *m = &h->moves.at[o->move];
		if (o->move == q->move || o->move >= s->real || o->bits & TOUCH_ADDS ||
		    !touch_is_seen(&t, o) ||
		    moves_clock(h, o->move)[asked(q)->column] >= asked(q)->index) {
			continue;
		}
		if (m->branch.thread == thread && m->index < asked(q)->index)
			may_be_first = false;
		if ((has_store && (flush == NOBODY || o->move == flush)) ||
		    leaves_locked(q, o->move))
			continue;
		decide_source(q, at, o->move, false, has_store ? flush : NOBODY, tried, differs);
	}
	if (has_store)
		decide_source(q, at, flush, true, NOBODY, tried, differs);
	if (FAULT(MCR_INITIAL_NO_SOURCE))
		may_be_first = false;
	if (may_be_first)
		decide_source(q, at, NOBODY, false, NOBODY, tried, differs);
	decide_no_wait(q, at);
	q->groups.len = tried;
	q->touches.at[at] = t;
}
