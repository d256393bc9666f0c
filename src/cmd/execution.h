/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What record and replay share: options, printing what a run showed, deciding the exit status.
 */
#ifndef HEDDLE_CMD_EXECUTION_H
#define HEDDLE_CMD_EXECUTION_H

#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/opts.h"
#include "drive/observer.h"
#include "drive/target.h"

/* Options of every command that runs the program. */
struct execution_options {
	const char *json;
	uint64_t timeout; /* seconds; 0: none */
	int aslr;	  /* 1: keep */
	int backend;	  /* enum wire_backend */
	bool is_quiet;
	bool all_frames;
};

/*
 * Parse the command's own options, which `spec` describes, and the shared ones; --help prints.
 * There must be an operand, which `operand_word` names ("program").  Errors: ERR_USAGE.
 */
int execution_parse(const struct opt_spec *spec, struct execution_options *o,
		    const char *operand_word, int argc, char **argv, int *operand, bool *help,
		    struct err *err);
/* What the shared options say about a run. */
void execution_configure(const struct execution_options *o, struct run_options *run);

/* Print notes and findings to stderr, and the command that shows them again if there is a witness
 * to name. */
struct execution_again {
	const char *witness, *program;
};
void execution_replay_command(const struct execution_again *again, struct buf *out);
void execution_report(struct observer *o, const struct execution_again *again);
/* What the runtime wants the user to know, and which libraries were not seen. */
/* What the program reads that no record has. */
void execution_print_random(const struct target *p);
void execution_print_notes(struct observer *o);
/* Print one finding. */
void execution_report_finding(struct observer *o, const struct finding *f,
			      const struct execution_again *again, FILE *to);

/* Write the JSON form ("-": standard output). */
int execution_write_json(struct observer *o, const struct run_result *r, const struct target *p,
			 const char *command, const char *path, struct err *err);

/* The exit status of a run without an error; prints the sentence of an end that was not the
 * program's own. */
int execution_status(const struct observer *o, const struct run_result *r);

#endif
