/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the lock-like primitives share.  Each primitive has a file: its functions of
 * pthread are there, over the object table of sync.c; those of C11 are in c11_locks.c and call
 * what is declared here.
 *
 * The objects' own memory is initialised by libc's functions, so that it looks as the program
 * expects and can be used natively before and after control; what happens under control is in the
 * table alone.  An object that the runtime sees for the first time (static initialisers,
 * constructors before main) is as its memory says.
 *
 * Misuse that POSIX leaves undefined is a finding; the run goes on as with glibc, unless it would
 * hang or crash.
 */
#ifndef HEDDLE_RT_LOCKS_H
#define HEDDLE_RT_LOCKS_H

#include <pthread.h>
#include <time.h>

#include "rt/clock.h"
#include "rt/libc_wrap.h"
#include "rt/sched.h"

struct sync;

/*
 * When a timed wait ends, as the program gave it: NULL is never.  A time that is not valid is an
 * error only if the thread has to wait, so it is looked at late; see wait_deadline.
 */
struct until {
	const struct timespec *when;
	clockid_t clock;
};
#define FOR_EVER ((struct until){ NULL, CLOCK_REALTIME })

/* The deadline for sched_wait; false: not a valid time. */
static inline bool wait_deadline(const struct until *u, uint64_t *deadline, pc_t pc)
{
	*deadline = NO_DEADLINE;
	if (!u->when)
		return true;
	rt_libc_read(u->when, sizeof(*u->when), pc);
	return clock_deadline(u->clock, u->when, deadline);
}

/* The clocks that libc can wait on. */
static inline bool is_wait_clock(clockid_t id)
{
	return id == CLOCK_REALTIME || id == CLOCK_MONOTONIC;
}

/* ---- mutex.c; results as of the pthread functions ---- */
struct sync *mutex_of(pthread_mutex_t *m, pc_t pc);
void mutex_made(pthread_mutex_t *m, pc_t pc); /* libc has initialised it */
int mutex_lock(pthread_mutex_t *m, struct until until, pc_t pc);
int mutex_trylock(pthread_mutex_t *m, pc_t pc);
int mutex_unlock(pthread_mutex_t *m, pc_t pc);
int mutex_destroy(pthread_mutex_t *m, pc_t pc);

/* ---- cond.c ---- */
void cond_made(pthread_cond_t *c, pc_t pc);
int cond_wait(pthread_cond_t *c, pthread_mutex_t *m, struct until until, pc_t pc);
clockid_t cond_clock(pthread_cond_t *c);
void cond_signal(pthread_cond_t *c, pc_t pc);
void cond_broadcast(pthread_cond_t *c, pc_t pc);
int cond_destroy(pthread_cond_t *c, pc_t pc);

#endif
