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
	uint16_t slot;
	uint16_t mode;	  /* of `lock`: enum lock_mode */
	uint32_t lock;	  /* innermost lock held, as index of its object; 0: none */
	uint32_t section; /* number of the critical section of that lock */
	uint32_t outer;	  /* stamp that describes the other locks */
	uint32_t place;	  /* position in the thread's history */
};

#define STAMP(number) ((struct stamp *)STAMPS_BASE + (number))

void stamp_init(void);
uint32_t stamp_now(struct thr *t); /* the stamp of what t does now */
/* Nothing that any thread has done up to now is used for predictions. */
void stamp_exclude_past(void);

#endif
