/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of synchronisation objects, and what all locks have in common (sync.c).
 *
 * An object of the program is known by its address, from its initialisation or first use until it
 * is destroyed or its memory ends.  A struct may be used for another object after that, so code
 * that has waited looks the object up again or compares `life`.  What the object's own memory
 * holds plays no role under control.
 */
#ifndef HEDDLE_RT_SYNC_H
#define HEDDLE_RT_SYNC_H

#include "rt/rt.h"
#include "wire/wire.h"

struct sync;
struct thread;

/* One reader's share of an rwlock, which several threads hold at once. */
struct hold {
	struct thread *thread;
	struct sync *lock;
	struct hold *next_of_lock, *next_of_thread;
	uint32_t depth;
};

/* A robust mutex survives its owner. */
enum robust_state {
	ROBUST_NOT,
	ROBUST_GOOD,
	ROBUST_ORPHAN,	 /* its owner has ended; the next lock returns EOWNERDEAD */
	ROBUST_REPORTED, /* that thread holds it, and has not declared its data consistent yet */
	ROBUST_LOST,	 /* was unlocked in that state: it cannot be locked any more */
};

struct sync {
	uintptr_t addr;
	/* number of this object; the struct may be another one's after a wait */
	uint64_t life;
	struct sync *next;	/* in its hash chain */
	struct sync *next_held; /* in its owner's list */
	struct thread *owner;	/* the thread that holds it alone */
	uint32_t depth;
	uint8_t mode; /* enum sync_mode; SYNC_WRLOCK for an rwlock, however it is held */
	/* 0: not known yet; mutex: enum mutex_type; others: see their files */
	uint8_t type;
	uint8_t robust; /* enum robust_state */
	/* mutex: unlocking it without holding it is an error, not a misuse */
	bool checks_owner;
	bool destroyed;
	struct hold *shares;	  /* rwlock: of the readers */
	uint32_t writers_waiting; /* rwlock: blocked writers, */
	uint32_t writers_staying; /* and those among them that wait without a deadline */
	uint32_t value;		  /* semaphore: its value; barrier: number of threads it is for */
	uint32_t arrived;	  /* barrier: in this round */
	uint64_t round_clock;	  /* barrier: latest clock of those */
	uint64_t round;		  /* barrier: its number, 0 before the first arrival */
	struct thread *waiters, **waiters_tail; /* condition variable: queue */
	uint32_t waiting;			/* threads blocked on it */
	uint32_t readers; /* annotated lock: how often it is held for reading */
	/* serial of the stack frame that contains it, 0: not on a stack */
	uint32_t frame_serial;
};

/* Of each thread: the locks that it holds or requests. */
struct thread_locks {
	struct sync *held;  /* alone, newest first */
	struct hold *reads; /* rwlocks for reading */
	uintptr_t asks;	    /* annotated lock that its own code is about to take, 0: none */
	/* Search for deadlock cycles: */
	uint64_t reached_in;	     /* the last search that came here, */
	struct thread *next_reached; /* where that one continues, */
	struct thread *reached_from; /* and a thread that waits for it; NULL: the first one */
};

struct sync *sync_find(uintptr_t addr);
struct sync *sync_get(uintptr_t addr, enum sync_mode mode); /* made on first use */
/* a new object, event INIT */
struct sync *sync_init(uintptr_t addr, enum sync_mode mode, uint64_t type, pc_t pc);
/* event DESTROY; false: it is in use, which is a finding */
bool sync_destroy(struct sync *s, pc_t pc);
/* use of a destroyed object is a finding, reported once */
void sync_check_life(struct sync *s, pc_t pc);
void sync_forget(uintptr_t start, size_t size, pc_t pc); /* the memory is freed */
void sync_end_thread(pc_t pc); /* the running thread ends: what becomes of its locks */
void sync_wake_all(struct sync *s);
void sync_each(void (*use)(struct sync *s));
/*
 * The running thread is about to be blocked on the object, or by the other thread: does not
 * return if that closes a deadlock cycle.  `asks`: an annotated lock, for which its own code
 * waits.
 */
void sync_check_cycle(const struct sync *s, struct thread *other, bool asks, pc_t pc);

/* Locks that one thread holds. */
void sync_take(struct sync *s, pc_t pc);       /* owner := running thread, event ACQUIRE */
void sync_take_again(struct sync *s, pc_t pc); /* by its owner, event ACQUIRE */
void sync_drop(struct sync *s, pc_t pc);       /* event RELEASE; wakes waiting threads */
void sync_drop_once(struct sync *s, pc_t pc);  /* the same for one of several acquisitions */
/* REQUEST, block until it is free: the object at that address then; NULL: the deadline passed
 * first, which is an event TIMEOUT. */
struct sync *sync_wait_free(struct sync *s, uint64_t deadline, pc_t pc);
/* The same, and take it; false: the deadline passed first. */
bool sync_wait_lock(struct sync *s, uint64_t deadline, pc_t pc);

/* For executions that begin again in place (explore_snapshot.c). */
void sync_rewind(void);

#endif
