/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread as the analysis knows it.  The program side (creation, join, names) is in thread.h.
 *
 * A struct thr belongs to a slot and is reused for the next thread in that slot, whose epochs
 * continue those of the last one.  It is written by its own thread, except where a member says
 * otherwise.
 */
#ifndef HEDDLE_RUN_THR_H
#define HEDDLE_RUN_THR_H

#include <stdbool.h>
#include <stdint.h>

#include "run/address.h"
#include "run/clock.h"
#include "run/lock.h"
#include "run/run.h"
#include "run/shadow.h"

#ifndef LATE_MAX
#define LATE_MAX 4
#endif
#define NAME_SIZE 16 /* of a thread, in the kernel */
#define OBJECT_CACHE 256
#define OWN_ATOMICS_CACHE 64
#define LEFT_MAX 4

/*
 * Places for the cells whose stamps a thread uses (hazard.h): those of a granule or the last
 * accesses to a freed block, another cell, an older action.
 */
#define LASTS_MAX 16
#define HAZARD_CELL (CELLS > LASTS_MAX ? CELLS : LASTS_MAX)
#define HAZARD_PAST (HAZARD_CELL + 1)
#define HAZARDS (HAZARD_CELL + 2)

/* A function that has been entered and not left. */
struct call_frame {
	uintptr_t call; /* return address into the caller */
	uintptr_t sp;
	uint32_t stack; /* number of the stack up to here, 0: not needed yet */
};

/* history.c */
struct history {
	uint64_t *next, *end; /* where the next event goes */
	uint64_t *first;      /* of the present part */
	uintptr_t last_pc;    /* of the last event */
	struct call_frame *top, *limit, *frames;
	struct history_part *parts; /* ring */
	uint32_t part_count, serial;
};

/* Numbers that the thread may use for its next stamps, and the last one that it used (stamp.c). */
struct stamp_batch {
	uint32_t next, end;
	uint32_t current;
	uint32_t left_count, left[LEFT_MAX]; /* batches that it has left and that are not over */
};

/* What other threads need to read its clock or to place what it did (clock.c). */
struct thr_shared {
	uint32_t first_epoch; /* of this thread in the slot */
	uint32_t changes;     /* of the weak part of its clock: begun and ended, odd during one */
	/* the last epoch that others may have in their clocks while it was not over */
	uint32_t exposed_epoch;
	uint32_t reset_epoch; /* actions up to here are excluded from predictions */
};

/* Writes that its last read may have seen (late.h); added by their threads. */
enum { LATE_SOME = 1, LATE_MANY = 2 };
struct late_writes {
	uint32_t flags;	       /* LATE_... */
	uint32_t resets_seen;  /* run_state.resets when the thread last received them */
	uint64_t at[LATE_MAX]; /* slot and epoch */
};

struct candidates {
	struct candidate *at;
	unsigned count;
};

/* Fences (atomic.c). */
struct fences {
	struct clock *acquired; /* what relaxed loads have seen, for the next acquire fence */
	struct clock *released; /* what the last release fence published */
};

struct stack_range {
	uintptr_t low, size;
};

/* An object that the thread has used lately, with its clocks, which are prefetched. */
struct object_cached {
	uintptr_t address;
	uint32_t index;
	const void *clock, *reads, *use;
};

/*
 * The cells of the thread's atomic accesses without locks to a granule: a load and a store, 0:
 * none.  It has no others there, unless the shadow was reset since.
 */
struct own_atomics {
	const uint32_t *cells;
	uint32_t resets, load, store;
};

/* The thread as a waiter for a condition variable (wrap_wait.c). */
struct waiter {
	struct past past;
	struct waiter *next;
	uintptr_t cond; /* it is in the list of this one, 0: none */
	uintptr_t mutex;
	struct clock *clock; /* what the thread had seen when it began to wait */
	bool is_timed;
};

/* pthread_once: the function that is to be called, and its control. */
struct once_state {
	void (*function)(void);
	uintptr_t control;
};

