/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps: numbers for (thread, epoch, locks held, place in the history); see run.h.
 *
 * A thread gets a stamp when it makes the first access since its epoch or its locks changed, so that locks
 * around nothing cost none.  There are 2^20 numbers, given out in batches and in rounds of one half of them.
 * When a half is to be given out again the whole shadow is cleared first: no cell has a number of the other
 * half's predecessors any more. What threads still use of it (their present stamp, those of the locks that
 * they hold) lies in batches that are left out. A thread does not use up a batch of an earlier round, so that
 * between the check and the use a whole round would have to pass for harm.
 *
 * A cleared shadow has forgotten who accessed what under which lock, and others go on while it is being cleared,
 * one page after the other.  g.wipes is odd meanwhile.  Sections that were open at any moment of it could later be
 * taken for unrelated: their locks order them like happens-before does (lock.c looks at held.wipes).  Actions that
 * began before its end make no prediction any more (is_wiped), whether a cell or something else (uses of locks,
 * undecided pairs) still knows them: edges that order them may be lost.
 */
#include "run/fault.h"
#include "run/run.h"

#define BATCH (STAMPS >> 16 ? 64u : 4u)
#define HALF (STAMPS / 2)

static struct {
	uint32_t lock;
	uint32_t next;		/* first number not given out */
	uint32_t round;
	uint64_t pinned[STAMPS / BATCH / 64 + 1];
} pool;

void stamp_init(void)
{
	run_map_at(STAMPS_BASE, STAMPS * sizeof(struct stamp));
	run_huge(STAMPS_BASE, STAMPS * sizeof(struct stamp));	/* they are looked up all over the place */
	pool.next = BATCH;	/* number 0 is no stamp */
}

static void pin(uint32_t stamp)
{
	pool.pinned[stamp / BATCH / 64] |= 1ull << (stamp / BATCH % 64);
}

static void pin_all(void)
{
	run_clear(pool.pinned, sizeof(pool.pinned));
	pin(0);
	for (uint32_t i = 0; i < g.slot_count; i++) {
		const struct thr *t = g.slots[i];
		if (!t || !t->is_alive)
			continue;
		pin(CELL_STAMP(__atomic_load_n(&t->base, __ATOMIC_RELAXED)));
		uint32_t n = __atomic_load_n(&t->held_count, __ATOMIC_ACQUIRE);
		for (uint32_t k = 0; k < n && k < HELD_MAX; k++)
			pin(__atomic_load_n(&t->held[k].node, __ATOMIC_RELAXED));
		for (unsigned k = 0; k < t->candidate_count && k < CANDIDATES_MAX; k++)
			pin(t->candidates[k].found.past.stamp);
	}
}

static void forget_actions(void)
{
	for (uint32_t i = 0; i < g.slot_count; i++)
		if (g.slots[i])
			__atomic_store_n(&g.slots[i]->wiped_epoch,
					 __atomic_load_n(&g.slots[i]->epoch, __ATOMIC_RELAXED), __ATOMIC_RELEASE);
}

static void next_half(void)
{
	if (pool.next == STAMPS)
		pool.next = 0;
	pool.round++;
	if (pool.round >= 2 && !FAULT(9)) {
		pin_all();
		__atomic_add_fetch(&g.wipes, 1, __ATOMIC_SEQ_CST);
		if (!FAULT(12))
			forget_actions();
		for (int half = 0; half < 2; half++) {
			run_forget(SHADOW_BASE + (uintptr_t)half * SHADOW_SIZE / 2, SHADOW_SIZE / 2);
			WIDEN(32);
		}
		forget_actions();
		__atomic_add_fetch(&g.wipes, 1, __ATOMIC_SEQ_CST);
	}
}

static void new_batch(struct thr *t)
{
	run_lock(&pool.lock);
	do {
		if (pool.next == HALF || pool.next == STAMPS)
			next_half();
		t->batch = pool.next;
		pool.next += BATCH;
	} while (pool.pinned[t->batch / BATCH / 64] >> (t->batch / BATCH % 64) & 1);
	t->batch_end = t->batch + BATCH;
	t->batch_round = pool.round;
	run_unlock(&pool.lock);
}

static uint32_t new_stamp(struct thr *t, uint32_t outer, const struct held *h)
{
	if (t->batch == t->batch_end || t->batch_round != __atomic_load_n(&pool.round, __ATOMIC_RELAXED))
		new_batch(t);
	uint32_t number = t->batch++;
	struct stamp *s = STAMP(number);
	s->epoch = t->epoch;
	s->slot = t->slot;
	s->outer = outer;
	s->place = history_place(t);
	s->lock = h ? h->lock : 0;
	s->section = h ? h->section : 0;
	s->mode = h ? h->mode : 0;
	return number;
}

uint32_t stamp_now(struct thr *t)
{
	uint32_t base = thr_base(t);
	if (base)
		return CELL_STAMP(base);
	uint32_t outer = 0, number = 0;
	for (uint32_t i = 0; i < t->held_count; i++) {
		struct held *h = &t->held[i];
		if (!h->node || i + 1 == t->held_count)
			__atomic_store_n(&h->node, new_stamp(t, outer, h), __ATOMIC_RELEASE);
		outer = number = h->node;
	}
	if (!number)
		number = new_stamp(t, 0, NULL);
	t->base = number << 10;
	return number;
}

void thr_tick(struct thr *t)
{
	t->epoch++;
	t->clock[t->slot] = (struct tick){ t->epoch, t->epoch };
	t->base = 0;
}

struct thr *thr_new(uint32_t slot)
{
	struct thr *t = g.slots[slot];
	if (!t) {
		t = run_map(sizeof(*t));
		t->clock = run_map(SLOTS_MAX * sizeof(struct tick));
		t->candidates = run_map(CANDIDATES_MAX * sizeof(struct candidate));
		t->slot = (uint16_t)slot;
		g.slots[slot] = t;
		if (slot >= g.slot_count)
			__atomic_store_n(&g.slot_count, slot + 1, __ATOMIC_RELEASE);
	} else {
		run_clear(t->clock, SLOTS_MAX * sizeof(struct tick));
	}
	t->random = slot * 2654435761u + 1;
	t->held_count = 0;
	t->candidate_count = 0;
	t->is_alive = true;
	thr_tick(t);
	t->first_epoch = t->epoch;
	return t;
}
