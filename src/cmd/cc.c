/* SPDX-License-Identifier: Apache-2.0 */
/* `heddle cc`: the compiler driver as a command.  It has no option table: its options are the compiler's. */
#include <stdio.h>
#include <string.h>

#include "cc/driver.h"
#include "cmd/cmd.h"

static void print_help(void)
{
	puts("usage: heddle cc [compiler options] FILE...\n"
	     "\n"
	     "Compiles and links like gcc or clang, for use with heddle: CC=\"heddle cc\" make.\n"
	     "All options are the compiler's, except these:\n"
	     "      --heddle-verbose          Say how many call sites were patched after linking.\n"
	     "      --heddle-help             Show this text.\n"
	     "\n"
	     "HEDDLE_CC names the compiler (default gcc); HEDDLE_QUIET=1, like -w, silences notes.\n"
	     "The exit status is the compiler's; 2 if heddle refuses the combination of options.");
}

int cmd_cc(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--heddle-help")) {
		print_help();
		return EXIT_NOTHING;
	}
	struct cc_outcome outcome;
	struct err err = {0};
	int rc = cc_drive(argc, argv, &outcome, &err);
	if (outcome.notes.len)
		fwrite(outcome.notes.at, 1, outcome.notes.len, stderr);
	buf_release(&outcome.notes);
	if (!rc)
		return outcome.status;
	if (strncmp(err.text, "heddle", 6))
		fprintf(stderr, "heddle cc: %s\n", err.text);
	else
		fprintf(stderr, "%s\n", err.text);
	return err_exit_status(rc);
}