/* What the thread waits for (waits.h); others read it. */
struct thr_wait {
	uintptr_t object; /* 0: none; OBJECT_THREAD: its pthread_t */
	uint32_t serial;  /* of the wait */
	uint32_t stack;
	uint32_t kind; /* enum object_kind */
};

/* Where a thread was interrupted. */
struct interrupted {
	uintptr_t pc, sp, bp;
};

/* The handler that the thread runs, of a signal that can come at any moment (wrap_signal.c). */
struct handling {
	int number;	/* 0: none */
	bool is_own;	/* the thread has sent the signal to itself */
	uint32_t depth; /* of the history's frames, when it began */
	uintptr_t sp;
	uintptr_t place; /* where it interrupted the thread (place.h) */
};

struct thr {
	/* What every access needs, in the first cache lines. */
	uint32_t
		base; /* stamp of this epoch in place of a cell, 0: none yet; others may clear it */
	uint32_t epoch;
	uint16_t slot;
	uint16_t busy;	      /* guards that it holds (guard.h) */
	uint16_t has_pending; /* signals */
	uint32_t has_hazards; /* it uses stamps of others (hazard.h) */
	uint32_t held_count;
	uint32_t ignored;    /* annotations: accesses are not recorded */
	bool is_vptr_access; /* what is accessed is a pointer to a table of virtual functions */
	struct tick *clock;  /* SLOTS_MAX entries */
	struct history history;
	struct stamp_batch stamps;
	struct thr_shared shared;
	struct late_writes late;
	uint32_t random;
	/* In a section: it has received a clock since nest_order_sections. */
	bool has_received;
	bool is_alive;
	struct stack_range stack;
	struct held held[HELD_MAX];
	struct candidates candidates;
	struct fences fences;
	struct clock *clock_copy; /* of another thread, while it is read (clock_order_after) */
	uint32_t hazards[HAZARDS] __attribute__((aligned(16)));
	struct object_cached object_cache[OBJECT_CACHE];
	struct own_atomics own_atomics[OWN_ATOMICS_CACHE];

	/* The thread of the program. */
	uint32_t uid; /* never used again */
	uint32_t tid;
	char first_name[NAME_SIZE]; /* its creator's */
	uintptr_t handle;	    /* pthread_self() */
	void *pending;		    /* signals (wrap_signal.c) */
	struct waiter waiter;
	struct once_state once;
	struct thr_wait wait;
	uint32_t overlapping; /* locks that it holds together with others (misuse.c) */
	struct handling handling;
	int sending;		    /* signal that it sends, 0: none */
	void *alternate_stack;	    /* of handlers, for the slot */
	struct interrupted stopped; /* where state.c has stopped it */
	uint32_t is_stopped;
	void *freeing; /* block that is marked as freed and that glibc may not have yet */
};

struct thr *thr_new(uint32_t slot); /* a thread in that slot, without a history */

/* What t does from now on is after what it has published. */
static inline void thr_tick(struct thr *t)
{
	if (likely(t->epoch < EPOCHS_MAX))
		t->epoch++;
	else
		run_state.options.limit = 0; /* epochs would repeat: reports could be false */
	t->clock[t->slot] = (struct tick){ t->epoch, t->epoch };
	t->base = 0;
}

static inline uint32_t thr_base(const struct thr *t) /* a racing thread may clear it */
{
	return __atomic_load_n(&t->base, __ATOMIC_RELAXED);
}

static inline void thr_restamp(struct thr *t) /* the locks of t have changed */
{
	t->base = 0;
}

/* Whether the older action is before what t does now, in one of the orders. */
static inline bool seen_hb(const struct thr *t, unsigned slot, uint32_t epoch)
{
	return slot == t->slot || epoch <= t->clock[slot].hb;
}

static inline bool seen_weak(const struct thr *t, unsigned slot, uint32_t epoch)
{
	return slot == t->slot || epoch <= t->clock[slot].weak;
}

/* A reset of the shadow may have dropped edges that order the action after others. */
static inline bool is_before_reset(unsigned slot, uint32_t epoch)
{
	return epoch <=
	       __atomic_load_n(&run_state.slots[slot]->shared.reset_epoch, __ATOMIC_ACQUIRE);
}

#endif
