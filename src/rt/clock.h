/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual time (clock.c).
 *
 * Each thread has a clock.  It grows by a microsecond when it is read, becomes the maximum of both
 * clocks at each edge of synchronisation and reads-from, and becomes the deadline when a timed
 * wait ends by it.  Edges are tracked from the first read of a clock on (HOT_CLOCK); before it all
 * clocks are equal.
 */
#ifndef HEDDLE_RT_CLOCK_H
#define HEDDLE_RT_CLOCK_H

#include <time.h>

#include "rt/hot.h"
#include "rt/rt.h"

/* Of each thread, in nanoseconds. */
struct thread_clock {
	uint64_t now;
	uint64_t deadline; /* of the timed wait that it is in */
	uint64_t end;	   /* when the thread ended */
};

/* Called always by what runs on the program's stack, since the return address of the call stays
 * there. */
void clock_saw_write(uintptr_t addr, size_t size);
void clock_saw_read(uintptr_t addr, size_t size);
static inline bool rt_clock_on(void)
{
	return g.slow & HOT_CLOCK;
}
static inline void clock_join(struct thread_clock *c, uint64_t other)
{
	if (other > c->now)
		c->now = other;
}
/* Virtual time when a clock will show a time, or a time will have passed; false: not a valid time.
 */
bool clock_deadline(int clock_id, const struct timespec *at, uint64_t *deadline);
bool clock_deadline_after(const struct timespec *duration, uint64_t *deadline);
uint64_t clock_show(clockid_t id, pc_t pc); /* the running thread reads a clock: nanoseconds */
/* As nanosleep() with NULL for the rest: 0, or -1 and errno. */
int clock_sleep(const struct timespec *request, pc_t pc);
void clock_publish(uintptr_t obj); /* release side of a synchronisation edge */
void clock_receive(uintptr_t obj); /* acquire side */

#endif
