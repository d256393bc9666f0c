/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where moves got from what they saw, and their pasts; see sources.h.
 *
 * Memory on which a thread has waited by spinning is *ordered*: writes there see what was before
 * them, also reads that ended the waiting, which count as additions.  Otherwise an execution in
 * which the thread goes on would contain another one in which it waits for ever, with the same
 * sources everywhere, and nothing would tell that both are to be explored.
 *
 * A read-write lock that prefers writers is ordered in the same way as soon as a writer has had
 * to wait for it: then it depends on earlier readers whether a reader gets the lock, so readers
 * do not commute.
 */
#include "explore/mcr/sources.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "explore/fault.h"
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

/* ---- moves that are waited for ---- */

/* Gives whether that is new. */
static bool note_ordered(struct sources *s, uint64_t low, uint64_t high)
{
	for (size_t k = 0; k < s->awaited.len; k++)
		if (s->awaited.at[k].low <= low && high <= s->awaited.at[k].high)
			return false;
	vec_push(&s->awaited, ((struct address_range){ low, high }));
	return true;
}

static bool note_awaited(struct sources *s, const struct opset *reads)
{
	bool is_new = false;
	uint32_t count = reads && !FAULT(41) ? reads->count : 0;
	for (uint32_t i = 0; i < count && reads->ops[i].kind != EV_HIDDEN; i++)
		is_new |= note_ordered(s, reads->ops[i].object,
				       reads->ops[i].object + reads->ops[i].size);
	return is_new;
}

/* Locks for which a writer waits that is let first. */
static bool note_asked(struct sources *s, const struct opset *ops)
{
	bool is_new = false;
	for (uint32_t i = 0; i < ops->count; i++)
		if (ops->ops[i].kind == EV_HIDDEN && ops->ops[i].mode == SYNC_WRLOCK)
			is_new |= note_ordered(s, ops->ops[i].object, ops->ops[i].object + 1);
	return is_new;
}

/* What a thread that waits at the end would do; kind 0: nothing can be said. */
static struct wire_op wanted(const struct moves *h, const struct thread_now *now)
{
	struct wire_op need = pause_need(&now->pause);
	if (need.kind || now->woken_by == NO_MOVE || now->last == NO_MOVE)
		return need;
	/* It was woken from a condition variable, and wants back the mutex that it gave up. */
	const struct opset *gave = h->moves.at[now->last].branch.ops;
	for (uint32_t i = 0; i < gave->count; i++)
		if (gave->ops[i].kind == EV_RELEASE)
			return (struct wire_op){ .kind = EV_ACQUIRE,
						 .object = gave->ops[i].object,
						 .mode = gave->ops[i].mode };
	return need;
}

static bool is_at(const struct opset *s, uint64_t pc)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->ops[i].pc == pc)
			return true;
	return false;
}

/*
 * What a thread that awaits a change did first in its last round: NULL if that changed nothing of
 * what it read.  What it has read is told from the beginning of the round on (src/rt/await.c).
 * If the move with the first read does not follow one like the last of a round, something else
 * was first: a store to what is the thread's own.
 */
static const struct opset *first_of_round(const struct moves *h, const struct thread_now *now)
{
	const struct opset *reads = now->pause.awaits;
	size_t first = now->last;
	while (first != NO_MOVE && reads->count &&
	       !is_at(h->moves.at[first].branch.ops, reads->ops[0].pc))
		first = h->moves.at[first].previous;
	if (first == NO_MOVE || first == now->last || FAULT(112))
		return now->last == NO_MOVE ? NULL : h->moves.at[now->last].branch.ops;
	const struct opset *last = h->moves.at[now->last].branch.ops;
	size_t before = h->moves.at[first].previous;
	bool is_first = before != NO_MOVE && last->count &&
			is_at(h->moves.at[before].branch.ops, last->ops[last->count - 1].pc);
	return is_first ? h->moves.at[first].branch.ops : NULL;
}

/*
 * What a thread that awaits a change will do once there is one: read again what it has read, and,
 * if that is what it did first in the round before, change it.
 */
static struct opset *awaited(const struct moves *h, uint32_t thread, const struct thread_now *now)
{
	VEC(struct wire_op) ops = { 0 };
	struct wire_op looks[LOOKS_MAX];
	size_t n = moves_looks(h, thread, now->last, now->pause.is_cancellable, looks);
	for (size_t i = 0; i < n; i++)
		vec_push(&ops, looks[i]);
	const struct opset *reads = now->pause.awaits;
	for (uint32_t i = 0; i < reads->count; i++)
		vec_push(&ops, reads->ops[i]);
	const struct opset *again = first_of_round(h, now);
	for (uint32_t i = 0; again && i < again->count; i++)
		for (uint32_t k = 0; k < reads->count; k++)
			if (again->ops[i].kind != EV_READ &&
			    again->ops[i].object == reads->ops[k].object) {
				vec_push(&ops, again->ops[i]);
				break;
			}
	struct opset *s = opset_new(ops.at, ops.len, NULL, 0);
	vec_release(&ops);
	return s;
}

/* Who closed a cycle of waiting asked for a lock: it could get it elsewhere.  A move in place of
 * the one that failed. */
