/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that come back to the same state by choices only (while (nondet() != 1);): the round is
 * cut, since the same choices are explored from its first state; see repeat.c.  Only if g.watches.
 */
#ifndef HEDDLE_RT_REPEAT_H
#define HEDDLE_RT_REPEAT_H

#include "rt/rt.h"

struct thread;

void repeat_prepare(struct thread *t);
void repeat_forget(struct thread *t); /* it has had an effect that lasts */
/* another thread has written these bytes of its stack */
void repeat_written(struct thread *t, uintptr_t addr, size_t size);
bool repeat_at_choice(void); /* the running thread has been here in this state before */

#endif
