/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads whose values go nowhere, as far as the machine code of a program shows it: whatever the read
 * gave, the thread would do the same.  Only what is proved along every way from the read to the end of
 * its function counts.
 */
#ifndef HEDDLE_BINARY_UNUSED_H
#define HEDDLE_BINARY_UNUSED_H

#include "binary/code.h"

/* Adds the addresses behind the calls of their hooks, sorted.  Errors: ERR_INTERNAL. */
int unused_reads(const struct image *img, struct addresses *out, struct err *err);

#endif
