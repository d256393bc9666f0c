/* SPDX-License-Identifier: Apache-2.0 */
/* The table of values to try for nondeterministic inputs (wire/nondet.h) in a linked program. */
#ifndef HEDDLE_BINARY_NONDET_TABLE_H
#define HEDDLE_BINARY_NONDET_TABLE_H

#include "base/buf.h"
#include "base/words.h"
#include "binary/image.h"
#include "wire/nondet.h"

/*
 * Fill the table in the bytes of a linked program, which img views, from its code and from the
 * code of the shared libraries among `files`.  The program stays unchanged if it has no table, or
 * calls none of the functions.  Errors: ERR_INTERNAL.
 */
int nondet_table_patch(const struct image *img, unsigned char *bytes, const struct words *files,
		       bool *is_patched, struct err *err);
/* Read the table of a program; an empty table if it has none. */
void nondet_table_read(const struct image *img, struct nondet_table *table);

/* How many functions there are, the name of one, and the values that it tries. */
unsigned nondet_functions(void);
const char *nondet_function(unsigned which);
void nondet_function_values(const struct nondet_table *table, unsigned which,
			    struct nondet_values *out);
/* Append the value in decimal, with the function's type. */
void nondet_print(struct buf *out, unsigned which, int64_t value);

#endif
