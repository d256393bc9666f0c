/* SPDX-License-Identifier: Apache-2.0 */
/* What heddle check prints: progress, findings, outcomes and the verdict; JSON (check_json.c). */
#ifndef HEDDLE_CMD_CHECK_PRINT_H
#define HEDDLE_CMD_CHECK_PRINT_H

#include "check/check.h"
#include "check/progress.h"

/* The command line of heddle check: the program and its arguments begin at `operands`. */
struct check_words {
	char **options, **operands;
};

/* arg: struct check_progress */
void check_print_progress(void *arg, const struct explore_result *r);
void check_print(struct check *c, const struct check_words *words);
/* The failure that an outcome ended with, as a kind of finding. */
const char *check_end_kind(const struct check *c, size_t outcome);
int check_write_json(struct check *c, struct err *err);

#endif
