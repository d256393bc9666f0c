/* SPDX-License-Identifier: Apache-2.0 */
/* Private to consistency*.c: the state of the machine that executes the events of a trace. */
#ifndef HEDDLE_TRACE_CONSISTENCY_STATE_H
#define HEDDLE_TRACE_CONSISTENCY_STATE_H

#include "base/map.h"
#include "base/vec.h"
#include "trace/buffers.h"
#include "trace/event.h"
#include "trace/known.h"
#include "trace/paths.h"
#include "trace/range_stamps.h"

enum thread_state { THREAD_ABSENT, THREAD_CREATED, THREAD_ALIVE, THREAD_ENDED, THREAD_JOINED };

struct one_thread {
	uint8_t state;
	bool has_begun;	    /* it has a begin event */
	bool after_failure; /* its last event was a failure */
};

struct one_lock {
	thr_id owner; /* THR_NONE: not held exclusively */
	uint64_t depth, readers;
	uint64_t stamp; /* value of `blocks` when it was used last */
};

struct consistency {
	VEC(struct one_thread) threads;
	VEC(struct one_lock) locks;
	struct map lock_of;  /* object to index in locks */
	struct map share_of; /* lock index and thread to the depth of the thread's read lock */
	/* by byte: value of `blocks` at its last alloc, free or resize */
	struct range_stamps lifetimes;
	struct known known;
	struct paths paths;
	struct buffers buffers; /* stores that are not in memory yet */
	uint64_t blocks;	/* number of allocs, frees and resizes so far */
	thr_id running;
	enum { SWITCHES_UNDECIDED, SWITCHES_RECORDED, SWITCHES_ABSENT } switches;
	bool is_over;	    /* the process has ended */
	bool may_lack_ends; /* threads may have no end event */
	char flaw[256];
};

/* The flaw as a clause; the result of the functions below, which return NULL for none. */
const char *consistency_flaw(struct consistency *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- consistency_locks.c ---- */
void consistency_new_lock(struct consistency *c, uint64_t object);
const char *consistency_acquire(struct consistency *c, const struct event *e, bool after_failure);
const char *consistency_release(struct consistency *c, const struct event *e, bool after_failure);
const char *consistency_orphan(struct consistency *c, const struct event *e);
const char *consistency_wait(struct consistency *c, const struct event *e, bool after_failure);

#endif
