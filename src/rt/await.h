/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that spin: a loop that only reads until another thread changes something is one wait,
 * an await; see await.c.  Only if g.watches.
 *
 * What a thread did since its last effect is its round.  When it comes back to the same place
 * with the same values, it awaits a change of what it read in the round, and is not scheduled
 * before there is one.
 */
#ifndef HEDDLE_RT_AWAIT_H
#define HEDDLE_RT_AWAIT_H

#include "rt/rt.h"

struct await;
struct repeat;
struct rounds;
struct thread;
struct wire_op;

/* A location or object that a thread has read; while it awaits, one whose change it awaits. */
struct await_read {
	uintptr_t addr;
	/* the value read; while the thread awaits: the value at which it stays blocked */
	uint64_t value;
	uint64_t last; /* what the thread read or wrote there last */
	uint32_t size; /* at most 8 */
	bool varied;   /* reads gave several values */
	bool is_old;   /* not read since the anchor: `last` is the value from before */
	/* enum sync_mode: no memory, but an object that was tried; 0: memory */
	uint8_t tries;
	bool has_succeeded; /* the try */
	pc_t pc;
};

/* Of each thread: whether it spins (await.c, repeat.c, rounds.c). */
struct spin_state {
	/* what it did since it changed something last; NULL: not watched yet */
	struct await *await;
	bool awaits; /* it continues only if something that it read has changed */
	/* it stands in a round that failed and was not taken back, and never goes on (await_loop.c) */
	bool is_stuck;
	bool passes; /* it has continued from an await, and no other thread could observe it yet */
	struct repeat *repeat; /* its states at choices since its last effect (repeat.c) */
	bool at_choice;	       /* its next hook is that of a choice of its own */
	bool repeats;	       /* it made a round of choices only, and does not continue */
	struct rounds *rounds; /* its unproductive rounds (rounds.c) */
	bool is_held;	       /* it awaits because it has made as many of them as it may */
	bool is_untimed;       /* for the same reason it waits without a deadline */
};

/* Whether the running thread is the only one that has ever used that memory of its stack. */
bool await_is_private(uintptr_t addr, size_t size);
void await_prepare(struct thread *t);
void await_point(void); /* the running thread is at a hook: does it spin? */
/* it does not spin, or something that it read has changed */
bool await_can_continue(const struct thread *t);
bool await_any(void);
bool await_is_stuck_behind(void); /* a thread is stuck, and something that it read has changed */
/* a thread does not continue because it only made choices (repeat.c) */
bool await_is_round(void);
void await_choice(void); /* the running thread has made one */
void await_effect(void); /* the running thread has had an effect that lasts */
/* `changes`: the thread has seen that there was another value before */
void await_wrote(uintptr_t addr, size_t size, bool changes, pc_t pc);
/* a store of that thread */
void await_flushed(const struct thread *t, uintptr_t addr, size_t size);
void await_read(uintptr_t addr, size_t size, pc_t pc);
void await_tried(uintptr_t addr, unsigned mode, pc_t pc); /* without success */
void await_pass(void);	 /* the running thread stood before an await and continues */
/* To an explorer; `taken_back`: with a round that failed, and what it listed from there on. */
void await_report(const struct wire_op *taken_back);
/* The running thread has taken a lock, or released it. */
void await_locked(uintptr_t addr, unsigned mode, bool by_try, pc_t pc);
void await_unlocked(uintptr_t addr);
void await_found_taken(uintptr_t addr); /* it has found the lock taken, and returns that */
/* it looked for a cancellation request and found none: a request changes what the round sees */
void await_looked_for_cancel(pc_t pc);
/* it has stored the value that it had stored there before, or a fence that others may notice */
void await_stored_again(void);
uint64_t await_state(void); /* of the running thread, where a round of a known loop begins */
void await_slept(void);
void await_looked(void); /* at a clock */

#endif
