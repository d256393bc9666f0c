/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps: numbers for (thread, epoch, locks held, place in the history); see run.h.
 *
 * A thread gets a stamp when it makes the first access since its epoch or its locks changed, so
 * that locks around nothing cost none.  There are 2^20 numbers, given out in batches and in
 * rounds of one half of them. When a half is to be given out again the whole shadow is cleared
 * first: what its numbers meant is forgotten.
 *
 * Numbers that somebody still uses are not given out again, with the batches that they lie in
 * (pinned).  A number is used
 *
 * - for a new cell.  That is the thread's present stamp, or one that it takes from its batch.
 *   Batches change owners under pool.lock, which is held while the shadow is cleared; so what is
 *   pinned before that is all that can come into the shadow during it.  A stamp that its thread
 *   has not yet shown us is one of its batch, too: before it got the next one it had to take the
 *   lock.
 * - by a thread that has loaded a cell.  It may lose its processor then for as long as it pleases
 *   others. Therefore it says first that it is looking, loads the cell, tells the number
 *   (thr.looked_at), and looks whether g.wipes is still what it was before.  The shadow is
 *   cleared, g.wipes is increased, every thread passes a barrier (run_barrier), and then the
 *   numbers that are told are pinned.  If the thread's second look at g.wipes came before its
 *   barrier we see what it had told before.  If it came after, it saw the increased g.wipes, and
 *   so did its first look, or it begins again: the cell was loaded after the clearing and has a
 *   number of the kind above.
 * - by a thread that has the number from elsewhere (the last use of a lock, an undecided pair).
 *   It tells it in the same way, and asks whether g.wipes is what it was when it last made sure
 *   that nothing from before is predicted, and whether the action is from before that (is_wiped).
 *
 * A pinned number pins those that it names (struct stamp.outer).
 *
 * A cleared shadow has forgotten who accessed what under which lock, and others go on while it is
 * being cleared, one page after the other.  g.wipes is odd meanwhile.  Sections that were open at
 * any moment of it could later be taken for unrelated: their locks order them like happens-before
 * does (lock.c looks at held.wipes).  Actions from before its end make no prediction any more
 * (is_wiped), whether a cell or something else (uses of locks, undecided pairs) still knows them:
 * edges that order them may be lost.  Each thread sees to that itself, before the next thing that
 * it does: then it may also have seen writes since whose cells it could not find (late_see).
 */
#include "run/fault.h"
#include "run/run.h"

#define BATCH (STAMPS >> 16 ? 32u : 4u)
#define HALF (STAMPS / 2)

static struct {
	uint32_t lock;
	uint32_t next; /* first number not given out */
	uint32_t round;
	uint64_t pinned[STAMPS / BATCH / 64 + 1];
} pool;

void stamp_init(void)
{
	run_map_at(STAMPS_BASE, STAMPS * sizeof(struct stamp));
	/* they are looked up all over it */
	run_huge(STAMPS_BASE, STAMPS * sizeof(struct stamp));
	pool.next = BATCH; /* number 0 is no stamp */
}

static void pin(uint32_t stamp)
{
	pool.pinned[stamp / BATCH / 64] |= 1ull << (stamp / BATCH % 64);
}

/* With all that it names.  What stands before a block of the heap (heap.c) may look like a cell. */
static void pin_chain(uint32_t stamp)
{
	for (unsigned n = 0; stamp && stamp < STAMPS && n <= HELD_MAX; n++) {
		pin(stamp);
		stamp = __atomic_load_n(&STAMP(stamp)->outer, __ATOMIC_RELAXED);
	}
}

/* What may come into the shadow from now on; also of threads that end meanwhile. */
static void pin_own(void)
{
	run_clear(pool.pinned, sizeof(pool.pinned));
	pin(0);
	for (uint32_t i = 0; i < g.slot_count; i++) {
		const struct thr *t = g.slots[i];
		if (!t)
			continue;
		if (t->batch_end)
			pin(t->batch_end - 1);
		pin_chain(__atomic_load_n(&t->current, __ATOMIC_RELAXED));
		uint32_t n = __atomic_load_n(&t->held_count, __ATOMIC_ACQUIRE);
		for (uint32_t k = 0; k < n && k < HELD_MAX; k++)
			pin_chain(__atomic_load_n(&t->held[k].node, __ATOMIC_RELAXED));
	}
}

