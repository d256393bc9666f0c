/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector clocks.  A thread's clock has an entry for every slot; one of an object has as many as there were
 * threads when it was last written, from a pool of powers of two.  Both orders stand side by side in an
 * entry: they are updated together and asked together.
 *
 * An object's clock is read and written under its guard.
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

void clock_publish(struct thr *t, struct clock **to)
{
	uint32_t n = g.slot_count;
	struct clock *c = clock_for(to, n);
	for (uint32_t i = 0; i < c->n; i++) {
		c->at[i].hb = larger(c->at[i].hb, t->clock[i].hb);
		c->at[i].weak = larger(c->at[i].weak, t->clock[i].weak);
	}
	for (uint32_t i = c->n; i < n; i++)
		c->at[i] = t->clock[i];
	c->n = larger(c->n, n);
}

void clock_replace(struct thr *t, struct clock **to)
{
	uint32_t n = g.slot_count;
	struct clock *c = clock_for(to, n);
	for (uint32_t i = 0; i < n; i++)
		c->at[i] = t->clock[i];
	c->n = n;
}

/* A thread's own entry is never behind what others know of it, so that the loops need not leave it out. */
void clock_receive(struct thr *t, const struct clock *from)
{
	for (uint32_t i = 0; from && i < from->n; i++) {
		t->clock[i].hb = larger(t->clock[i].hb, from->at[i].hb);
		t->clock[i].weak = larger(t->clock[i].weak, from->at[i].weak);
	}
}

void clock_receive_hb(struct thr *t, const struct clock *from)
{
	for (uint32_t i = 0; from && i < from->n; i++)
		t->clock[i].hb = larger(t->clock[i].hb, from->at[i].hb);
}

void clock_receive_weak(struct thr *t, const struct clock *from)
{
	for (uint32_t i = 0; from && i < from->n; i++)
		t->clock[i].weak = larger(t->clock[i].weak, from->at[i].weak);
}

void clock_merge(struct clock **to, const struct clock *from)
{
	if (!from)
		return;
	struct clock *c = clock_for(to, from->n);
	for (uint32_t i = c->n; i < from->n; i++)
		c->at[i] = (struct tick){0};
	c->n = larger(c->n, from->n);
	for (uint32_t i = 0; i < from->n; i++) {
		c->at[i].hb = larger(c->at[i].hb, from->at[i].hb);
		c->at[i].weak = larger(c->at[i].weak, from->at[i].weak);
	}
}
