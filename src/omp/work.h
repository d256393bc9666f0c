/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worksharing constructs: loops, sections, single, scope.
 *
 * The threads of a team may be in different constructs, as far as no barrier lies between these.
 * So a construct has a number, counted by each thread from its last barrier, and its state is at
 * that place of an array.  The first thread that arrives sets it up; the epoch says whether the
 * state is this construct's or an older one's.
 */
#ifndef HEDDLE_OMP_WORK_H
#define HEDDLE_OMP_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp/hooks.h"

struct team;
struct thread;
struct waiter;

struct work {
	uint32_t step;	  /* of omp_step(); published when something was allocated */
	uint32_t ordered; /* published at the end of an ordered region */
	struct raw_lock lock;
	uint32_t epoch;	  /* of the construct whose state this is, plus 1; 0: none */
	bool is_prepared; /* what has to be allocated for it is there */
	bool is_being_prepared;
	bool is_cancelled;

	/* Loops: iterations have the numbers from 0 to total - 1.  Sections: these. */
	uint64_t next, total;
	uint64_t first, step_size, end; /* in the program's terms, modulo 2^64 */
	uint64_t chunk;
	unsigned kind; /* enum loop_kind */
	uint64_t turn; /* the iteration whose chunk may enter ordered regions */

	void *copied;		 /* single with copyprivate */
	uintptr_t *reductions;	 /* of the thread that set it up */
	void *memory;		 /* of the construct, or NULL */
	struct doacross *across; /* or NULL */
	struct waiter *waiters;	 /* for setting up, for a turn, for an iteration */
};

#define WORKS 16 /* in a piece */

struct works {
	struct raw_lock lock;
	struct work_piece {
		struct work_piece *next;
		struct work at[WORKS];
	} first; /* of a list that only grows */
};

/* The state of a construct by its number, set to zero if it is an older one's. */
struct work *heddle_omp_work_at(struct team *team, unsigned number, uint32_t epoch);
/* The thread enters its next construct, whose state becomes t->now.work.  True for the first
 * thread of the team.  The lock of the state is held. */
bool heddle_omp_work_enter(struct thread *t);
void heddle_omp_works_release(struct works *works);

/* The same for constructs that allocate something, without the lock: true for one thread, which
 * allocates and calls heddle_omp_work_prepared(); the others return when that has happened. */
bool heddle_omp_work_prepare(struct thread *t);
void heddle_omp_work_prepared(struct thread *t);

/* For waiters of a construct.  The caller has prepared the waiter and holds the lock; it is
 * released, and the thread waits. */
void heddle_omp_work_wait(struct thread *t, struct waiter *waiter);
/* With the lock held: takes out the waiters for a number, or all of them.  Without it: wakes
 * them. */
struct waiter *heddle_omp_work_take_waiters(struct work *work, const uint64_t *number);
void heddle_omp_wake_all(struct waiter *waiters);

/* A scratch area that all threads of a construct share, for GOMP_..._start(..., memory). */
void *heddle_omp_work_memory(struct work *work, size_t size);

#endif
