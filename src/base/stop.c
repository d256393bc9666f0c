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

/* ---- signals ---- */

static volatile sig_atomic_t *signal_flag;

static void take_signal(int number)
{
	static uint64_t first;
	uint64_t now = clock_now_ns() / NS_PER_SECOND;
	if (*signal_flag && now > first + 1) {
		signal(number, SIG_DFL);
		raise(number);
	}
	if (!*signal_flag)
		first = now;
	*signal_flag = 1;
}

void stop_on_signals(volatile sig_atomic_t *flag, sigset_t *before)
{
	struct sigaction action = { .sa_handler = take_signal };
	signal_flag = flag;
	sigprocmask(SIG_SETMASK, NULL, before);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* ---- asking ---- */

bool stop_is_requested(void)
{
	if (watched.flag && *watched.flag)
		return true;
	return watched.end_ns && clock_now_ns() >= watched.end_ns;
}
