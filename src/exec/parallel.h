/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program that was built for `heddle run`: at full speed, in parallel, with no control over it, and
 * takes the messages that it and its descendants send (wire/run.h).
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
	uint32_t flags;		/* RUN_FLAG_... */
	uint32_t history, sections, limit, exit_code;
	uint32_t exit_wait;	/* milliseconds */
	uint64_t timeout;	/* seconds; 0: none */
	bool keeps_aslr;
	const char *preload;	/* the runtime as a library, for a program that has another one; NULL: none */
	void (*message)(void *arg, const char *text, size_t len);
	void *arg;
};

struct parallel_result {
	int wait_status;
	bool is_timed_out;
};

/*
 * Until the program has ended; messages of descendants that live longer are not waited for.  SIGINT and
 * SIGTERM to the tool go to the program.  Errors: ERR_IO, ERR_PROGRAM.
 */
int parallel_run(const struct parallel_config *c, struct parallel_result *r, struct err *err);

#endif
