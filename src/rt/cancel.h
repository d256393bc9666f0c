/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cancellation (cancel.c).
 *
 * A wrapper of a function that POSIX calls a cancellation point calls thread_act_on_cancel()
 * (enter.h) when it has been entered, and waits with sched_wait(..., cancellable = true).  After
 * WAIT_CANCELLED it undoes its effects so far (cond_wait: takes the mutex again) and calls
 * thread_act_on_cancel() once more, which then does not return.
 */
#ifndef HEDDLE_RT_CANCEL_H
#define HEDDLE_RT_CANCEL_H

#include "rt/rt.h"

struct thread;

enum { CANCEL_OFF = 1, CANCEL_ASYNC = 2, CANCEL_ASKED = 4, CANCEL_LEAVING = 8, CANCEL_FOUND = 16 };

/* Of each thread. */
struct cancellation {
	uint32_t bits; /* CANCEL_* */
	/* condition variable for which it has waited, cancellably, since it last looked for a
	 * request; 0: none */
	uintptr_t cond;
	void *cleanup;		 /* innermost pthread_cleanup_push buffer */
	uint64_t unwind_room[8]; /* the unwinder's exception object */
};

static inline bool cancel_is_due(const struct cancellation *c)
{
	return unlikely((c->bits & (CANCEL_OFF | CANCEL_ASKED | CANCEL_LEAVING)) == CANCEL_ASKED);
}
void thread_leave_cancelled(pc_t pc) __attribute__((noreturn));
/* through frames and cleanup handlers to the end */
void thread_leave(void *result) __attribute__((noreturn));
/* At a cancellation point: whether the running thread finds a request.  An operation of a search.
 */
bool cancel_look(pc_t pc);
/* Whether its looks are operations: it is cancelled somewhere in the search, and may be here. */
bool cancel_is_looked_for(const struct thread *t);

#endif
