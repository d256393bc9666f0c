/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops that poll and are no awaits, because each round has an effect (a lock taken and released,
 * a counter): an explorer limits their unproductive rounds; see rounds.c.  Only if g.watches.
 */
#ifndef HEDDLE_RT_ROUNDS_H
#define HEDDLE_RT_ROUNDS_H

#include "rt/rt.h"

struct await_read;
struct thread;
struct wire_explore;

void rounds_begin(struct wire_explore *explore); /* an execution */
void rounds_prepare(struct thread *t);
void rounds_effect(struct thread *t); /* it has had an effect that lasts */
void rounds_read(uintptr_t addr, size_t size, pc_t pc);
void rounds_sync(unsigned kind, uintptr_t object, unsigned mode, uint64_t depth, pc_t pc);
/* The running thread is at a hook: has it made as many rounds as it may?  If so, sets what it
 * awaits from here on. */
bool rounds_point(const struct await_read **reads, uint32_t *count);
void rounds_pass(void); /* it awaited, and continues */
bool rounds_hold_somebody(void);

#endif
