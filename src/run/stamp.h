/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps.  A stamp is a number that stands for: this thread, in this epoch, with these locks
 * held, at this position of its history.  A shadow cell holds a stamp and the bytes accessed, so
 * one cell of 32 bits says when, by which thread and under which sections of which locks the
 * access was made and, through the history, from which call stack.  The mutex-access shadow words
 * of OVPredict (the locks of past accesses) are therefore part of the stamp.
 *
 * Numbers are reused; stamp.c says when.  A thread may look up stamps of other threads only as
 * hazard.h describes.
 */
#ifndef HEDDLE_RUN_STAMP_H
#define HEDDLE_RUN_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "run/address.h"

#ifndef STAMPS
#define STAMPS (1u << 20) /* a cell has room for four times as many; they would be 100 MB */
#endif

struct thr;

struct stamp {
	uint32_t epoch;
	uint32_t section; /* number of the critical section of the innermost lock */
	uint32_t outer;	  /* stamp that describes the other locks */
	uint32_t place;	  /* position in the thread's history */
};

#define STAMP(number) ((struct stamp *)STAMPS_BASE + (number))

/*
 * The innermost lock held of every stamp, as index of its object, 0: none, with its mode (enum
 * lock_mode) and whether there are others.  Most accesses need to know no more, and this table is
 * small enough for the caches.
 */
#define STAMP_MODE 0x40000000u
#define STAMP_OUTER 0x80000000u
extern uint32_t *stamp_locks;

/*
 * Numbers are given out in batches.  What every access needs to know of the stamp of another
 * thread is kept for the whole batch, because looking up the stamp itself is a cache miss in most
 * cases.
 *
 * What a thread that has seen the epoch `over` of `slot` does is after everything that was done
 * with numbers of the batch, and after the release of every section that they name: the owner has
 * left the batch, and after that it held no lock when the epoch began.  BATCH_OPEN: not yet.
 */
#define STAMP_BATCH (STAMPS >> 16 ? 32u : 4u)
#define STAMP_BATCH_CELLS (STAMP_BATCH * 0x400u - 1) /* bits in which its cells may differ */
#define BATCH_OPEN UINT32_MAX

struct stamp_owner {
	uint32_t slot, over;
};

extern struct stamp_owner stamp_owners[STAMPS / STAMP_BATCH];

static inline const struct stamp_owner *stamp_owner(uint32_t number)
{
	return &stamp_owners[number / STAMP_BATCH];
}

static inline uint32_t stamp_lock(const struct stamp *s)
{
	return stamp_locks[s - STAMP(0)] & ~(STAMP_MODE | STAMP_OUTER);
}

static inline uint16_t stamp_mode(const struct stamp *s)
{
	return stamp_locks[s - STAMP(0)] & STAMP_MODE ? 1 : 0;
}

static inline uint16_t stamp_slot(const struct stamp *s)
{
	return (uint16_t)stamp_owner((uint32_t)(s - STAMP(0)))->slot;
}

void stamp_init(void);
uint32_t stamp_now(struct thr *t); /* the stamp of what t does now */
/* t holds no lock any more: batches that it has left are over. */
void stamp_close_batches(struct thr *t);
/* Nothing that any thread has done up to now is used for predictions. */
void stamp_exclude_past(void);

#endif
