/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See candidates.h.  One pass over the operations.
 *
 * Each thread has a vector clock.  A clock is handed on where a thread was made able to run:
 * creation to begin, end to join, and from the last operation on an object to a thread that had
 * been blocked on it.  For each cell of eight bytes the accesses so far are kept, one for each
 * (instruction, thread, period of the thread's clock, set of locks), so a loop leaves one entry,
 * and every pair that differs in what matters is looked at, not only the first one: another pair
 * may be the one that can be reversed.
 */
#include "explore/deepening/candidates.h"

#include "base/hash.h"
#include "explore/fault.h"

#define CELL_BYTES 8
#define STEPS_OF_OP 1000 /* so many are taken for those of an operation (cancellation.h) */

struct clock {
	VEC(uint32_t) of; /* by thread */
};

/* A lock that a thread holds; `is_shared`: with others that only read. */
struct held {
	uint64_t lock;
	uint32_t depth;
	bool is_shared;
};

struct thread_state {
	struct clock clock;
	VEC(struct held) held;
	/* the present one, as a number; it is made anew when `held` changes */
	uint32_t lockset;
	bool lockset_is_old;
	uint64_t blocked_on; /* what it could not get, 0: it was able to run */
};

struct lockset {
	uint32_t first, count; /* in lock_room */
};

struct access {
	uint64_t low, high, pc;
	uint64_t life; /* of the heap block, 0: none */
	uint32_t thread, period, lockset;
	int32_t next; /* in its cell, -1: the last one */
	bool is_write, is_atomic;
};

struct block {
	uint64_t start, size, life;
};

struct candidates_state {
	VEC(struct thread_state) threads;
	VEC(struct clock) clocks; /* what was handed to objects and threads to come */
	struct map clock_of;	  /* object to its place in clocks, plus one */
	size_t clocks_used;
	VEC(struct lockset) locksets;
	VEC(struct held) lock_room;
	VEC(struct access) accesses;
	struct map cells; /* cell to its newest access, plus one */
	/* heap blocks in order of allocation; the last one that covers an address counts */
	VEC(struct block) blocks;
	uint64_t lives;
};

/* Threads and objects have clocks of their own kinds. */
static uint64_t key_of_thread(uint64_t thread)
{
	return thread << 1 | 1;
}
static uint64_t key_of_object(uint64_t object)
{
	return object << 1;
}

static void clock_reach(struct clock *c, size_t count)
{
	while (c->of.len < count)
		vec_push(&c->of, 0);
}

static void clock_join(struct clock *to, const struct clock *from)
{
	clock_reach(to, from->of.len);
	for (size_t i = 0; i < from->of.len; i++)
		if (from->of.at[i] > to->of.at[i])
			to->of.at[i] = from->of.at[i];
}

static struct thread_state *thread_at(struct candidates_state *s, uint64_t thread)
{
	while (s->threads.len <= thread) {
		struct thread_state *t = vec_add(&s->threads);
		t->lockset_is_old = true;
	}
	struct thread_state *t = &s->threads.at[thread];
	clock_reach(&t->clock, thread + 1);
	if (!t->clock.of.at[thread])
		t->clock.of.at[thread] = 1;
	return t;
}

/*
 * What the thread has done so far is handed to whoever takes it from there; what it does next is
 * not.  Of several threads the last one counts, which let the others go on; at a barrier all of
 * them were needed.
 */
static void hand_on(struct candidates_state *s, uint64_t thread, uint64_t key, bool with_others)
{
	struct thread_state *t = thread_at(s, thread);
	uint64_t *place = map_put(&s->clock_of, key, NULL);
	if (!*place) {
		if (s->clocks_used == s->clocks.len)
			vec_add(&s->clocks);
		*place = ++s->clocks_used;
		with_others = false;
	}
	if (!with_others)
		s->clocks.at[*place - 1].of.len = 0;
	clock_join(&s->clocks.at[*place - 1], &t->clock);
	t->clock.of.at[thread]++;
}

static void take_from(struct candidates_state *s, uint64_t thread, uint64_t key)
{
	const uint64_t *place = map_get(&s->clock_of, key);
	if (place)
		clock_join(&thread_at(s, thread)->clock, &s->clocks.at[*place - 1]);
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
	bool is_shared = op->mode == SYNC_RDLOCK || op->mode == SYNC_ANNOTATED_SHARED;
	vec_push(&t->held, ((struct held){ op->object, 1, is_shared }));
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
			is_known |= old->pc == now->pc && old->period == now->period &&
				    old->lockset == now->lockset && old->low == now->low &&
				    old->high == now->high && old->life == now->life &&
				    old->is_write == now->is_write;
			continue;
		}
		if ((!old->is_write && !now->is_write) || (old->is_atomic && now->is_atomic) ||
		    old->low >= now->high || now->low >= old->high)
			continue;
		const struct clock *clock = &s->threads.at[now->thread].clock;
		if (old->thread < clock->of.len && clock->of.at[old->thread] >= old->period)
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
		.period = t->clock.of.at[thread],
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

/* A thread that was blocked goes on: who last did something to what it waited for has let it. */
static void goes_on(struct candidates_state *s, uint32_t thread)
{
	struct thread_state *t = thread_at(s, thread);
	if (!t->blocked_on)
		return;
	take_from(s, thread, t->blocked_on);
	t->blocked_on = 0;
}

static void add_op(struct candidates *c, uint32_t thread, const struct wire_op *op)
{
	struct candidates_state *s = c->state;
	switch (op->kind) {
	case EV_READ:
		add_access(c, thread, op, false);
		break;
	case EV_WRITE:
		add_access(c, thread, op, true);
		break;
	case EV_RMW:
		add_access(c, thread, op, !(op->flags & EVF_FAILED));
		break;
	case EV_FREE:
		add_access(c, thread, op, true);
		break;
	case EV_FAILURE:
		if (op->mode == FAILED_PLAIN_ACCESS && !FAULT(122))
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
		hand_on(s, thread, key_of_object(op->object), false);
		break;
	case EV_SIGNAL:
	case EV_BROADCAST:
	case EV_SEM_POST:
	case EV_BARRIER_IN:
	case EV_ONCE_END:
		hand_on(s, thread, key_of_object(op->object), op->kind == EV_BARRIER_IN);
		break;
	case EV_FORK:
		hand_on(s, thread, key_of_thread(op->object), false);
		break;
	case EV_BEGIN:
		take_from(s, thread, key_of_thread(thread));
		break;
	case EV_END:
		hand_on(s, thread, key_of_thread(thread), false);
		break;
	case EV_JOIN:
		take_from(s, thread, key_of_thread(op->object));
		break;
	case OP_BLOCKED:
		thread_at(s, thread)->blocked_on =
			op->mode ? key_of_object(op->object) : key_of_thread(op->object);
		break;
	default:
		break;
	}
}

static void begin(struct candidates *c)
{
	if (!c->state)
		c->state = mem_zero(1, sizeof(*c->state));
	struct candidates_state *s = c->state;
	for (size_t i = 0; i < s->threads.len; i++) {
		struct thread_state *t = &s->threads.at[i];
		t->clock.of.len = t->held.len = 0;
		t->lockset_is_old = true;
		t->blocked_on = 0;
	}
	s->clocks_used = 0;
	map_clear(&s->clock_of);
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
		for (size_t i = 0; i < s->threads.len; i++) {
			vec_release(&s->threads.at[i].clock.of);
			vec_release(&s->threads.at[i].held);
		}
		for (size_t i = 0; i < s->clocks.len; i++)
			vec_release(&s->clocks.at[i].of);
		vec_release(&s->threads);
		vec_release(&s->clocks);
		vec_release(&s->locksets);
		vec_release(&s->lock_room);
		vec_release(&s->accesses);
		vec_release(&s->blocks);
		map_release(&s->clock_of);
		map_release(&s->cells);
		mem_free(s);
	}
	map_release(&c->seen);
	vec_release(&c->found);
	*c = (struct candidates){ 0 };
}
