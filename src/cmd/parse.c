/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of a command that has one operand at least: options, help, and what to say if
 * nothing is given. */
#include <stdio.h>

#include "cmd/cmd.h"

int cmd_parse(const struct opt_spec *spec, const char *operand_word, int argc, char **argv,
	      int *operand, bool *help, struct err *err)
{
	int rc = opts_parse(spec, argc, argv, operand, help, err);
	if (!rc && *help)
		opts_print_help(spec, stdout);
	if (!rc && !*help && *operand >= argc)
		rc = err_set(err, ERR_USAGE,
			     "heddle %s: no %s is given; 'heddle %s --help' explains the use",
			     spec->command, operand_word, spec->command);
	return rc;
}
