/* SPDX-License-Identifier: Apache-2.0 */
/* How a command ends that cannot do what it was asked for; apart from main.c, so that tests can
 * link commands. */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

int cmd_fail(int negated, const struct err *err)
{
	const char *prefix = strncmp(err->text, "heddle", 6) ? "heddle: " : "";
	fprintf(stderr, "%s%s\n", prefix, err->text);
	return err_exit_status(negated);
}
