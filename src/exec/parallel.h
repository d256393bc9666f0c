/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command for `heddle run`: in parallel at full speed, without control of its schedule, and
 * receives the messages of all its processes that are watched (wire/run.h).
 */
#ifndef HEDDLE_PARALLEL_H
#define HEDDLE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "exec/descendants.h"

struct parallel_result {
	int wait_status; /* of the command */
	bool is_timed_out;
	size_t left; /* watched processes that were not waited for, because a signal said so */
};

struct parallel_config {
	const char *path;
	char **argv;
	uint32_t flags; /* RUN_FLAG_... */
	uint32_t history, sections, limit, exit_code;
	uint32_t exit_wait; /* milliseconds */
	uint64_t timeout;   /* seconds; 0: none */
	bool keeps_aslr;
	/* the runtime as a library, for programs that have another one; NULL: none */
	const char *preload;
	void (*message)(void *arg, const char *text, size_t len);
	/* The command has ended, and these are left; called once, before they are waited for. */
	void (*outlived)(void *arg, const struct parallel_result *r,
			 const struct descendants *left);
	void *arg;
};

/*
 * Returns when the command has ended, and with it every process below it that is watched.  Other
 * processes that outlive the command have UNWATCHED_GRACE milliseconds to start a watched one.
 *
 * Signals to the tool go to the command; those of the terminal do not, because it sends them to
 * the command itself.  When the command has ended, the first SIGINT or SIGTERM goes to all watched
 * processes as SIGTERM, and the second ends the wait.  Errors: ERR_IO, ERR_PROGRAM.
 */
int parallel_run(const struct parallel_config *c, struct parallel_result *r, struct err *err);

#endif
