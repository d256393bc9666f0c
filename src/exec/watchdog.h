/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches a controlled program that shows no progress: neither the ring nor the count of hooks moves.  A
 * program that sleeps in the kernel where heddle did not allow it waits for something that no thread of it
 * can provide (only one of them runs at a time); one that computes without passing a hook cannot be
 * scheduled.
 */
#ifndef HEDDLE_WATCHDOG_H
#define HEDDLE_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/wire.h"

enum watchdog_verdict { WATCHDOG_FINE, WATCHDOG_WARN, WATCHDOG_ASLEEP, WATCHDOG_SPINNING };

struct watchdog {
	pid_t pid;
	uint64_t head, hooks;		/* as seen at `since` */
	uint64_t since;			/* nanoseconds, monotonic */
	uint64_t cpu_at_since;		/* clock ticks used by the program */
	uint64_t next_look;
	bool has_warned;
};

void watchdog_init(struct watchdog *w, pid_t pid, uint64_t now);
/* Look at the program; cheap until it has been still for a while.  *call becomes the name of the system call.
 */
enum watchdog_verdict watchdog_look(struct watchdog *w, const struct wire_session *s, uint64_t now,
				    const char **call);

/* Name of an x86-64 system call, "system call" if it has no common one. */
const char *watchdog_call_name(long number);

#endif
