/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of the imagined machine, exact to the byte: what it contains, when it was written, which
 * blocks live.  A byte that no event has mentioned yet is taken over from the first read of it;
 * after that only events change it.
 */
#ifndef VALIDATOR_MEMORY_H
#define VALIDATOR_MEMORY_H

#include "buffers.h"

static uint64_t outside_writes;

enum { KNOWN = 1, LIVE = 2, FREED = 4 };

struct page {
	struct page *next;
	uint64_t number;
	uint8_t value[4096], state[4096];
	uint64_t clock[4096]; /* of the last writer */
};

static struct page *pages[4096];

static struct page *page_of(uint64_t addr)
{
	uint64_t number = addr >> 12;
	struct page **at = &pages[number * 0x9e3779b97f4a7c15ull >> 52];
	for (struct page *p = *at; p; p = p->next)
		if (p->number == number)
			return p;
	struct page *p = zeroed(sizeof(*p));
	p->number = number;
	p->next = *at;
	return *at = p;
}

/* ---- accesses ---- */

static void check_bytes(const struct event *e)
{
	struct thread *t = &threads[e->thread];
	for (uint64_t i = 0; i < e->size; i++) {
		struct page *p = page_of(e->obj + i);
		uint64_t at = (e->obj + i) & 4095;
		if (p->state[at] & FREED)
			violation("T%" PRIu64 " reads byte 0x%" PRIx64 " of a freed block",
				  e->thread, e->obj + i);
		raise_clock(&t->clock, p->clock[at]);
		if (e->is_hashed)
			continue;
		uint8_t value = event_byte(e, i, false);
		const uint8_t *own = own_byte(e->thread, e->obj + i);
		if (own && *own != value)
			violation("T%" PRIu64 " reads 0x%02x from byte 0x%" PRIx64
				  ", where it has stored 0x%02x",
				  e->thread, value, e->obj + i, *own);
		if (own)
			continue;
		if ((p->state[at] & KNOWN) && p->value[at] != value)
			violation("T%" PRIu64 " reads 0x%02x from byte 0x%" PRIx64
				  ", which contains 0x%02x",
				  e->thread, value, e->obj + i, p->value[at]);
		p->value[at] = value;
		p->state[at] |= KNOWN;
	}
}

static void store_bytes(const struct event *e, bool second, bool is_access)
{
	for (uint64_t i = 0; i < e->size; i++) {
		struct page *p = page_of(e->obj + i);
		uint64_t at = (e->obj + i) & 4095;
		if (is_access && (p->state[at] & FREED))
			violation("T%" PRIu64 " writes byte 0x%" PRIx64 " of a freed block",
				  e->thread, e->obj + i);
		uint8_t *own = own_byte(e->thread, e->obj + i);
		if (own && strcmp(e->kind, "flush")) {
			/* Written by code without hooks: part of what the thread sees, as its
			 * store was. */
			*own = event_byte(e, i, second);
			continue;
		}
		p->clock[at] = is_access ? threads[e->thread].clock : 0;
		if (e->is_hashed) {
			p->state[at] &= (uint8_t)~KNOWN;
			continue;
		}
		p->value[at] = event_byte(e, i, second);
		p->state[at] |= KNOWN;
	}
}

static void do_read(const struct event *e)
{
	check_bytes(e);
}

static void do_write(const struct event *e)
{
	if (e->is_buffered)
		add_store(e);
	else
		store_bytes(e, false, true);
}

static void do_flush(const struct event *e)
{
	take_store(e);
	store_bytes(e, false, false);
}

static void do_rmw(const struct event *e)
{
	check_bytes(e);
	if (!e->is_failed)
		store_bytes(e, true, true);
}

static void do_initial(const struct event *e)
{
	store_bytes(e, false, false);
}

static void do_outside_write(const struct event *e)
{
	outside_writes++;
	store_bytes(e, false, false);
}

/* ---- blocks ---- */

struct block {
	struct block *next;
	uint64_t start, size;
};

static struct block *blocks; /* the live ones */

static void mark(uint64_t start, uint64_t size, uint8_t clear, uint8_t set)
{
	for (uint64_t i = 0; i < size; i++) {
		uint8_t *state = &page_of(start + i)->state[(start + i) & 4095];
		*state = (uint8_t)((*state & ~clear) | set);
	}
}

static void do_alloc(const struct event *e)
{
	for (struct block *b = blocks; b; b = b->next)
		if (e->obj < b->start + b->size + !b->size &&
		    b->start < e->obj + e->size + !e->size)
			violation("the new block 0x%" PRIx64 " overlaps the live block 0x%" PRIx64,
				  e->obj, b->start);
	struct block *b = zeroed(sizeof(*b));
	*b = (struct block){ blocks, e->obj, e->size };
	blocks = b;
	mark(e->obj, e->size, FREED, KNOWN | LIVE);
	for (uint64_t i = 0; i < e->size; i++) {
		struct page *p = page_of(e->obj + i);
		p->value[(e->obj + i) & 4095] = e->is_zero ? 0 : (uint8_t)e->a;
		p->clock[(e->obj + i) & 4095] = 0;
	}
}

/* What a block gains may contain anything; what it loses belongs to nobody. */
static void do_resize(const struct event *e)
{
	struct block *b = blocks;
	while (b && b->start != e->obj)
		b = b->next;
	if (!b)
		violation("resize of 0x%" PRIx64 ", where no live block begins", e->obj);
	if (b->size != e->a)
		violation("the block 0x%" PRIx64 " of %" PRIu64 " bytes is resized from %" PRIu64,
			  e->obj, b->size, e->a);
	if (e->size > b->size)
		mark(b->start + b->size, e->size - b->size, KNOWN | FREED, LIVE);
	else
		mark(b->start + e->size, b->size - e->size, LIVE | KNOWN, 0);
	b->size = e->size;
}

static void do_free(const struct event *e)
{
	struct block **at = &blocks;
	while (*at && (*at)->start != e->obj)
		at = &(*at)->next;
	struct block *b = *at;
	if (!b)
		violation("free of 0x%" PRIx64 ", where no live block begins", e->obj);
	if (b->size != e->size)
		violation("the block 0x%" PRIx64 " of %" PRIu64 " bytes is freed with %" PRIu64,
			  e->obj, b->size, e->size);
	for (unsigned i = 0; i < sizeof(locks) / sizeof(*locks); i++) {
		for (struct lock **l = &locks[i]; *l;) {
			struct lock *dead = *l;
			if (dead->addr < b->start || dead->addr >= b->start + b->size) {
				l = &dead->next;
				continue;
			}
			if (is_held(dead) &&
			    !explained_by(&threads[e->thread], FAIL_FREE_LOCKED, dead->addr))
				violation("free of a block that contains the locked 0x%" PRIx64,
					  dead->addr);
			*l = dead->next;
			drop_shares(dead);
			free(dead);
		}
	}
	mark(b->start, b->size, LIVE | KNOWN, FREED);
	*at = b->next;
	free(b);
}

#endif
