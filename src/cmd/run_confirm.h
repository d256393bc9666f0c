/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Confirmation of what `heddle run` reports: controlled runs of the same program are searched for an
 * execution that shows it, and its schedule is kept as a witness.
 */
#ifndef HEDDLE_CMD_RUN_CONFIRM_H
#define HEDDLE_CMD_RUN_CONFIRM_H

#include <stdint.h>

#include "base/err.h"
#include "report/online.h"

/*
 * Explore for at most so many seconds.  Findings that were seen become FINDING_CONFIRMED and get the path of
 * the witness, which lies beside the program's name in the current directory.  Errors: ERR_IO.
 */
int run_confirm(struct online *o, const char *program, char *const *argv, uint64_t seconds, struct err *err);

#endif
