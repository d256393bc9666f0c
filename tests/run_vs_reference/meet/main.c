/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A free and a use at the same time: at whatever step of one the other happens, the pair is found.
 *
 *   meet
 *
 * One OS thread runs both.  Between two steps of the first action (WIDEN) it makes the whole
 * second one, at each such place once.  Status 1: a pair was missed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/outside.h"

#define BASE 0x200000ul
#define PLACES 12 /* more than an action has */

static struct {
	int place; /* steps until the second action comes; below 0: it has been */
	void (*second)(void);
	bool is_busy;
	uintptr_t address;
	unsigned found;
} meeting;

static void change_to(unsigned slot)
{
	run_self = run_state.slots[slot];
}

void run_widen(unsigned n)
{
	(void)n;
	if (meeting.is_busy || !meeting.second || meeting.place-- != 0)
		return;
	meeting.is_busy = true;
	struct thr *self = run_self;
	meeting.second();
	run_self = self;
	meeting.is_busy = false;
}

void run_found(const struct found *f)
{
	meeting.found += f->kind == FINDING_USE_AFTER_FREE && f->status != RUN_PREDICTED;
}

static void free_block(void)
{
	change_to(0);
	shadow_free(run_self, meeting.address, 16, false, 0);
}

static void write_block(void)
{
	change_to(1);
	access_any(run_self, meeting.address, 4, CELL_WRITE, 0);
}

static void read_block(void)
{
	change_to(1);
	access_any(run_self, meeting.address + 4, 4, 0, 0);
}

/* What the user has done to the block before, which nothing orders either: cells that it may take
 * again. */
static void prepare(unsigned what)
{
	change_to(1);
	if (what & 1)
		access_any(run_self, meeting.address + 2, 2, CELL_WRITE, 0);
	if (what & 2)
		thr_tick(run_self);
	change_to(2);
	if (what & 4)
		access_any(run_self, meeting.address, 8, 0, 0);
}

static unsigned meet(void (*first)(void), void (*second)(void), const char *name)
{
	unsigned missed = 0;
	for (unsigned i = 0; i < 8 * PLACES; i++) {
		meeting.address += 4096;
		meeting.second = NULL;
		prepare(i / PLACES);
		meeting.found = 0;
		meeting.second = second;
		meeting.place = (int)(i % PLACES);
		first();
		if (meeting.place >= 0) { /* it has fewer steps */
			meeting.second = NULL;
			second();
		}
		/* Two threads may have used it; one of them is enough for what came before. */
		if (meeting.found)
			continue;
		printf("%s, case %u, step %u: missed\n", name, i / PLACES, i % PLACES);
		missed++;
	}
	return missed;
}

int main(void)
{
	core_begin();
	for (uint32_t i = 0; i < 3; i++)
		thr_new(i);
	meeting.address = BASE;
	unsigned missed = meet(write_block, free_block, "a write, and a free during it");
	missed += meet(read_block, free_block, "a read, and a free during it");
	missed += meet(free_block, write_block, "a free, and a write during it");
	missed += meet(free_block, read_block, "a free, and a read during it");
	printf("%u missed\n", missed);
	return missed != 0;
}
