/* SPDX-License-Identifier: Apache-2.0 */
/* Locks that are used wrongly, and threads that wait for each other for ever. */
#ifndef HEDDLE_RUN_MISUSE_H
#define HEDDLE_RUN_MISUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "run/object.h"
#include "run/thr.h"

/* Before a lock is released and destroyed. */
void misuse_unlock(struct thr *t, const void *lock, enum object_kind kind, uint32_t stack);
void misuse_destroy(struct thr *t, const void *lock, enum object_kind kind, uint32_t stack);
/* A function has returned EINVAL. */
void misuse_invalid(struct thr *t, const void *lock, enum object_kind kind, uint32_t stack);

/*
 * Before a wait for a lock that another thread holds, or for the end of a thread; wait_end follows
 * it.  A cycle of waits is reported; if the whole process waits then, it ends.
 */
void misuse_wait(struct thr *t, const void *object, enum object_kind kind, uint32_t stack);
/* The thread that holds what t waits for, or whose end t waits for; NULL: it is not known. */
struct thr *misuse_awaited(const struct thr *t);

#endif