static void add_refused(struct moves *h)
{
	if (!h->moves.len)
		return;
	struct move last = vec_last(&h->moves);
	const struct opset *s = last.branch.ops;
	const struct wire_op *failure = s->count ? &s->ops[s->count - 1] : NULL;
	if (!failure || failure->kind != EV_FAILURE || !failure_is_cycle(failure->value))
		return;
	struct wire_op need = last.refused;
	if (!need.kind)
		return;
	last.branch.ops = opset_new(&need, 1, NULL, 0);
	last.need = need;
	last.pause = (struct pause){ 0 };
	vec_push(&h->moves, last);
}

static void add_wanted(struct moves *h)
{
	add_refused(h);
	for (size_t t = 0; t < h->threads.len; t++) {
		const struct thread_now *now = &h->threads.at[t];
		if (!now->pause.is_waiting)
			continue;
		struct wire_op need = wanted(h, now), call = pause_call(&now->pause);
		if ((!need.kind && !now->pause.awaits && !call.kind) || FAULT(43))
			continue;
		size_t enabled_by = now->woken_by != NO_MOVE ? now->woken_by
				    : now->last == NO_MOVE   ? now->created_by
							     : NO_MOVE;
		struct opset *awaits = now->pause.awaits, *held_by = awaits ? awaits : now->passed;
		struct move m = {
			.branch = { .thread = (uint32_t)t,
				    .first = now->pause.hook,
				    .hook = now->pause.hook,
				    .ops = awaits ? awaited(h, (uint32_t)t, now)
						  : moves_new_next(h, (uint32_t)t, now->last,
								   now->pause.is_cancellable,
								   need.kind ? &need : &call, 1) },
			.index = now->moves + 1,
			.previous = now->last,
			.enabled_by = enabled_by,
			.drained = now->drained,
			.need = need,
			/* One that was woken and still waits could have run out of time before
			 * that. */
			.timed = FAULT(115) ? (struct timed_wait){ 0 } : now->timed,
			.pause = { .is_waiting = awaits,
				   .awaits = held_by ? opset_ref(held_by) : NULL },
		};
		struct wire_op looks[LOOKS_MAX];
		if (moves_looks(h, (uint32_t)t, now->last, now->pause.is_cancellable, looks) &&
		    !awaits) {
			m.pause = now->pause;
			m.pause.awaits = held_by ? opset_ref(held_by) : NULL;
		}
		vec_push(&h->moves, m);
	}
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

/* ---- cycles of waiting ---- */

/* Who held a lock when the move was made, or is waited for; NOBODY: that is not known. */
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

/* The next of those who wait for each other where the move closes a cycle; NOBODY: it does not,
 * or that was the last. */
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
	/* What ended a wait is not told apart: that may be a signal that is found, or another one.
	 */
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
	if (t->source != NOBODY && !t->is_own && !t->is_open && !FAULT(73))
		clock_join(clock, moves_clock(h, t->source), h->stride);
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
		(void)patience_is_out(s->patience, s->spots.at[t->spot].count + h->stride);
	}
	clock[m->column] = m->index;
	uint64_t hash =
		sources_hash_with(h, s, move, m->enabled_by, s->touches.at + first, end - first);
	vec_push(&s->seen, hash);
	const struct wire_op *choice;
	for (uint32_t i = 0; !FAULT(71) && (choice = opset_choice(m->branch.ops, i)); i++)
		hash = hash_mix(hash, choice->value + 1);
	vec_push(&s->whole, hash);
}

static void find_aparts(struct sources *s, const struct moves *h, const struct spot *c)
{
	for (uint32_t i = 0; i < c->count && !patience_is_out(s->patience, c->count); i++) {
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

uint64_t sources_lessons(const struct sources *s)
{
	const struct values *v = &s->values;
	return s->awaited.len + v->freed.len + v->initial.len + v->varied + v->written.len;
}

bool sources_learn(struct sources *s, struct moves *h)
{
	if (!s->scratch)
		s->scratch = mem_zero(1, sizeof(*s->scratch));
	bool is_new = false;
	for (size_t m = 0; m < h->moves.len; m++) {
		is_new |= note_awaited(s, h->moves.at[m].pause.awaits);
		is_new |= note_asked(s, h->moves.at[m].branch.ops);
	}
	for (size_t t = 0; t < h->threads.len; t++)
		is_new |= note_awaited(s, h->threads.at[t].pause.awaits);
	is_new |= values_learn_freed(s, h);
	s->real = h->moves.len;
	add_wanted(h);
	number_columns(s, h);
	moves_make_room(h, 0, s->threads.len);
	number_moves(s, h);
	sources_find_spots(s, h);
	for (size_t c = 0; c < s->spots.len; c++)
		find_sources(s, h, &s->spots.at[c]);
	if (s->values.is_on)
		values_find_seeing(s, h);
	return values_learn(s, h) || is_new;
}

void sources_find_pasts(struct sources *s, struct moves *h)
{
	s->seen.len = s->whole.len = s->aparts.len = 0;
	for (uint32_t m = 0; m < h->moves.len && !patience_is_out(s->patience, h->stride); m++)
		find_past(s, h, m);
	if (s->patience->is_out)
		return;
	values_find_open(s, h);
	struct moves view = values_view(s, h);
	for (size_t c = 0; c < s->spots.len; c++)
		find_aparts(s, &view, &s->spots.at[c]);
}
