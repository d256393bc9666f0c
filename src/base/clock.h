/* SPDX-License-Identifier: Apache-2.0 */
/* The system's clocks as plain numbers.  All functions are async-signal-safe. */
#ifndef HEDDLE_BASE_CLOCK_H
#define HEDDLE_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_SECOND 1000000000ull

/* Nanoseconds of any clock; 0 if it cannot be read. */
uint64_t clock_read_ns(clockid_t clock);
/* The monotonic clock, in nanoseconds and in seconds. */
uint64_t clock_now_ns(void);
double clock_now_seconds(void);

#endif
