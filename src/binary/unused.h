/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads whose value is unused, from the machine code of a program: the thread behaves the same
 * for every value of the read.  This is proved on all paths from the read to the end of its
 * function.
 */
#ifndef HEDDLE_BINARY_UNUSED_H
#define HEDDLE_BINARY_UNUSED_H

#include "binary/code.h"

/* Append the return addresses of their hooks' calls, sorted.  Errors: ERR_INTERNAL. */
int unused_reads(const struct image *img, struct addresses *out, struct err *err);

#endif
