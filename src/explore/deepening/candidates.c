/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See candidates.h.  One pass over the operations.
 *
 * Each thread has a vector clock (execution/hb.h).  Of the edges of wire/sync.def those count by
 * which a thread became able to run: creation to begin, end to join, and from the last operation
 * on an object to a thread that had been blocked on it.  For each cell of eight bytes the
 * accesses so far are kept, one for each (instruction, thread, time of the thread, set of locks),
 * so a loop leaves one entry.  Every pair that differs in one of these is compared, not only the
 * first one: another pair may be the one that can be reversed.
 */
#include "explore/deepening/candidates.h"

#include "base/hash.h"
#include "explore/execution/hb.h"
#include "wire/fault.h"
#include "wire/kinds.h"

#define CELL_BYTES 8
#define STEPS_OF_OP 1000 /* so many are taken for those of an operation (cancellation.h) */

/* A lock that a thread holds; `is_shared`: with others that only read. */
struct held {
	uint64_t lock;
	uint32_t depth;
	bool is_shared;
};

struct thread_state {
	VEC(struct held) held;
	/* the present one, as a number; it is made anew when `held` changes */
	uint32_t lockset;
	bool lockset_is_old;
	/* where the thread that lets it go on leaves its past; VIA_NOTHING: it is not blocked */
	struct sync_edge blocked_on;
};

struct lockset {
	uint32_t first, count; /* in lock_room */
};

struct access {
	uint64_t low, high, pc;
	uint64_t life; /* of the heap block, 0: none */
	uint32_t thread, time, lockset;
	int32_t next; /* in its cell, -1: the last one */
	bool is_write, is_atomic;
};

struct block {
	uint64_t start, size, life;
};

struct candidates_state {
	VEC(struct thread_state) threads;
	struct hb hb;
	VEC(struct lockset) locksets;
	VEC(struct held) lock_room;
	VEC(struct access) accesses;
	struct map cells; /* cell to its newest access, plus one */
	/* heap blocks in order of allocation; the last one that covers an address counts */
	VEC(struct block) blocks;
	uint64_t lives;
};

static struct thread_state *thread_at(struct candidates_state *s, uint64_t thread)
{
	while (s->threads.len <= thread) {
		struct thread_state *t = vec_add(&s->threads);
		t->lockset_is_old = true;
	}
	return &s->threads.at[thread];
}

/* ---- locks ---- */

static struct held *held_lock(struct thread_state *t, uint64_t lock)
{
	for (size_t i = 0; i < t->held.len; i++)
		if (t->held.at[i].lock == lock)
			return &t->held.at[i];
	return NULL;
}

static void lock_taken(struct thread_state *t, const struct wire_op *op)
{
	struct held *h = held_lock(t, op->object);
	if (h) {
		h->depth++;
		return;
	}
	vec_push(&t->held, ((struct held){ op->object, 1, sync_is_shared(op->mode) }));
	t->lockset_is_old = true;
}

static void lock_left(struct thread_state *t, uint64_t lock)
{
	struct held *h = held_lock(t, lock);
	if (!h || --h->depth)
		return;
	*h = vec_last(&t->held);
	t->held.len--;
	t->lockset_is_old = true;
}

static uint32_t lockset_of(struct candidates_state *s, struct thread_state *t)
{
	if (t->lockset_is_old) {
		t->lockset_is_old = false;
		t->lockset = (uint32_t)s->locksets.len;
		vec_push(&s->locksets,
			 ((struct lockset){ (uint32_t)s->lock_room.len, (uint32_t)t->held.len }));
		for (size_t i = 0; i < t->held.len; i++)
			vec_push(&s->lock_room, t->held.at[i]);
	}
	return t->lockset;
}

/* A lock in both sets keeps the accesses apart, unless both hold it for reading. */
static bool locks_protect(const struct candidates_state *s, uint32_t a, uint32_t b)
{
	const struct lockset *la = &s->locksets.at[a], *lb = &s->locksets.at[b];
	for (uint32_t i = 0; i < la->count; i++)
		for (uint32_t k = 0; k < lb->count; k++) {
			const struct held *x = &s->lock_room.at[la->first + i],
					  *y = &s->lock_room.at[lb->first + k];
			if (x->lock == y->lock && !(x->is_shared && y->is_shared))
				return true;
		}
	return false;
}

/* ---- heap blocks ---- */

