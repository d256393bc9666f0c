/* SPDX-License-Identifier: Apache-2.0 */
/* When to stop; see stop.h. */
#include "base/stop.h"

#include <stddef.h>

static struct {
	const volatile sig_atomic_t *flag;
	struct timespec end;
	bool has_end;
} watched;

void stop_watch(const volatile sig_atomic_t *flag, const struct timespec *end)
{
	watched.flag = flag;
	watched.has_end = end;
	if (end)
		watched.end = *end;
}

bool stop_is_wanted(void)
{
	struct timespec now;
	if (watched.flag && *watched.flag)
		return true;
	if (!watched.has_end)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > watched.end.tv_sec ||
	       (now.tv_sec == watched.end.tv_sec && now.tv_nsec >= watched.end.tv_nsec);
}
