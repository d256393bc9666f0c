/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a thread that needs something could have it earlier than it did.
 *
 * Reversing a race means to make a move before another one on which it depends.  For accesses
 * that is always possible.  But a lock is acquired only while it is free, a semaphore is taken
 * only while it is positive, and a thread is joined only after it has ended: the move that made
 * it so cannot be reversed with the one that needed it, but moves before it may be.  So the object
 * is followed here through the moves that would have been made; only operations on that object
 * matter.  A thread that must be woken (condition variables, barriers) comes after the move that
 * wakes it in the order, so the question does not arise.
 */
#include <string.h>

#include "wire/fault.h"
#include "explore/execution/internal.h"
#include "explore/execution/objects.h"

/* What a thread sees at one place, byte by byte: its own newest store that waits for its flush,
 * or memory. */
struct view {
	const struct wire_op *read;
	uint8_t memory[8], own[8];
	uint8_t waiting[8]; /* own stores of that byte that wait */
	/* a bit for each byte: its value in memory is not known (a store of more than eight) */
	uint8_t unknown;
	uint8_t changed; /* likewise: a move has changed it */
};

static void view_change(struct view *v, const struct wire_op *op, bool is_own, bool is_own_flush)
{
	bool has_value = (op->kind == EV_WRITE || op->kind == EV_RMW || op->kind == EV_FLUSH) &&
			 op->size <= 8;
	bool is_stored = op->kind == EV_WRITE && op->flags & EVF_BUFFERED;
	for (uint32_t i = 0; i < v->read->size; i++) {
		uint64_t at = v->read->object + i - op->object;
		if (at >= (op->size ? op->size : 1))
			continue;
		uint8_t value = has_value ? (uint8_t)(op->value >> 8 * at) : 0;
		if (is_stored) {
			v->own[i] = value;
			v->waiting[i] += is_own;
			continue;
		}
		v->waiting[i] -= is_own_flush && v->waiting[i];
		v->memory[i] = value;
		v->changed |= (uint8_t)(1u << i);
		v->unknown = (uint8_t)((v->unknown & ~(1u << i)) | (has_value ? 0u : 1u << i));
	}
}

static void view_move(struct view *v, const struct moves *h, size_t move, uint32_t thread)
{
	struct footprint f = { v->read->object, v->read->object + v->read->size, SPACE_MEMORY,
			       USE_READ };
	const struct branch *b = &h->moves.at[move].branch;
	bool is_own = b->thread == thread, is_own_flush = moves_is_buffer_of(h, b->thread, thread);
	for (uint32_t k = 0; k < b->ops->count; k++) {
		const struct wire_op *op = &b->ops->ops[k];
		bool is_own_store = is_own && op->kind == EV_WRITE && op->flags & EVF_BUFFERED;
		if (is_own_store || (b->ops->prints[k].use == USE_CHANGE &&
				     footprints_depend(&b->ops->prints[k], &f)))
			view_change(v, op, is_own, is_own_flush);
	}
}

/* Whether it is not what the read saw. */
static enum need view_differs(const struct view *v)
{
	enum need seen = NEED_MISSING;
	for (uint32_t i = 0; i < v->read->size; i++) {
		if (!v->waiting[i] && v->unknown >> i & 1)
			seen = NEED_UNSURE;
		else if ((v->waiting[i] ? v->own[i] : v->memory[i]) !=
			 (uint8_t)(v->read->value >> 8 * i))
			return NEED_MET;
	}
	return seen;
}

/* What the thread sees if this move comes before all that is in the view. */
static void view_move_before(struct view *v, const struct moves *h, size_t move, uint32_t thread)
{
	struct view below = { .read = v->read };
	view_move(&below, h, move, thread);
	for (uint32_t i = 0; i < v->read->size; i++) {
		if (!(below.changed & ~v->changed & 1u << i))
			continue;
		v->memory[i] = below.memory[i];
		v->unknown |= (uint8_t)(below.unknown & 1u << i);
		v->changed |= (uint8_t)(1u << i);
	}
}

/* Whether the move is one of those that would have been made, and may change what has that
 * signature. */
static bool may_change(const struct moves *h, size_t move, uint32_t thread, uint64_t signature,
		       size_t first)
{
	const struct branch *b = &h->moves.at[move].branch;
	if (!(b->ops->signature & signature) && !(b->ops->needs_life && b->thread == thread))
		return false;
	return move < first || (move > first && !moves_is_before(h, first, move));
}

/*
 * Whether the moves that would have been made leave something else where the thread read.  It
 * read what the moves before had left; where there was none it was the initial value.  Without
 * store buffers the last ones tell.
 */