static uint64_t life_at(const struct candidates_state *s, uint64_t address)
{
	for (size_t i = s->blocks.len; i-- > 0;)
		if (address - s->blocks.at[i].start < s->blocks.at[i].size)
			return s->blocks.at[i].life;
	return 0;
}

/* ---- accesses ---- */

static void add_candidate(struct candidates *c, struct candidate found)
{
	bool is_new;
	uint64_t kind = (uint64_t)found.is_recycled | (uint64_t)found.is_failure << 1;
	map_put(&c->seen, hash_mix(hash_mix(hash_mix(kind, found.earlier), 1), found.later),
		&is_new);
	if (is_new)
		vec_push(&c->found, found);
}

static void note(struct candidates *c, const struct access *earlier, const struct access *later)
{
	add_candidate(c, (struct candidate){ earlier->pc, later->pc, earlier->life != later->life,
					     false });
}

/* Compare with what others did to the cell; whether an entry like it is there already. */
static bool compare_in_cell(struct candidates *c, int32_t first, const struct access *now)
{
	struct candidates_state *s = c->state;
	bool is_known = false;
	for (int32_t i = first; i >= 0; i = s->accesses.at[i].next) {
		const struct access *old = &s->accesses.at[i];
		if (old->thread == now->thread) {
			is_known |= old->pc == now->pc && old->time == now->time &&
				    old->lockset == now->lockset && old->low == now->low &&
				    old->high == now->high && old->life == now->life &&
				    old->is_write == now->is_write;
			continue;
		}
		if ((!old->is_write && !now->is_write) || (old->is_atomic && now->is_atomic) ||
		    old->low >= now->high || now->low >= old->high)
			continue;
		if (hb_covers(&s->hb, now->thread, old->thread, old->time))
			continue;
		if (!locks_protect(s, old->lockset, now->lockset))
			note(c, old, now);
	}
	return is_known;
}

static void add_access(struct candidates *c, uint32_t thread, const struct wire_op *op,
		       bool is_write)
{
	struct candidates_state *s = c->state;
	struct thread_state *t = thread_at(s, thread);
	struct access now = {
		.low = op->object,
		.high = op->object + (op->size ? op->size : 1),
		.pc = op->pc,
		.life = life_at(s, op->object),
		.thread = thread,
		.time = hb_time(&s->hb, thread),
		.lockset = lockset_of(s, t),
		.is_write = is_write,
		.is_atomic = op->kind == EV_RMW || (op->kind != EV_FREE && op->mode != MODE_PLAIN),
	};
	for (uint64_t cell = now.low / CELL_BYTES; cell <= (now.high - 1) / CELL_BYTES; cell++) {
		uint64_t *newest = map_put(&s->cells, cell, NULL);
		int32_t first = (int32_t)*newest - 1;
		if (compare_in_cell(c, first, &now))
			continue;
		now.next = first;
		vec_push(&s->accesses, now);
		*newest = s->accesses.len;
	}
}

/* ---- the pass ---- */

/* A thread that was blocked goes on: the last operation on what it waited for has let it. */
static void goes_on(struct candidates_state *s, uint32_t thread)
{
	struct thread_state *t = thread_at(s, thread);
	if (t->blocked_on.via != VIA_NOTHING)
		hb_receive(&s->hb, thread, t->blocked_on);
	t->blocked_on.via = VIA_NOTHING;
}

/*
 * What the thread has done so far is left for a thread that goes on because of it; what it does
 * next is not.  Of several threads the last one counts, which let the others go on; at a barrier
 * all of them were needed.  Messages and annotations let no thread go on by themselves.
 */
static void add_edges(struct candidates_state *s, uint32_t thread, const struct wire_op *op)
{
	struct sync_edge from = op_edge(op, thread, false), to = op_edge(op, thread, true);
	if (from.via == VIA_END)
		hb_receive(&s->hb, thread, from);
	if (to.via != VIA_OBJECT && to.via != VIA_CREATION && to.via != VIA_END)
		return;
	if (op->kind == EV_BARRIER_IN)
		hb_publish(&s->hb, thread, to);
	else
		hb_replace(&s->hb, thread, to);
}

