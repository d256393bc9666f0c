/* SPDX-License-Identifier: Apache-2.0 */
/* Locks that are used wrongly, and threads that wait for each other for ever. */
#ifndef HEDDLE_RUN_MISUSE_H
#define HEDDLE_RUN_MISUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "run/lock.h"
#include "run/object.h"
#include "run/thr.h"

/* Before a lock is released and destroyed. */
void misuse_unlock(struct thr *t, const void *lock, enum object_kind kind, uint32_t stack);
void misuse_destroy(struct thr *t, const void *lock, enum object_kind kind, uint32_t stack);
/* A function has returned EDEADLK: the thread holds the lock. */
void misuse_relock(struct thr *t, const void *lock, enum object_kind kind, uint32_t stack);
/*
 * Locks of the program's own, which are only known by annotations: after an acquire, before a
 * release and a destroy.  True: it overlaps with another section, and must not be recorded.
 */
bool misuse_annotated_lock(struct thr *t, const void *lock, enum lock_mode mode, uint32_t stack);
bool misuse_annotated_unlock(struct thr *t, const void *lock, enum lock_mode mode, uint32_t stack);
void misuse_annotated_destroy(struct thr *t, const void *lock, uint32_t stack);
/* The thread says that it holds no lock. */
void misuse_holds_none(struct thr *t, uint32_t stack);
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
