/* SPDX-License-Identifier: Apache-2.0 */
/* The system's clocks as plain numbers; see clock.h. */
#include "base/clock.h"

#include <sys/syscall.h>
#include <unistd.h>

/* The system call, since libc's function would read the time stamp counter, which may be closed
 * (exec/processor.h). */
uint64_t clock_read_ns(clockid_t clock)
{
	struct timespec t;
	if (syscall(SYS_clock_gettime, clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * NS_PER_SECOND + (uint64_t)t.tv_nsec;
}

uint64_t clock_now_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

double clock_now_seconds(void)
{
	return 1e-9 * (double)clock_now_ns();
}
