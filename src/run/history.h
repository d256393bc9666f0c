/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where actions were made: each thread's history of calls and accesses, from which the call stack
 * of an older access is reconstructed, and the table of call stacks that are kept by number.
 * history.c describes the format.
 */
#ifndef HEDDLE_RUN_HISTORY_H
#define HEDDLE_RUN_HISTORY_H

#include <stdint.h>

#include "run/thr.h"

#define STACK_MAX 64 /* frames of a stack that are reported */
#define PART_WORDS 4096
#define HISTORY_FREE 4u /* beside the flags of a cell: the memory is freed */

struct past;

void history_begin(struct thr *t); /* a thread starts, in a slot that may have had others */
void history_enter(struct thr *t, uintptr_t call);
void history_leave(struct thr *t);
void history_far_access(struct thr *t, uintptr_t address, unsigned size, uint32_t flags,
			uintptr_t pc);

/* The present position. */
static inline uint32_t history_place(const struct thr *t)
{
	const struct history *h = &t->history;
	return h->serial * PART_WORDS + (uint32_t)(h->next - h->first);
}

/* An access as one word: address, size, kind, and the distance from the last program counter. */
static inline void history_access(struct thr *t, uintptr_t address, unsigned size, uint32_t flags,
				  uintptr_t pc)
{
	struct history *h = &t->history;
	intptr_t step = (intptr_t)(pc - h->last_pc);
	if (unlikely(h->next >= h->end || (uintptr_t)step + 0x7fff > 0xfffe)) {
		history_far_access(t, address, size, flags, pc);
		return;
	}
	h->last_pc = pc;
	*h->next++ = (address & ADDRESS_MASK) << 20 | (uint64_t)(size - 1) << 17 |
		     (uint64_t)(flags & 1) << 16 | (uint16_t)step;
}

/* The stack of an older action, innermost frame first; 0 if the history has lost it. */
unsigned history_restore(const struct past *p, uintptr_t pcs[STACK_MAX]);

/* Stacks by number. */
void stack_table_init(void);
uint32_t stack_now(struct thr *t, uintptr_t pc); /* the current stack, with pc as innermost */
unsigned stack_get(uint32_t number, uintptr_t pcs[STACK_MAX]);

#endif
