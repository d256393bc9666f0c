/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Confirmation of what `heddle run` reports: controlled runs of the same program are searched for
 * an execution that shows it, and its schedule is kept as a witness.
 */
#ifndef HEDDLE_CHECK_CONFIRM_H
#define HEDDLE_CHECK_CONFIRM_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "report/online.h"

/*
 * Explore the program argv[0] for at most so many seconds.  Findings that were seen become
 * FINDING_CONFIRMED and get the path of the witness, which lies beside the program's name in the
 * current directory.  Standard input is read from `input_at` on if it is a file, and is empty
 * otherwise.  Errors: those of check_run.
 */
int check_confirm(struct online *o, char **argv, uint64_t seconds, off_t input_at, struct err *err);

#endif
