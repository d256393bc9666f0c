/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where accesses were made: each thread's history of calls and accesses, from which the call
 * stack of an older access is made again, and the table of call stacks that are kept by number.
 */
#ifndef HEDDLE_RUN_HISTORY_H
#define HEDDLE_RUN_HISTORY_H

#include "run/run.h"

#define STACK_MAX 64 /* frames of a stack that are told */

void history_begin(struct thr *t); /* a thread starts, in a slot that may have had others */
void history_enter(struct thr *t, uintptr_t call);
void history_leave(struct thr *t);
/* The stack of an older action, innermost first; 0 if the history has lost it. */
unsigned history_restore(const struct past *p, uintptr_t pcs[STACK_MAX]);

void stacks_init(void);
unsigned stack_get(uint32_t number, uintptr_t pcs[STACK_MAX]);

#endif
