/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request to end long work early and keep its partial result: a signal arrived, or the time
 * limit is reached.  The request concerns the whole process, so there is no handle.  Every loop
 * that may run for more than a fraction of a second checks for it.  By default nothing is
 * watched, so no stop is requested.
 */
#ifndef HEDDLE_STOP_H
#define HEDDLE_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * From now on a stop is requested when *flag is set (NULL: no flag), or when the monotonic clock
 * (clock.h) reaches end_ns (0: no limit).
 */
void stop_watch(const volatile sig_atomic_t *flag, uint64_t end_ns);
bool stop_is_requested(void);

/*
 * From now on SIGINT and SIGTERM set *flag.  A second one that comes at least a second later ends
 * the process at once; some tools send the signal twice.  *before gets the mask of signals, which
 * is that of programs to start.
 */
void stop_on_signals(volatile sig_atomic_t *flag, sigset_t *before);

/* For loops with short iterations: checks once in 1024 calls.  *rounds counts the calls. */
static inline bool stop_is_requested_sampled(uint32_t *rounds)
{
	return !(++*rounds % 1024) && stop_is_requested();
}

#endif
