/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The real threads behind the program's threads; see donor.c.
 *
 * Each slot has at most one.  A donor waits until its turn comes; a turn is a word of the thread
 * that it stands for, so that it survives the donor.
 */
#ifndef HEDDLE_RT_DONOR_H
#define HEDDLE_RT_DONOR_H

#include <pthread.h>

#include "rt/hot.h"
#include "rt/rt.h"
#include "rt/sys.h"
#include "rt/thread.h"

enum turn {
	TURN_WAIT,
	TURN_RUN, /* thread backend: the thread goes on */
	TURN_END, /* the thread has ended for good, its real thread is to end too */
};

struct donor {
	volatile uint32_t is_ready;
	struct thread *thread;
	uintptr_t fs, sp; /* its thread block; where its own frames end */
	pthread_t real;
	/* Made in advance, for executions that begin again in place: */
	bool is_free;	   /* this execution has not used it yet */
	size_t stack_size; /* that its slot has been given */
	char *fresh;	   /* copy of all that lies above sp, as libc made it */
	void *home;
	uint32_t tid;
};

/* Create the donor of a slot for this thread; the slot's previous one, if any, ends first.  NULL:
 * no resources. */
struct donor *donor_start(uint32_t slot, struct thread *t);
struct donor *donor_of(uint32_t slot);
bool donor_pool(uint32_t slot, struct thread *t); /* one for later; false: no resources */

/* libc makes a thread for us */
extern bool donor_is_starting __attribute__((visibility("hidden")));

/* Which backend this run uses: false for fibers. */
extern bool donor_runs_thread __attribute__((visibility("hidden")));
/* Decide it, and take over the signals of the main thread. */
void donor_init(struct thread *main_thread);

/*
 * Thread backend, around a switch: the signal mask of the thread that runs goes along with
 * control.  Inline, without variables of their own, because nothing may be left on the program's
 * stack.
 */
extern const uint64_t donor_mask_all __attribute__((visibility("hidden")));
extern uint64_t donor_running_mask __attribute__((visibility("hidden")));
#define DONOR_SET_MASK(mask, before) \
	sys4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, mask, before, sizeof(uint64_t))
void donor_leave(struct thread *self) __attribute__((noreturn));

static inline void donor_before_switch(const struct thread *to)
{
	g.session->running = to->context.tid;
	DONOR_SET_MASK(&donor_mask_all, &donor_running_mask);
}

static inline void donor_after_switch(struct thread *self)
{
	if (unlikely(self->context.turn == TURN_END))
		donor_leave(self);
	self->context.turn = TURN_WAIT;
	DONOR_SET_MASK(&donor_running_mask, 0);
}

uintptr_t donor_read_fs(void);

#endif
