/* SPDX-License-Identifier: Apache-2.0 */
/* The program that predictions are confirmed with, and runs of it that are recorded for prediction. */
#ifndef HEDDLE_CMD_PREDICT_PROGRAM_H
#define HEDDLE_CMD_PREDICT_PROGRAM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "exec/execution.h"

/*
 * Append its path; it exists, can be executed and was built by heddle.  Errors: those of
 * execution_find_program.
 */
int predict_find_program(const char *name, struct buf *path, struct err *err);

struct predict_recording {
	char *const *argv;
	uint64_t seed;
	uint64_t nanoseconds;	/* that it may take; 0: no limit */
	uint64_t steps;		/* hooks that it may pass */
	const sigset_t *mask;	/* signal mask of the program */
};

/*
 * Record one run.  What the program prints is lost; its standard input is read from where it stands now, if
 * that is a file, and empty otherwise.  A run that ends early is a trace, too; *is_interrupted if the user
 * ended it.  Errors: those of finding and running the program, and ERR_SUPPORT if it cannot be controlled.
 */
int predict_record(const struct predict_recording *how, const char *trace, bool *is_interrupted,
		   struct err *err);

/*
 * While the program runs: standard input is what it is, if that is a file, which stands where it stood
 * afterwards, and empty otherwise; and what the program prints leads nowhere, if it is told that (an explored
 * one does not print).
 */
struct predict_streams {
	int kept[3];		/* descriptors 0 to 2 as they were; -1: closed, or not changed */
	off_t at;		/* where standard input stood; -1: it is no file */
};
void predict_streams_hide(struct predict_streams *s, bool with_output);
void predict_streams_restore(struct predict_streams *s);

/* ---- predict_witness.c ---- */

/* An execution that shows something. */
struct predict_showing {
	const char *program;
	char *const *argv;
	const struct plan *plan;	/* NULL: a run with this seed */
	uint64_t seed, timeout;
	/* it ends with a failure; otherwise kind and message say what it shows */
	bool fails;
	const char *kind, *message;
	const sigset_t *mask;
};

/* Make it again and write its witness, unless it does something else now.  Errors: those of observer_run,
 * ERR_IO. */
int predict_write_witness(const struct predict_showing *how, const char *path, bool *is_written,
			  struct err *err);
/* The command that replays it. */
void predict_replay_command(const char *witness, const char *program, struct buf *out);

#endif