static enum need is_changed(const struct moves *h, uint32_t thread, const struct wire_op *read,
			    uint64_t signature, size_t first, size_t end)
{
	struct view v = { .read = read };
	memcpy(v.memory, &read->value, sizeof(v.memory));
	if (h->buffers.len) {
		for (size_t i = 0; i < end; i++)
			if (may_change(h, i, thread, signature, first))
				view_move(&v, h, i, thread);
		return view_differs(&v);
	}
	uint8_t all = (uint8_t)((1u << read->size) - 1);
	for (size_t i = end; i-- > 0 && v.changed != all;)
		if (may_change(h, i, thread, signature, first))
			view_move_before(&v, h, i, thread);
	return view_differs(&v);
}

/* Whether the move is to ask for it: then the thread has to wait, and cannot ask again. */
static bool is_asking(const struct move *m, const struct wire_op *need)
{
	const struct opset *s = m->branch.ops;
	for (uint32_t i = 0; i < s->count; i++)
		if (s->ops[i].kind == EV_HIDDEN && s->ops[i].object == need->object &&
		    s->ops[i].value != WRITER_GONE)
			return true;
	return false;
}

/* Whether the last move of the thread before `end` is that. */
static bool has_asked(const struct moves *h, uint32_t thread, const struct wire_op *need,
		      size_t end)
{
	while (end > 0 && h->moves.at[end - 1].branch.thread != thread)
		end--;
	return end && is_asking(&h->moves.at[end - 1], need);
}

static struct object_name name_of(const struct wire_op *need)
{
	return (struct object_name){ need->object, op_footprint(need).space };
}

/*
 * Whether the moves that would have been made leave the object in a state in which the thread gets
 * it.  Unsure: it does not, but its request is a move, because other threads can notice it.
 */
static enum need has_object(const struct moves *h, const struct objects *o, uint32_t thread,
			    const struct wire_op *need, size_t first, size_t end)
{
	struct object_state state = objects_without(o, h, name_of(need), first, end);
	/* If no move before used the semaphore, its value follows from the move that takes it,
	 * unless it was not initialised yet. */
	const struct opset *own = end < h->moves.len ? h->moves.at[end].branch.ops : NULL;
	for (uint32_t k = 0; own && k < own->count && !state.has_value && !state.is_unmade; k++)
		if (own->ops[k].kind == EV_SEM_WAIT && own->ops[k].object == need->object)
			object_follow_op(&state, &own->ops[k], thread, false);
	if (object_is_free_for(&state, need, thread))
		return NEED_MET;
	bool is_unmade = need->kind == EV_SEM_WAIT && state.is_unmade;
	if (FAULT(SEM_INIT_IGNORES_WAITERS))
		is_unmade = false;
	bool is_seen = need->flags & OPF_REQUEST_SEEN || is_unmade;
	/* A handler may have interrupted the wait for a lock: the thread does not request it
	 * again. */
	bool has_to_ask = !object_is_asked_by(&state, thread) && !has_asked(h, thread, need, end);
	return is_seen && has_to_ask ? NEED_UNSURE : NEED_MISSING;
}

/* What a try that failed would get; its own thread is in its way, too. */
#define ANYBODY (UINT32_MAX - 1)
static struct wire_op tried(const struct wire_op *failed)
{
	struct pause p = { .mode = failed->mode, .object = failed->object };
	return pause_need(&p);
}

/* Whether an object that can be had, or not, is a change for a thread that tried it. */
static bool try_differs(const struct wire_op *tried, bool is_free)
{
	bool was_free = tried->flags & OPF_SUCCEEDED;
	if (FAULT(TRY_ALWAYS_FAILED))
		was_free = false;
	return is_free != was_free;
}

/* Whether an operation ends a wait for that, for which nothing is needed but to be woken. */
static bool wakes(const struct wire_op *op, const struct pause *p, uint32_t thread)
{
	if (op_interrupts(op, thread) || (p->is_cancellable && op_cancels(op, thread)))
		return true;
	if (!p->object || op->object != p->object || p->is_join)
		return false;
	return (op->kind == EV_SIGNAL && op->value == thread + 1ull) || op->kind == EV_BROADCAST ||
	       (op->kind == EV_BARRIER_IN && !op->value);
}

static bool opset_wakes(const struct opset *s, const struct pause *p, uint32_t thread)
{
	for (uint32_t k = 0; k < s->count; k++)
		if (wakes(&s->ops[k], p, thread))
			return true;
	return false;
}

/* Whether something would have ended the wait of the thread since its last move. */
static bool is_woken(const struct moves *h, uint32_t thread, const struct pause *p, size_t first,
		     size_t end)
{
	for (size_t i = end; i-- > 0 && h->moves.at[i].branch.thread != thread;) {
		bool is_there = i < first || (i > first && !moves_is_before(h, first, i));
		if (is_there && opset_wakes(h->moves.at[i].branch.ops, p, thread))
			return true;
	}
	return false;
}

