/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps: numbers for (thread, epoch, locks held, place in the history); see stamp.h.
 *
 * A thread gets a stamp when it makes the first access since its epoch or its locks changed, so
 * locks around nothing cost no stamp.  There are 2^20 numbers, given out in batches, one half of
 * them after the other.  Before a half is given out again the whole shadow is cleared (a reset),
 * so that no cell has a number with its old meaning.
 *
 * Invariant: a number that is in use is not given out again.  The batches that contain such
 * numbers are pinned during a reset.  A number is in use
 *
 * 1. for new cells.  Such a number is the present stamp of its thread, or comes from the thread's
 *    batch.  Batches change owners under pool.lock, which the reset holds; so the batches pinned
 *    before the reset contain all numbers that can come into the shadow during it.  A stamp that
 *    its thread has not stored in thr.stamps.current yet is in its batch, too: before it got
 *    another batch it had to take the lock.
 *
 * 2. by a thread that has loaded a cell and may be preempted then for arbitrarily long.  Such a
 *    thread (hazard.h) sets thr.has_hazards, reads run_state.resets, loads the cell, stores it in
 *    thr.hazards, and reads run_state.resets again.  The reset clears the shadow, increments
 *    run_state.resets, makes every thread pass a barrier (run_barrier), and then pins what is in
 *    thr.hazards.  Two cases:
 *    - The thread's second read of run_state.resets came before its barrier.  Then the reset sees
 *      the cell in thr.hazards.
 *    - It came after.  Then it returned the new value, and so did the first read, or the thread
 *      starts again.  So the cell was loaded after the shadow was cleared and has a number of
 *      kind 1.
 *
 * 3. by a thread that has the number from elsewhere (the last use of a lock, an undecided pair).
 *    It publishes it in the same way (hazard_past), and checks that run_state.resets has the value
 *    of the time when it last excluded earlier actions from predictions, and that the action is
 *    not one of these (is_before_reset).
 *
 * A pinned number pins those that it names (struct stamp.outer).
 *
 * A reset drops the information which thread accessed what under which lock, and other threads
 * continue during it.  run_state.resets is odd meanwhile.  Two consequences:
 *
 * - Sections that were open at any time during the reset could later be taken for unrelated.
 *   Their locks order them as happens-before does (lock.c compares held.resets).
 * - Edges that order actions from before the end of the reset may be lost.  These actions are
 *   excluded from predictions (is_before_reset), whether a cell or something else (uses of locks,
 *   undecided pairs) still has them.  Each thread does that before its next action
 *   (late_receive), because until then it may have seen writes whose cells it could not find.
 */
#include "run/stamp.h"

#include "run/address.h"
#include "run/fault.h"
#include "run/guard.h"
#include "run/history.h"
#include "run/late.h"
#include "run/lock.h"
#include "run/memory.h"
#include "run/run.h"
#include "run/shadow.h"
#include "run/thr.h"

#define HALF (STAMPS / 2)

uint32_t *stamp_locks;
struct stamp_owner stamp_owners[STAMPS / STAMP_BATCH];

static struct {
	uint32_t lock;
	uint32_t next; /* first number not given out */
	uint32_t round;
	uint64_t pinned[STAMPS / STAMP_BATCH / 64 + 1];
} pool;

void stamp_init(void)
{
	run_map_at(STAMPS_BASE, STAMPS * sizeof(struct stamp));
	/* lookups are spread over all of it */
	run_huge(STAMPS_BASE, STAMPS * sizeof(struct stamp));
	stamp_locks = run_map(STAMPS * sizeof(*stamp_locks));
	run_huge((uintptr_t)stamp_locks, STAMPS * sizeof(*stamp_locks));
	pool.next = STAMP_BATCH; /* number 0 is no stamp */
}

static void pin(uint32_t stamp)
{
	pool.pinned[stamp / STAMP_BATCH / 64] |= 1ull << (stamp / STAMP_BATCH % 64);
}

/*
 * With all numbers that it names.  The record before a block of the heap (heap.c) may look like a
 * cell.
 */
static void pin_chain(uint32_t stamp)
{
	for (unsigned n = 0; stamp && stamp < STAMPS && n <= HELD_MAX; n++) {
		pin(stamp);
		stamp = __atomic_load_n(&STAMP(stamp)->outer, __ATOMIC_RELAXED);
	}
}

