/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals from outside: another process, a terminal, a child that ends.
 *
 * The program's handlers run at points of the schedule, so the kernel never calls them.  In a
 * recording it calls the runtime for each signal that the program handles or waits for by
 * sigwait().  A thread of the runtime, which exists from the first such signal on, sends it to the
 * process as one thread of a program sends a signal to another.  So when the signal comes is part
 * of the schedule, and a replay repeats it.  In an exploration no signal comes from outside.
 */
#ifndef HEDDLE_RT_SIGNAL_OUTSIDE_H
#define HEDDLE_RT_SIGNAL_OUTSIDE_H

#include "rt/rt.h"
#include "rt/signals.h"

struct pollfd;
struct thread;

/* The disposition changes: whether the kernel now calls the runtime for the signal. */
bool outside_signal_handles(int signal, bool has_handler);
void outside_signal_awaits(signal_set set); /* by sigwait() or one of its relatives */
/* The kernel must not block these: the model says which thread gets them, and when. */
signal_set outside_signal_unblocked(void);

/* To the scheduler: one has come, and the thread (made now if there is none) is to run. */
bool outside_signal_came(void);
struct thread *outside_signal_thread(void);
bool outside_signal_has_thread(void); /* one of the live threads is not the program's */
bool outside_signal_is_thread(const struct thread *t);
/* No thread can run; is there one for which a signal from outside would change that? */
bool outside_signal_may_come(void);
/* ppoll(), which such a signal ends even if it comes just before */
long outside_signal_poll(struct pollfd *fds, uint32_t count, const void *limit);

#endif
