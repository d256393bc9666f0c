/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether work that takes long should end early, with what it has: a signal came, or the time is over.  Both
 * concern the whole process, so it is asked without a handle, in every loop that may run for more than a
 * fraction of a second.  Nobody watches by default.
 */
#ifndef HEDDLE_STOP_H
#define HEDDLE_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* From now on: when *flag is set, or at `end` of the monotonic clock (NULL: no limit).  NULL, NULL: never. */
void stop_watch(const volatile sig_atomic_t *flag, const struct timespec *end);
bool stop_is_wanted(void);

/* For short rounds of a loop: asks once in 1024. */
static inline bool stop_is_wanted_now_and_then(uint32_t *rounds)
{
	return !(++*rounds % 1024) && stop_is_wanted();
}

#endif
