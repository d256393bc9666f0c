/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector clocks.  A thread's clock has an entry for every slot; one of an object has as many as there were
 * threads when it was last written, from a pool of powers of two.  Both orders stand side by side in an
 * entry: they are updated together and asked together.
 *
 * An object's clock is read and written under its guard.
 *
 * Loops work on two entries at a time.  An odd clock has one more entry after its last, which is 0 or what
 * the thread that wrote the clock knew of that slot: to look at it does no harm.
 */
#include "run/run.h"

#define CLASSES 16
#define CHUNK (1u << 20)

static struct {
	uint32_t lock;
	struct clock *free[CLASSES];	/* linked through the first entry */
	char *chunk, *chunk_end;
} pool;

static size_t bytes_of(uint32_t room)
{
	return sizeof(struct clock) + room * sizeof(struct tick);
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
		__builtin_trap();	/* no memory: without clocks every answer would be wrong */
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

struct clock *clock_for(struct clock **slot, uint32_t n)
{
	struct clock *old = *slot;
	if (old && old->room >= n)
		return old;
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

static inline uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Rooms are even, and so is SLOTS_MAX. */
typedef uint32_t ticks2 __attribute__((vector_size(16), aligned(8)));
#define BOTH ((ticks2){ ~0u, ~0u, ~0u, ~0u })
#define HB ((ticks2){ ~0u, 0, ~0u, 0 })
#define WEAK ((ticks2){ 0, ~0u, 0, ~0u })

/* The parts of `to` that `which` names become the larger of both. */
static inline __attribute__((always_inline)) void raise(struct tick *to, const struct tick *from, uint32_t n,
							ticks2 which)
{
	for (uint32_t i = 0; i < n; i += 2) {
		ticks2 a = *(const ticks2 *)(to + i), b = *(const ticks2 *)(from + i);
		ticks2 is_larger = (ticks2)(b > a) & which;
		*(ticks2 *)(to + i) = (b & is_larger) | (a & ~is_larger);
	}
}

/* These parts become what they are in `from`. */
static inline __attribute__((always_inline)) void copy(struct tick *to, const struct tick *from, uint32_t n,
						       ticks2 which)
{
	for (uint32_t i = 0; i < n; i += 2)
		*(ticks2 *)(to + i) = (*(const ticks2 *)(from + i) & which) | (*(ticks2 *)(to + i) & ~which);
}

/* Entries are there up to n, and one more if n is odd. */
static inline void widen(struct clock *c, uint32_t n)
{
	for (uint32_t i = c->n; i < ((n + 1) & ~1u); i++)
		c->at[i] = (struct tick){0};
	c->n = larger(c->n, n);
}

void clock_publish(struct thr *t, struct clock **to)
{
	uint32_t n = g.slot_count;
	struct clock *c = clock_for(to, n);
	widen(c, n);
	raise(c->at, t->clock, c->n, BOTH);
}

void clock_replace(struct thr *t, struct clock **to)
{
	uint32_t n = g.slot_count;
	struct clock *c = clock_for(to, n);
	copy(c->at, t->clock, n, BOTH);
	c->n = n;
}

/* A thread's own entry is never behind what others know of it, so that the loops need not leave it out. */
void clock_receive(struct thr *t, const struct clock *from)
{
	if (from)
		raise(t->clock, from->at, from->n, BOTH);
}

void clock_receive_hb(struct thr *t, const struct clock *from)
{
	if (from)
		raise(t->clock, from->at, from->n, HB);
}

void clock_receive_weak(struct thr *t, const struct clock *from)
{
	if (from)
		raise(t->clock, from->at, from->n, WEAK);
}

void clock_merge(struct clock **to, const struct clock *from)
{
	if (!from)
		return;
	struct clock *c = clock_for(to, from->n);
	widen(c, from->n);
	raise(c->at, from->at, from->n, BOTH);
}

void clock_merge_hb(struct clock **to, const struct clock *from)
{
	struct clock *c = clock_for(to, from->n);
	widen(c, from->n);
	raise(c->at, from->at, from->n, HB);
}

void clock_store(struct thr *t, struct clock **to, bool is_release, bool is_rmw)
{
	static const struct tick none[SLOTS_MAX];
	struct clock *c = clock_for(to, g.slot_count);
	widen(c, g.slot_count);
	/* Who reads and writes in one has received what was there. */
	copy(c->at, t->clock, c->n, WEAK);
	if (!is_rmw)
		copy(c->at, none, c->n, HB);
	if (is_release)
		raise(c->at, t->clock, c->n, HB);
	else if (t->sent)
		raise(c->at, t->sent->at, t->sent->n, HB);
}
