/* SPDX-License-Identifier: Apache-2.0 */
/* The program under test: where it is, and what its file shows. */
#ifndef HEDDLE_DRIVE_TARGET_H
#define HEDDLE_DRIVE_TARGET_H

#include "base/buf.h"
#include "base/err.h"
#include "binary/program.h"

struct target {
	struct buf path;
	struct program_info info;
};

/* It exists, can be executed and was built by heddle.  Errors: ERR_IO, ERR_PROGRAM. */
int target_find(struct target *t, const char *name, struct err *err);
void target_release(struct target *t);

#endif
