/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program for `heddle run`: in parallel at full speed, without control of its schedule,
 * and receives the messages of the program and its descendants (wire/run.h).
 */
#ifndef HEDDLE_PARALLEL_H
#define HEDDLE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct parallel_config {
	const char *path;
	char **argv;
	uint32_t flags; /* RUN_FLAG_... */
	uint32_t history, sections, limit, exit_code;
	uint32_t exit_wait; /* milliseconds */
	uint64_t timeout;   /* seconds; 0: none */
	bool keeps_aslr;
	/* the runtime as a library, for a program that has another one; NULL: none */
	const char *preload;
	void (*message)(void *arg, const char *text, size_t len);
	void *arg;
};

struct parallel_result {
	int wait_status;
	bool is_timed_out;
};

/*
 * Returns when the program has ended; it does not wait for messages of descendants that live
 * longer. SIGTERM to the tool is forwarded to the program, and SIGINT is ignored.  Errors:
 * ERR_IO, ERR_PROGRAM.
 */
int parallel_run(const struct parallel_config *c, struct parallel_result *r, struct err *err);

#endif
