/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector clocks.  A thread's clock has an entry for every slot; one of an object has as many as
 * there were threads when it was last written, from a pool of powers of two.  Both orders stand
 * side by side in an entry: they are updated together and asked together.
 *
 * An object's clock is read and written under its guard.
 *
 * Who has seen an epoch of a thread is taken to have seen all that the thread knew in it: whoever
 * finds the epoch in his clock asks no further.  So clocks are handed over as wholes, and an
 * epoch that was shown before it was over is not the one under which the thread hands over what
 * it has learned since: it begins another one first (lock_release), or nobody leaves out what he
 * has seen only up to that very epoch (see_atomics).
 */
#include "run/fault.h"
#include "run/ticks.h"

#define CLASSES 16
#define CHUNK (1u << 20)
#define PATIENCE 200 /* looks at a clock that is changing */

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
		__builtin_trap(); /* no memory: without clocks every answer would be wrong */
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

void clock_publish(struct thr *t, struct clock **to)
{
	late_see(t);
	uint32_t n = g.slot_count;
	struct clock *c = clock_for(to, n);
	ticks_widen(c, n);
	ticks_raise(c->at, t->clock, c->n, BOTH);
}

void clock_replace(struct thr *t, struct clock **to)
{
	late_see(t);
	uint32_t n = g.slot_count;
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

/* The epoch has been seen, which need not be over yet. */
static void show(struct thr *t, uint32_t epoch)
{
	uint32_t shown = __atomic_load_n(&t->shown_epoch, __ATOMIC_RELAXED);
	while (shown < epoch && !__atomic_compare_exchange_n(&t->shown_epoch, &shown, epoch, false,
							     __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void copy_weak(struct thr *t, const struct thr *other)
{
	uint32_t n = g.slot_count;
	struct clock *c = clock_for(&t->copied, n);
	ticks_widen(c, n);
	for (uint32_t i = 0; i < n; i++)
		c->at[i].weak = __atomic_load_n(&other->clock[i].weak, __ATOMIC_ACQUIRE);
	WIDEN(1);
}

/*
 * Something that another thread did in an epoch is before what t does next.  The other's clock at
 * that time is gone; what it has now is not less, if the epoch that it is in now is taken to be
 * seen as well: others may have seen that one, and be in the clock.
 *
 * The other does not wait meanwhile.  If nothing changed between two looks at its epoch and at
 * its number of changes, what was read was its clock at one moment; and what it learns later it
 * does not hand over under this epoch, as it finds that the epoch was shown: that was said before
 * its clock was read.  If it changes all the time, or if it is another thread in the same slot,
 * what it knew is unknown; then nothing that was done up to now is predicted to be anywhere else.
 */
void clock_see(struct thr *t, struct thr *other, uint32_t epoch)
{
	for (unsigned spins = 0; spins < PATIENCE; run_pause(&spins)) {
		uint32_t now = __atomic_load_n(&other->epoch, __ATOMIC_ACQUIRE);
		show(other, now);
		uint32_t changes = __atomic_load_n(&other->changes, __ATOMIC_ACQUIRE);
		if (changes & 1)
			continue;
		copy_weak(t, other);
		t->copied->at[other->slot].weak = FAULT(17) ? epoch : now;
		if (epoch < __atomic_load_n(&other->first_epoch, __ATOMIC_ACQUIRE))
			break;
		if (changes == __atomic_load_n(&other->changes, __ATOMIC_ACQUIRE) &&
		    now == __atomic_load_n(&other->epoch, __ATOMIC_ACQUIRE)) {
			clock_receive_weak(t, t->copied);
			return;
		}
	}
	stamp_forget_actions();
}

/* If there are more than can be told, the reader predicts nothing of what was done until he hears
 * of it. */
void late_add(struct thr *reader, const struct thr *writer)
{
	uint64_t told = (uint64_t)writer->slot << 32 | writer->epoch;
	uint32_t how_many = LATE_MANY;
	for (unsigned i = 0; i < LATE_MAX && how_many == LATE_MANY; i++) {
		uint64_t old = __atomic_load_n(&reader->late[i], __ATOMIC_RELAXED);
		bool is_free = !old || old >> 32 == writer->slot;
		if (is_free && __atomic_compare_exchange_n(&reader->late[i], &old, told, false,
							   __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			how_many = LATE_SOME;
	}
	__atomic_or_fetch(&reader->has_late, how_many, __ATOMIC_RELEASE);
}

void late_see_all(struct thr *t)
{
	uint32_t wipes = __atomic_load_n(&g.wipes, __ATOMIC_ACQUIRE);
	uint32_t late = __atomic_exchange_n(&t->has_late, 0, __ATOMIC_SEQ_CST);
	if ((wipes != t->wipes_met && !FAULT(12)) || (late & LATE_MANY && !FAULT(25)))
		stamp_forget_actions();
	t->wipes_met = wipes;
	for (unsigned i = 0; i < LATE_MAX; i++) {
		uint64_t told = __atomic_exchange_n(&t->late[i], 0, __ATOMIC_ACQUIRE);
		if (told)
			clock_see(t, g.slots[told >> 32], (uint32_t)told);
	}
}
