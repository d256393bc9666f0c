/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subcommands.  Each has one file cmd/<name>.c with its option table and a function cmd_<name>,
 * and one row in the table of main.c.  Only this layer prints and decides exit statuses.
 */
#ifndef HEDDLE_CMD_H
#define HEDDLE_CMD_H

#include "base/err.h"
#include "base/opts.h"

enum exit_status {
	EXIT_NOTHING = 0, /* finished, nothing found */
	EXIT_FINDING = 1,
	EXIT_USAGE = 2,
	EXIT_INPUT = 3,	       /* input or environment failure */
	EXIT_INCONCLUSIVE = 4, /* a limit was reached, or a replay diverged */
	EXIT_INTERNAL = 70,
};

/* argv[0] is the command's name.  Returns the exit status. */
int cmd_cc(int argc, char **argv);
int cmd_cxx(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_bitcode(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_replay(int argc, char **argv);
/* Replay a prediction that was not confirmed; *is_one: whether the file is one, nothing is done
 * if not. */
int cmd_replay_prediction(const char *file, char **program_argv, bool *is_one);
int cmd_spec(int argc, char **argv);
int cmd_trace(int argc, char **argv);

/* Options, help on standard output, and an error if there is no operand, which a message calls by
 * that word. */
int cmd_parse(const struct opt_spec *spec, const char *operand_word, int argc, char **argv,
	      int *operand, bool *help, struct err *err);
/* Print "heddle: <sentence>" to stderr and return the exit status of the negated code. */
int cmd_fail(int negated, const struct err *err);

#endif