/* Numbers of kind 1, also of threads that end meanwhile. */
static void pin_own(void)
{
	run_clear(pool.pinned, sizeof(pool.pinned));
	pin(0);
	for (uint32_t i = 0; i < run_state.slot_count; i++) {
		const struct thr *t = run_state.slots[i];
		if (!t)
			continue;
		if (t->stamps.end)
			pin(t->stamps.end - 1);
		pin_chain(__atomic_load_n(&t->stamps.current, __ATOMIC_RELAXED));
		uint32_t n = __atomic_load_n(&t->held_count, __ATOMIC_ACQUIRE);
		for (uint32_t k = 0; k < n && k < HELD_MAX; k++)
			pin_chain(__atomic_load_n(&t->held[k].node, __ATOMIC_RELAXED));
	}
}

/* Numbers of kinds 2 and 3. */
static void pin_hazards(void)
{
	for (uint32_t i = 0; i < run_state.slot_count; i++) {
		const struct thr *t = run_state.slots[i];
		if (FAULT(RUN_VIEWED_STAMPS_WIPED))
			break;
		if (!t || !__atomic_load_n(&t->has_hazards, __ATOMIC_ACQUIRE))
			continue;
		for (unsigned k = 0; k < HAZARDS; k++)
			pin_chain(CELL_STAMP(__atomic_load_n(&t->hazards[k], __ATOMIC_RELAXED)));
	}
}

void stamp_exclude_past(void)
{
	run_lock(&pool.lock);
	for (uint32_t i = 0; i < run_state.slot_count; i++) {
		struct thr *t = run_state.slots[i];
		if (t)
			__atomic_store_n(&t->shared.reset_epoch,
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
	bool is_reused = pool.round >= 2;
	if (FAULT(RUN_STAMPS_REUSED_UNWIPED))
		is_reused = false;
	if (is_reused) {
		pin_own();
		__atomic_add_fetch(&run_state.resets, 1, __ATOMIC_SEQ_CST);
		for (int half = 0; half < 2; half++) {
			run_zero_pages(SHADOW_BASE + (uintptr_t)half * SHADOW_SIZE / 2,
				       SHADOW_SIZE / 2);
			WIDEN(32);
		}
		run_zero_pages(PARTS_BASE, PARTS_SIZE);
		__atomic_add_fetch(&run_state.resets, 1, __ATOMIC_SEQ_CST);
		run_barrier();
		pin_hazards();
	}
}

void stamp_close_batches(struct thr *t)
{
	while (t->stamps.left_count)
		__atomic_store_n(&stamp_owners[t->stamps.left[--t->stamps.left_count]].over,
				 t->epoch, __ATOMIC_RELEASE);
}

/* All numbers of the present batch are used.  If there is no room to remember it, it stays open. */
static void leave_batch(struct thr *t)
{
	if (t->stamps.end && t->stamps.left_count < LEFT_MAX)
		t->stamps.left[t->stamps.left_count++] = t->stamps.end / STAMP_BATCH - 1;
	if (!t->held_count)
		stamp_close_batches(t);
}

static void new_batch(struct thr *t)
{
	leave_batch(t);
	run_lock(&pool.lock);
	do {
		if (pool.next == HALF || pool.next == STAMPS)
			next_half();
		t->stamps.next = pool.next;
		pool.next += STAMP_BATCH;
	} while (pool.pinned[t->stamps.next / STAMP_BATCH / 64] >>
			 (t->stamps.next / STAMP_BATCH % 64) &
		 1);
	t->stamps.end = t->stamps.next + STAMP_BATCH;
	stamp_owners[t->stamps.next / STAMP_BATCH] = (struct stamp_owner){ t->slot, BATCH_OPEN };
	run_unlock(&pool.lock);
}

static uint32_t new_stamp(struct thr *t, uint32_t outer, const struct held *h)
{
	if (t->stamps.next == t->stamps.end)
		new_batch(t);
	uint32_t number = t->stamps.next++;
	struct stamp *s = STAMP(number);
	s->epoch = t->epoch;
	s->outer = outer;
	s->place = history_place(t);
	s->section = h ? h->section : 0;
	uint32_t lock = h ? h->lock | (h->mode == HOLD_WRITE ? STAMP_MODE : 0) : 0;
	stamp_locks[number] = lock | (outer ? STAMP_OUTER : 0);
	return number;
}

uint32_t stamp_now(struct thr *t)
{
	uint32_t base = thr_base(t);
	if (base)
		return CELL_STAMP(base);
	late_receive(t);
	uint32_t outer = 0, number = 0;
	for (uint32_t i = 0; i < t->held_count; i++) {
		struct held *h = &t->held[i];
		if (!h->node || i + 1 == t->held_count)
			__atomic_store_n(&h->node, new_stamp(t, outer, h), __ATOMIC_RELEASE);
		outer = number = h->node;
	}
	if (!number)
		number = new_stamp(t, 0, NULL);
	__atomic_store_n(&t->stamps.current, number, __ATOMIC_RELEASE);
	t->base = number << 10;
	return number;
}
