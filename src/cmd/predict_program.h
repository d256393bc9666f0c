/* SPDX-License-Identifier: Apache-2.0 */
/* The program that predictions are confirmed with. */
#ifndef HEDDLE_CMD_PREDICT_PROGRAM_H
#define HEDDLE_CMD_PREDICT_PROGRAM_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Append its path; it exists, can be executed and was built by heddle.  Errors: those of
 * execution_find_program.
 */
int predict_find_program(const char *name, struct buf *path, struct err *err);

#endif
