/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector clocks; see clock.h.  A thread's clock has an entry for every slot.  The clock of an
 * object has as many entries as there were threads when it was last written, and comes from a
 * pool with sizes of powers of two.
 *
 * Invariant: a clock that contains an epoch of a thread contains everything that the thread knew
 * in that epoch.  (A thread that finds the epoch in its clock does not look further.)  Therefore
 *
 * - clocks are handed over as a whole;
 * - if an epoch was exposed, that is, other clocks contain it while it is not over, the thread
 *   does not hand over under this epoch what it learns later: it begins another epoch first
 *   (lock_release, lock_acquire), or the receiver does not rely on exactly that epoch
 *   (order_after_atomics requires the next one).
 */
#include "run/clock.h"

#include "run/fault.h"
#include "run/guard.h"
#include "run/late.h"
#include "run/memory.h"
#include "run/run.h"
#include "run/stamp.h"
#include "run/thr.h"
#include "run/ticks.h"

#define CLASSES 16
#define CHUNK (1u << 20)
#define READ_TRIES 200 /* attempts to read a clock that is changing */

static struct {
	uint32_t lock;
	struct clock *free[CLASSES]; /* linked through the first entry */
	char *chunk, *chunk_end;
} pool;

static size_t bytes_of(uint32_t room)
{
	return (sizeof(struct clock) + room * sizeof(struct tick) + 63) & ~63ul;
}

static unsigned class_of(uint32_t room)
{
	return (unsigned)__builtin_ctz(room);
}

static struct clock *take(uint32_t room)
{
	run_lock(&pool.lock);
	struct clock *c = pool.free[class_of(room)];
	if (c) {
		run_copy(&pool.free[class_of(room)], c->at, sizeof(c));
	} else {
		size_t size = bytes_of(room);
		if (!pool.chunk || (size_t)(pool.chunk_end - pool.chunk) < size) {
			size_t chunk = size > CHUNK ? size : CHUNK;
			pool.chunk = run_map(chunk);
			pool.chunk_end = pool.chunk + (pool.chunk ? chunk : 0);
		}
		if (pool.chunk) {
			c = (struct clock *)pool.chunk;
			pool.chunk += size;
		}
	}
	run_unlock(&pool.lock);
	if (!c)
		__builtin_trap(); /* no memory: without clocks every report could be false */
	c->n = 0;
	c->room = room;
	return c;
}

void clock_free(struct clock *c)
{
	if (!c)
		return;
	run_lock(&pool.lock);
	run_copy(c->at, &pool.free[class_of(c->room)], sizeof(c));
	pool.free[class_of(c->room)] = c;
	run_unlock(&pool.lock);
}

struct clock *clock_grow(struct clock **slot, uint32_t n)
{
	struct clock *old = *slot;
	uint32_t room = 4;
	while (room < n)
		room *= 2;
	struct clock *c = take(room);
	if (old) {
		run_copy(c->at, old->at, old->n * sizeof(struct tick));
		c->n = old->n;
		clock_free(old);
	}
	*slot = c;
	return c;
}

void clock_send(struct thr *t, struct clock **to)
{
	late_receive(t);
	uint32_t n = run_state.slot_count;
	struct clock *c = clock_for(to, n);
	ticks_widen(c, n);
	ticks_raise(c->at, t->clock, c->n, BOTH);
}

void clock_replace(struct thr *t, struct clock **to)
{
	late_receive(t);
	uint32_t n = run_state.slot_count;
	struct clock *c = clock_for(to, n);
	run_copy(c->at, t->clock, ((n + 1) & ~1u) * sizeof(struct tick));
	c->n = n;
}

void clock_merge(struct clock **to, const struct clock *from)
{
	if (!from)
		return;
	struct clock *c = clock_for(to, from->n);
	ticks_widen(c, from->n);
	ticks_raise(c->at, from->at, from->n, BOTH);
}

/* Another thread is about to have this epoch in its clock. */
static void expose(struct thr *t, uint32_t epoch)
{
	uint32_t shown = __atomic_load_n(&t->shared.exposed_epoch, __ATOMIC_RELAXED);
	while (shown < epoch &&
	       !__atomic_compare_exchange_n(&t->shared.exposed_epoch, &shown, epoch, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void copy_weak(struct thr *t, const struct thr *other)
{
	uint32_t n = run_state.slot_count;
	struct clock *c = clock_for(&t->clock_copy, n);
	ticks_widen(c, n);
	for (uint32_t i = 0; i < n; i++)
		c->at[i].weak = __atomic_load_n(&other->clock[i].weak, __ATOMIC_ACQUIRE);
	WIDEN(1);
}

/*
 * The clock that the other thread had in that epoch is gone.  Its present clock is not smaller.
 * It is used together with the present epoch, because other threads may have seen that one and be
 * part of the clock.
 *
 * The other thread continues meanwhile.  Cases:
 *
 * - Its epoch and its number of changes are the same before and after the copy.  Then the copy is
 *   its clock at one moment.  What it learns later it does not hand over under this epoch: the
 *   epoch was marked as exposed before the copy.
 * - It changes all the time, or the slot has a new thread.  Then what it knew is unknown, and all
 *   actions up to now are excluded from predictions.
 */
void clock_order_after(struct thr *t, struct thr *other, uint32_t epoch)
{
	for (unsigned spins = 0; spins < READ_TRIES; run_pause(&spins)) {
		uint32_t now = __atomic_load_n(&other->epoch, __ATOMIC_ACQUIRE);
		expose(other, now);
		uint32_t changes = __atomic_load_n(&other->shared.changes, __ATOMIC_ACQUIRE);
		if (changes & 1)
			continue;
		copy_weak(t, other);
		t->clock_copy->at[other->slot].weak = now;
		if (FAULT(RUN_COPIES_OLD_EPOCH))
			t->clock_copy->at[other->slot].weak = epoch;
		if (epoch < __atomic_load_n(&other->shared.first_epoch, __ATOMIC_ACQUIRE))
			break;
		if (changes == __atomic_load_n(&other->shared.changes, __ATOMIC_ACQUIRE) &&
		    now == __atomic_load_n(&other->epoch, __ATOMIC_ACQUIRE)) {
			clock_join_weak(t, t->clock_copy);
			return;
		}
	}
	stamp_exclude_past();
}
