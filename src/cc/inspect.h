/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to the linked file, and what the user is told about it. */
#ifndef HEDDLE_CC_INSPECT_H
#define HEDDLE_CC_INSPECT_H

#include "cc/link.h"

/* Patch late stores in the output, if it is an ELF file, and write notes.  Errors: ERR_IO, ERR_FORMAT. */
int inspect_output(const struct link_step *step, struct err *err);

#endif
