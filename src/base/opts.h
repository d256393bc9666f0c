/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Option tables.  A command declares one static table; it drives parsing, --help, completion and
 * the manual. Parsing stops at the first word that is not an option, or after "--": what follows
 * are the operands.
 */
#ifndef HEDDLE_OPTS_H
#define HEDDLE_OPTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum opt_kind { OPT_FLAG, OPT_NUMBER, OPT_STRING, OPT_CHOICE };

struct opt {
	char short_name; /* 0: none */
	const char *name;
	enum opt_kind kind;
	void *target; /* bool, uint64_t, const char *, int (index into choices) */
	/* for --help; for OPT_CHOICE "a|b|c" is derived from choices */
	const char *metavar;
	const char *help;	    /* one sentence, with the default */
	uint64_t low, high;	    /* OPT_NUMBER: allowed range */
	const char *const *choices; /* OPT_CHOICE: NULL-terminated */
};

struct opt_spec {
	const char *command;	 /* "record" */
	const char *operands;	 /* "PROG [ARG...]" */
	const char *summary;	 /* one line */
	const char *details;	 /* further text for --help, may be NULL */
	const struct opt *table; /* ends with a zero entry */
	/* options that several commands have, in the same form; NULL: none */
	const struct opt *shared;
};

/*
 * Parse argv[1..]; *operand becomes the index of the first operand.  --help sets *help and
 * returns 0. Errors: ERR_USAGE for an unknown option, a missing or bad value.
 */
int opts_parse(const struct opt_spec *spec, int argc, char **argv, int *operand, bool *help,
	       struct err *err);
void opts_print_help(const struct opt_spec *spec, FILE *out);

#endif
