/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and store buffers of the reference.
 *
 * A store that is not seq_cst waits in its thread's buffer.  A thread sees its own waiting
 * stores, byte by byte the newest one; the others see memory.  Under TSO the oldest entry leaves
 * first.  Under PSO an entry may leave as soon as no older one of its thread overlaps it (that is
 * one queue for each location, for locations of any size), with two exceptions: a release store
 * leaves only when it is the oldest, and nothing passes a release fence.
 */
#include "machine.h"

#include <string.h>

static unsigned block_of(unsigned addr)
{
	return (addr - HEAP_BASE) / BLOCK_BYTES;
}

static bool is_freed(const struct state *s, unsigned addr)
{
	return addr >= HEAP_BASE && s->freed >> block_of(addr) & 1;
}

bool memory_address(const struct step *st, const struct loc *l, unsigned *addr)
{
	const struct tstate *ts = &st->s->thread[st->t];
	switch (l->space) {
	case SPACE_GLOBAL:
		*addr = l->offset;
		return true;
	case SPACE_INDEXED:
		*addr = (unsigned)(ts->r[l->reg] % l->count) * l->size;
		return true;
	case SPACE_STACK:
		*addr = STACK_BASE + l->offset;
		return true;
	}
	if (!ts->q[l->reg]) {
		end_with(st, END_UNDEFINED);
		return false;
	}
	*addr = ts->q[l->reg] - 1u + l->offset;
	if (is_freed(st->s, *addr)) {
		end_with(st, END_USE_AFTER_FREE);
		return false;
	}
	return true;
}

static void touch_bytes(const struct step *st, unsigned addr, unsigned size, enum use use)
{
	for (unsigned i = 0; i < size; i++)
		touch(st, addr + i, use);
}

uint64_t memory_load(const struct step *st, unsigned addr, unsigned size)
{
	const struct state *s = st->s;
	uint64_t value = 0;
	for (unsigned i = 0; i < size; i++) {
		uint8_t byte = s->memory[addr + i];
		bool is_own = false;
		for (unsigned e = 0; e < s->thread[st->t].buffered; e++) {
			const struct entry *en = &s->buffer[st->t][e];
			if (addr + i < en->addr || addr + i >= en->addr + (unsigned)en->size)
				continue;
			byte = (uint8_t)(en->value >> 8 * (addr + i - en->addr));
			is_own = true;
		}
		if (!is_own)
			touch(st, addr + i, USE_READ);
		value |= (uint64_t)byte << 8 * i;
	}
	return value;
}

void memory_write(const struct step *st, unsigned addr, unsigned size, uint64_t value)
{
	touch_bytes(st, addr, size, USE_CHANGE);
	for (unsigned i = 0; i < size; i++)
		st->s->memory[addr + i] = (uint8_t)(value >> 8 * i);
}

static void append(const struct step *st, struct entry en)
{
	struct tstate *ts = &st->s->thread[st->t];
	if (ts->buffered == BUFFER_MAX)
		end_with(st, END_UNDEFINED);
	else
		st->s->buffer[st->t][ts->buffered++] = en;
}

void memory_store(const struct step *st, unsigned addr, unsigned size, uint64_t value,
		  enum order order)
{
	if (st->m->model == MODEL_SC || order == ORDER_SC) {
		memory_write(st, addr, size, value);
		return;
	}
	struct entry en = { .addr = (uint8_t)addr, .size = (uint8_t)size, .value = value };
	if (size < 8)
		en.value &= (1ull << 8 * size) - 1;
	if (st->m->model == MODEL_PSO && (order == ORDER_REL || order == ORDER_ACQ_REL))
		en.kind = ENTRY_RELEASE;
	append(st, en);
}

/* Another one in a row would order nothing; the fences of a loop would fill the buffer. */
static bool ends_with_fence(const struct state *s, unsigned t)
{
	return s->buffer[t][s->thread[t].buffered - 1].kind == ENTRY_FENCE;
}

void memory_fence(const struct step *st, enum order order)
{
	if (st->m->model == MODEL_PSO && (order == ORDER_REL || order == ORDER_ACQ_REL) &&
	    st->s->thread[st->t].buffered && !ends_with_fence(st->s, st->t))
		append(st, (struct entry){ .kind = ENTRY_FENCE });
}

static bool overlap(const struct entry *a, const struct entry *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

bool memory_can_flush(const struct machine *m, const struct state *s, unsigned t, unsigned entry)
{
	const struct entry *en = s->buffer[t];
	if (en[entry].kind == ENTRY_FENCE)
		return false;
	if (m->model != MODEL_PSO || en[entry].kind == ENTRY_RELEASE)
		return entry == 0;
	for (unsigned e = 0; e < entry; e++)
		if (en[e].kind == ENTRY_FENCE || overlap(&en[e], &en[entry]))
			return false;
	return true;
}

static void take_out(struct state *s, unsigned t, unsigned entry)
{
	struct entry *en = s->buffer[t];
	unsigned left = --s->thread[t].buffered;
	memmove(&en[entry], &en[entry + 1], (left - entry) * sizeof(*en));
	memset(&en[left], 0, sizeof(*en));
}

void memory_flush(const struct step *st, unsigned entry)
{
	const struct entry en = st->s->buffer[st->t][entry];
	memory_write(st, en.addr, en.size, en.value);
	take_out(st->s, st->t, entry);
	while (st->s->thread[st->t].buffered && st->s->buffer[st->t][0].kind == ENTRY_FENCE)
		take_out(st->s, st->t, 0);
}

bool memory_holds_block(const struct state *s, unsigned t, uint8_t pointer)
{
	unsigned base = pointer - 1u;
	for (unsigned e = 0; e < s->thread[t].buffered; e++)
		if (pointer && s->buffer[t][e].addr >= base &&
		    s->buffer[t][e].addr < base + BLOCK_BYTES)
			return true;
	return false;
}

void memory_free(const struct step *st, uint8_t pointer)
{
	if (!pointer)
		return;
	unsigned addr = pointer - 1u;
	if (addr < HEAP_BASE) {
		end_with(st, END_UNDEFINED);
		return;
	}
	if (is_freed(st->s, addr)) {
		end_with(st, END_DOUBLE_FREE);
		return;
	}
	touch_bytes(st, addr, BLOCK_BYTES, USE_CHANGE);
	st->s->freed |= (uint16_t)(1u << block_of(addr));
}