static void add_event(struct candidates *c, uint32_t thread, const struct wire_op *op)
{
	struct candidates_state *s = c->state;
	switch ((enum event_kind)op->kind) {
	case EV_READ:
		add_access(c, thread, op, false);
		break;
	case EV_WRITE:
	case EV_FREE:
		add_access(c, thread, op, true);
		break;
	case EV_RMW:
		add_access(c, thread, op, !(op->flags & EVF_FAILED));
		break;
	case EV_FAILURE:
		if (FAULT(FAILED_ACCESS_NO_CANDIDATE))
			break;
		if (op->mode == FAILED_PLAIN_ACCESS)
			add_candidate(c, (struct candidate){ op->pc, op->pc, false, true });
		break;
	case EV_ALLOC:
		vec_push(&s->blocks,
			 ((struct block){ op->object, op->size ? op->size : 1, ++s->lives }));
		break;
	case EV_ACQUIRE:
		lock_taken(thread_at(s, thread), op);
		break;
	case EV_RELEASE:
	case EV_ORPHAN:
		lock_left(thread_at(s, thread), op->object);
		break;
	case EV_FLUSH:	       /* its write has been compared */
	case EV_OUTSIDE_WRITE: /* by no instruction that is known */
	case EV_INITIAL:
	case EV_RESIZE:
		break;
	/* no accesses, and no locks that are held; what they order is in add_edges() */
	case EV_FENCE:
	CASES_OF_ATTEMPTS:
	CASES_OF_OBJECT_LIFE:
	CASES_OF_CONDITIONS:
	CASES_OF_BARRIERS:
	CASES_OF_SEMAPHORES:
	CASES_OF_ONCE:
	case EV_FORK:
	case EV_BEGIN:
	case EV_END:
	case EV_JOIN:
	case EV_DETACH:
	case EV_HIDDEN:
	case EV_ANNOTATION:
	case EV_INPUT:
	case EV_ASSUME:
	case EV_PROCESS_END:
	case EV_JOIN_WAIT:
	case EV_CONSISTENT:
	CASES_OF_SIGNALS:
	case EV_ASK:
#define SYNC_OWN(NAME) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
	add_edges(s, thread, op);
}

static void add_op(struct candidates *c, uint32_t thread, const struct wire_op *op)
{
	if (op->kind == OP_BLOCKED)
		thread_at(c->state, thread)->blocked_on =
			(struct sync_edge){ op->object, op->mode ? VIA_OBJECT : VIA_END };
	else if (op->kind < EV_LIMIT)
		add_event(c, thread, op);
}

static void begin(struct candidates *c)
{
	if (!c->state)
		c->state = mem_zero(1, sizeof(*c->state));
	struct candidates_state *s = c->state;
	for (size_t i = 0; i < s->threads.len; i++) {
		struct thread_state *t = &s->threads.at[i];
		t->held.len = 0;
		t->lockset_is_old = true;
		t->blocked_on.via = VIA_NOTHING;
	}
	hb_begin(&s->hb);
	map_clear(&s->cells);
	s->locksets.len = s->lock_room.len = s->accesses.len = s->blocks.len = 0;
	s->lives = 0;
}

bool candidates_collect(struct candidates *c, const struct execution *x)
{
	begin(c);
	uint32_t thread = 0;
	/* An access is compared with as many as its cell has had. */
	OPS_EACH (op, x->ops, x->ops_count) {
		if (cancellation_check(&c->cancellation, STEPS_OF_OP))
			break;
		if (op->kind == OP_STEP) {
			thread = (uint32_t)op->object;
			hb_thread(&c->state->hb, thread);
			goes_on(c->state, thread);
		} else {
			add_op(c, thread, op);
		}
	}
	return !c->cancellation.is_cancelled;
}

void candidates_merge(struct candidates *c, const struct candidates *other, size_t first)
{
	for (size_t i = first; i < other->found.len; i++)
		add_candidate(c, other->found.at[i]);
}

void candidates_release(struct candidates *c)
{
	struct candidates_state *s = c->state;
	if (s) {
		for (size_t i = 0; i < s->threads.len; i++)
			vec_release(&s->threads.at[i].held);
		hb_release(&s->hb);
		vec_release(&s->threads);
		vec_release(&s->locksets);
		vec_release(&s->lock_room);
		vec_release(&s->accesses);
		vec_release(&s->blocks);
		map_release(&s->cells);
		mem_free(s);
	}
	map_release(&c->seen);
	vec_release(&c->found);
	*c = (struct candidates){ 0 };
}