/* Whether a move of another thread cancels the thread (1), or its own look says that none before
 * did (0). */
static int cancels(const struct branch *b, uint32_t thread)
{
	for (uint32_t k = 0; k < b->ops->count; k++)
		if (b->thread == thread ? op_looks_for_cancel(&b->ops->ops[k], thread)
					: op_cancels(&b->ops->ops[k], thread))
			return b->thread != thread;
	return -1;
}

/* Whether the thread would have been cancelled since it looked for that; its last move may be
 * another one. */
static bool is_cancelled(const struct moves *h, uint32_t thread, size_t first, size_t end)
{
	for (size_t i = end; i-- > 0;) {
		bool is_there = i < first || (i > first && !moves_is_before(h, first, i));
		int found = is_there ? cancels(&h->moves.at[i].branch, thread) : -1;
		if (found >= 0)
			return found;
	}
	return false;
}

/* What the thread would find at the bytes of `read` there; false: that is not known. */
static bool value_there(const struct moves *h, uint32_t thread, const struct wire_op *read,
			size_t first, size_t end, uint64_t *value)
{
	struct view v = { .read = read };
	bool has_own = false, has_new = false, is_whole = true;
	*value = 0;
	for (size_t i = 0; i < end; i++)
		if (i < first || (i > first && !moves_is_before(h, first, i)))
			view_move(&v, h, i, thread);
	for (uint32_t i = 0; i < read->size; i++) {
		bool is_known = v.waiting[i] || (v.changed >> i & 1 && !(v.unknown >> i & 1));
		has_own |= v.waiting[i];
		has_new |= v.changed >> i & 1;
		is_whole &= is_known;
		*value |= (uint64_t)(v.waiting[i] ? v.own[i] : v.memory[i]) << 8 * i;
	}
	if (is_whole)
		return true;
	uint64_t *known = map_get(&h->first_values, place_key(read));
	if (has_own || has_new || !known)
		return false;
	*value = *known;
	return true;
}

/* Where a round begins to look: a read, or a read-modify-write. */
static const struct wire_op *first_look(const struct opset *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->ops[i].kind == EV_READ || s->ops[i].kind == EV_RMW)
			return s->ops[i].size <= 8 ? &s->ops[i] : NULL;
	return NULL;
}

bool moves_round_fails(const struct moves *h, uint32_t thread, uint64_t state,
		       const struct opset *looks, bool is_await, size_t first, size_t end)
{
	const struct wire_op *look = is_await ? one_look(looks) : first_look(looks);
	uint64_t value;
	if (!look || !state || !value_there(h, thread, look, first, end, &value))
		return false;
	return map_get(&h->failed_rounds, round_key(state, look, value)) != NULL;
}

/* A thread that awaits a change of what it read, or of what it tried, goes on only after one, or
 * a signal. */
static enum need has_change(const struct moves *h, const struct objects *o, uint32_t thread,
			    const struct pause *p, size_t first, size_t end)
{
	enum need seen = is_woken(h, thread, p, first, end) ? NEED_MET : NEED_MISSING;
	if (FAULT(AWAIT_ALWAYS_ENDED))
		seen = NEED_MET;
	for (uint32_t i = 0; i < p->awaits->count && seen != NEED_MET; i++) {
		const struct wire_op *op = &p->awaits->ops[i], need = tried(op);
		enum need one;
		/* Its own writes there were taken back with the round. */
		if (p->may_fail_again && op->flags & EVF_STACK)
			continue;
		if (op->kind == EV_HIDDEN)
			one = is_cancelled(h, thread, first, end) ? NEED_MET : NEED_MISSING;
		else if (op->kind == EV_TRY_FAIL)
			one = try_differs(op,
					  has_object(h, o, ANYBODY, &need, first, end) == NEED_MET)
				      ? NEED_MET
				      : NEED_MISSING;
		else
			one = is_changed(h, thread, op, p->awaits->signature, first, end);
		if (one != NEED_MISSING)
			seen = one;
	}
	return seen;
}

enum need moves_has_need(const struct moves *h, const struct objects *o, uint32_t thread,
			 const struct wire_op *need, const struct pause *pause, size_t first,
			 size_t end)
{
	if (pause->is_interrupted && !pause->awaits) {
		if (pause->is_timed || is_woken(h, thread, pause, first, end))
			return NEED_MET;
		if (!need->kind)
			return NEED_MISSING;
	}
	enum need change = pause->awaits ? has_change(h, o, thread, pause, first, end) : NEED_MET;
	if (FAULT(NEEDS_ALWAYS_MET))
		return change;
	if (change == NEED_MISSING || !need->kind)
		return change;
	enum need has = has_object(h, o, thread, need, first, end);
	return has == NEED_MET ? change : has;
}

