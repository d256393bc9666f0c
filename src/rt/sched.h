/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler: which thread runs, and which threads wait.
 *
 * Exactly one thread runs (g.cur), and it is THREAD_READY.  A thread leaves the processor only in
 * sched_point, sched_wait, sched_wait_io and sched_exit_thread.  Each decision is part of the
 * schedule: recorded, or prescribed by a replay or an explorer's plan.  The end of a timed wait is
 * such a decision, too; it may come at any time.
 */
#ifndef HEDDLE_RT_SCHED_H
#define HEDDLE_RT_SCHED_H

#include "rt/rt.h"
#include "wire/wire.h"

struct sync;
struct thread;

enum thread_state {
	THREAD_READY,
	THREAD_BLOCKED, /* in sched_wait */
	THREAD_ENDED,
};

/* How a wait ended. */
enum wait_end {
	WAIT_WOKEN,	  /* what it waited for may have happened: look again */
	WAIT_TIMED_OUT,	  /* the schedule let the deadline pass */
	WAIT_CANCELLED,	  /* the thread is to end (pthread_cancel) */
	WAIT_INTERRUPTED, /* a signal for it has arrived */
};
#define NO_DEADLINE UINT64_MAX

/* Of each thread, while it is blocked: what it waits for, and what may end the wait. */
struct thread_wait {
	struct sync *on;
	struct thread *thread; /* join */
	/* the wait may end by itself, when the clock shows the deadline (clock.h) */
	bool is_timed;
	bool is_cancellable, is_to_read;
	enum wait_end end;
	struct thread *next; /* in a condition variable's or futex's queue */
	/* the condition variable in whose queue it is, also while a handler runs */
	struct sync *queue;
	uint32_t futex_bits;	   /* wakes that it waits for */
	uint32_t spurious_wakeups; /* waits on a condition variable that ended without a cause */
};

void sched_init(void);
void sched_point(void); /* a hook was passed with no budget left */
/*
 * The running thread is blocked: it waits for a change of `on`, for the end of `other` (either
 * may be NULL) or until its own clock shows `deadline`.  When a timed wait ends is a decision of
 * the scheduler, and counts as a hook.  Handlers of signals that arrive meanwhile are called
 * before it returns.
 */
enum wait_end sched_wait(struct sync *on, struct thread *other, uint64_t deadline,
			 bool cancellable);
/* a blocked thread becomes ready; no effect on others */
void sched_wake(struct thread *t, enum wait_end how);
/*
 * The same for a descriptor that outside_sleep() has noted: it is ready when the thread is
 * chosen, or time has passed.  Its caller calls sched_attend().
 */
enum wait_end sched_wait_io(uint64_t deadline);
void sched_diverged(enum wire_divergence reason) __attribute__((noreturn));
/* of a condition variable, if it is in it */
void sched_leave_queue(struct sync *s, struct thread *t);
void sched_attend(void);    /* handle signals and requests that came while other threads ran */
void sched_ask(void);	    /* the next hook asks the scheduler, whatever its policy */
void sched_yield_now(void); /* the next sched_point changes threads if it can */
uint32_t sched_choose(uint32_t n, pc_t pc);		/* 0..n-1, recorded */
void sched_exit_thread(void) __attribute__((noreturn)); /* the running thread has ended */
void sched_add(struct thread *t);
uint64_t sched_concurrent_hooks(void); /* passed while at least two threads lived */
/* now, or because its wait may end at any time */
bool sched_can_run(const struct thread *t);
/* no thread is ready: one that waits for time or for the outside */
struct thread *sched_next_to_wake(void);

extern struct thread *rt_threads_live[];
extern uint32_t rt_threads_live_count;

#endif