static void pin_looked_at(void)
{
	for (uint32_t i = 0; i < g.slot_count; i++) {
		const struct thr *t = g.slots[i];
		if (!t || !__atomic_load_n(&t->looking, __ATOMIC_ACQUIRE) || FAULT(15))
			continue;
		for (unsigned k = 0; k < LOOKS; k++)
			pin_chain(CELL_STAMP(__atomic_load_n(&t->looked_at[k], __ATOMIC_RELAXED)));
	}
}

void stamp_forget_actions(void)
{
	run_lock(&pool.lock);
	for (uint32_t i = 0; i < g.slot_count; i++) {
		struct thr *t = g.slots[i];
		if (t)
			__atomic_store_n(&t->wiped_epoch,
					 __atomic_load_n(&t->epoch, __ATOMIC_RELAXED),
					 __ATOMIC_RELEASE);
	}
	run_unlock(&pool.lock);
}

static void next_half(void)
{
	if (pool.next == STAMPS)
		pool.next = 0;
	pool.round++;
	if (pool.round >= 2 && !FAULT(9)) {
		pin_own();
		__atomic_add_fetch(&g.wipes, 1, __ATOMIC_SEQ_CST);
		for (int half = 0; half < 2; half++) {
			run_forget(SHADOW_BASE + (uintptr_t)half * SHADOW_SIZE / 2,
				   SHADOW_SIZE / 2);
			WIDEN(32);
		}
		run_forget(PARTS_BASE, PARTS_SIZE);
		__atomic_add_fetch(&g.wipes, 1, __ATOMIC_SEQ_CST);
		run_barrier();
		pin_looked_at();
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
	run_unlock(&pool.lock);
}

static uint32_t new_stamp(struct thr *t, uint32_t outer, const struct held *h)
{
	if (t->batch == t->batch_end)
		new_batch(t);
	uint32_t number = t->batch++;
	struct stamp *s = STAMP(number);
	s->epoch = t->epoch;
	s->slot = t->slot;
	s->outer = outer;
	s->place = history_place(t);
	s->lock = h ? h->lock : 0;
	s->section = h ? h->section : 0;
	s->mode = h ? h->mode & 1 : 0;
	return number;
}

uint32_t stamp_now(struct thr *t)
{
	uint32_t base = thr_base(t);
	if (base)
		return CELL_STAMP(base);
	late_see(t);
	uint32_t outer = 0, number = 0;
	for (uint32_t i = 0; i < t->held_count; i++) {
		struct held *h = &t->held[i];
		if (!h->node || i + 1 == t->held_count)
			__atomic_store_n(&h->node, new_stamp(t, outer, h), __ATOMIC_RELEASE);
		outer = number = h->node;
	}
	if (!number)
		number = new_stamp(t, 0, NULL);
	__atomic_store_n(&t->current, number, __ATOMIC_RELEASE);
	t->base = number << 10;
	return number;
}

void thr_tick(struct thr *t)
{
	if (likely(t->epoch < EPOCHS_MAX))
		t->epoch++;
	else
		g.options.limit = 0; /* what it does could be taken for what it did before */
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
	}
	/* Who reads its clock (clock_see in clock.c) must notice that it is another thread's. */
	__atomic_store_n(&t->first_epoch, t->epoch + 1, __ATOMIC_SEQ_CST);
	run_clear(t->clock, SLOTS_MAX * sizeof(struct tick));
	t->changes += t->changes & 1; /* the one before it may have ended in a fork */
	run_clear(t->known, sizeof(t->known));
	t->has_late = 0;
	run_clear(t->late, sizeof(t->late));
	t->wipes_met = __atomic_load_n(&g.wipes, __ATOMIC_ACQUIRE);
	t->random = slot * 2654435761u + 1;
	t->held_count = 0;
	t->candidate_count = 0;
	t->is_alive = true;
	thr_tick(t);
	return t;
}