/* The first value of a semaphore, from the first move of the history that used it. */
static void find_first_value(const struct moves *h, size_t made, const struct wire_op *need,
			     struct object_state *state)
{
	for (size_t i = 0; i < made && !state->has_value; i++)
		object_follow(state, name_of(need), &h->moves.at[i], false);
}

/* Whether one of these moves would have ended the wait of the thread since its last one. */
static bool is_woken_in(const struct moves *h, uint32_t thread, const struct pause *p,
			const uint32_t *order, size_t count)
{
	while (count-- > 0 && h->moves.at[order[count]].branch.thread != thread)
		if (opset_wakes(h->moves.at[order[count]].branch.ops, p, thread))
			return true;
	return false;
}

/* Likewise, whether one of them would have cancelled it since it looked for that. */
static bool is_cancelled_in(const struct moves *h, uint32_t thread, const uint32_t *order,
			    size_t count)
{
	int found = -1;
	while (count-- > 0 && found < 0)
		found = cancels(&h->moves.at[order[count]].branch, thread);
	return found > 0;
}

bool moves_can_go_on(const struct moves *h, size_t made, const struct move *m,
		     const uint32_t *order, size_t count)
{
	const struct pause *p = &m->pause;
	uint32_t thread = m->branch.thread;
	if (!p->is_waiting || p->is_timed || p->is_flush || is_woken_in(h, thread, p, order, count))
		return true;
	if (p->is_cancellable && pause_call(p).kind) /* the program tells */
		return true;
	if (p->awaits)
		return moves_await_ends(h, thread, p->awaits, order, count) != NEED_MISSING;
	struct wire_op need = pause_need(p);
	if (p->is_join)
		need = (struct wire_op){ .kind = EV_JOIN, .object = p->object };
	return need.kind && moves_need_is_met(h, made, thread, &need, order, count);
}

enum need moves_await_ends(const struct moves *h, uint32_t thread, const struct opset *awaits,
			   const uint32_t *order, size_t count)
{
	if (!awaits || is_woken_in(h, thread, &(struct pause){ 0 }, order, count))
		return NEED_MET;
	enum need ends = NEED_MISSING;
	for (uint32_t r = 0; r < awaits->count; r++) {
		struct wire_op need = tried(&awaits->ops[r]);
		if (awaits->ops[r].kind == EV_HIDDEN) {
			if (is_cancelled_in(h, thread, order, count))
				return NEED_MET;
			continue;
		}
		if (awaits->ops[r].kind == EV_TRY_FAIL) {
			if (try_differs(&awaits->ops[r], moves_need_is_met(h, h->moves.len, ANYBODY,
									   &need, order, count)))
				return NEED_MET;
			continue;
		}
		struct view v = { .read = &awaits->ops[r] };
		memcpy(v.memory, &v.read->value, sizeof(v.memory));
		for (size_t i = 0; i < count; i++)
			view_move(&v, h, order[i], thread);
		enum need differs = view_differs(&v);
		if (differs > ends)
			ends = differs;
	}
	return ends;
}

bool moves_need_is_met(const struct moves *h, size_t made, uint32_t thread,
		       const struct wire_op *need, const uint32_t *order, size_t count)
{
	if (FAULT(NEEDS_ALWAYS_MET))
		return true;
	if (!need->kind)
		return true;
	struct object_state state = { 0 };
	uint8_t space = op_footprint(need).space;
	if (need->kind == EV_SEM_WAIT)
		find_first_value(h, made, need, &state);
	for (size_t i = 0; i < count; i++) {
		const struct move *m = &h->moves.at[order[i]];
		const struct opset *s = m->branch.ops;
		for (uint32_t k = 0; k < s->count; k++)
			if (s->ops[k].object == need->object && s->prints[k].space == space &&
			    (need->kind != EV_SEM_WAIT || s->ops[k].kind != EV_SYNC_INIT))
				object_follow_op(&state, &s->ops[k], m->branch.thread, true);
	}
	/* If not, to ask for it may be a move by itself. */
	size_t last = count;
	while (last > 0 && h->moves.at[order[last - 1]].branch.thread != thread)
		last--;
	bool has_asked_before = object_is_asked_by(&state, thread) ||
				(last && is_asking(&h->moves.at[order[last - 1]], need));
	return object_is_free_for(&state, need, thread) ||
	       (need->flags & OPF_REQUEST_SEEN && !has_asked_before);
}
