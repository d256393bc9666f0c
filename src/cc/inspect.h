/* SPDX-License-Identifier: Apache-2.0 */
/* Post-processing of the linked file, and notes to the user about it. */
#ifndef HEDDLE_CC_INSPECT_H
#define HEDDLE_CC_INSPECT_H

#include "cc/link.h"

/*
 * If the output is an ELF file: remove redundant branch callbacks, patch late stores and atomic
 * functions, fill the table of nondeterministic values, and write notes.  Errors: ERR_IO,
 * ERR_FORMAT, ERR_INTERNAL.
 */
int inspect_output(const struct link_step *step, struct err *err);

#endif
