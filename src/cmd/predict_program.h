/* SPDX-License-Identifier: Apache-2.0 */
/* The program that predictions are confirmed with, and runs of it that are recorded for prediction. */
#ifndef HEDDLE_CMD_PREDICT_PROGRAM_H
#define HEDDLE_CMD_PREDICT_PROGRAM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Append its path; it exists, can be executed and was built by heddle.  Errors: those of
 * execution_find_program.
 */
int predict_find_program(const char *name, struct buf *path, struct err *err);

struct predict_recording {
	char *const *argv;
	uint64_t seed;
	uint64_t timeout;	/* seconds; 0: none */
	const sigset_t *mask;	/* signal mask of the program */
};

/*
 * Record one run.  What the program prints is lost; its standard input is read from where it stands now, if
 * that is a file, and empty otherwise.  A run that ends early is a trace, too; *is_interrupted if the user
 * ended it.  Errors: those of finding and running the program, and ERR_SUPPORT if it cannot be controlled.
 */
int predict_record(const struct predict_recording *how, const char *trace, bool *is_interrupted, struct err *err);

#endif
