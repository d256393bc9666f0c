/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects a controlled program without progress: neither the ring nor the count of hooks changes.
 * A program that blocks in the kernel where heddle did not allow it waits for something that none
 * of its threads can provide, since only one of them runs at a time.  A program that computes
 * without reaching a hook cannot be scheduled.
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
	uint64_t head, hooks;  /* at `since` */
	uint64_t since;	       /* nanoseconds, monotonic */
	uint64_t cpu_at_since; /* clock ticks used by the program */
	uint64_t next_check;
	bool has_warned;
};

void watchdog_init(struct watchdog *w, pid_t pid, uint64_t now);
/*
 * Check the program; cheap until it has made no progress for a while.  *call becomes the name of
 * the system call.
 */
enum watchdog_verdict watchdog_check(struct watchdog *w, const struct wire_session *s, uint64_t now,
				     const char **call);

/* Name of an x86-64 system call; "system call" if it is not known. */
const char *watchdog_call_name(long number);

#endif
