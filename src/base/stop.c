/* SPDX-License-Identifier: Apache-2.0 */
/* When to stop; see stop.h. */
#include "base/stop.h"

#include <stddef.h>

#include "base/clock.h"

static struct {
	const volatile sig_atomic_t *flag;
	uint64_t end_ns;
} watched;

void stop_watch(const volatile sig_atomic_t *flag, uint64_t end_ns)
{
	watched.flag = flag;
	watched.end_ns = end_ns;
}

bool stop_is_requested(void)
{
	if (watched.flag && *watched.flag)
		return true;
	return watched.end_ns && clock_now_ns() >= watched.end_ns;
}
