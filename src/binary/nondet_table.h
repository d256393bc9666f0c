/* SPDX-License-Identifier: Apache-2.0 */
/* The table of values for inputs of any value (wire/nondet.h) in a linked program. */
#ifndef HEDDLE_BINARY_NONDET_TABLE_H
#define HEDDLE_BINARY_NONDET_TABLE_H

#include "base/buf.h"
#include "base/words.h"
#include "binary/image.h"
#include "wire/nondet.h"

/*
 * Fill the table of a linked program in its bytes, which img views: from its code, and from the code of the
 * shared libraries among the files.  Nothing is done if the program has no table, or calls none of the
 * functions.  Errors: ERR_INTERNAL.
 */
int nondet_table_patch(const struct image *img, unsigned char *bytes, const struct words *files,
		       bool *is_patched, struct err *err);
/* The table of a program; one without entries if it has none. */
void nondet_table_read(const struct image *img, struct nondet_table *table);

/* How many functions there are, the name of one, and the values that it tries. */
unsigned nondet_functions(void);
const char *nondet_function(unsigned which);
void nondet_function_values(const struct nondet_table *table, unsigned which, struct nondet_values *out);
/* The value in decimal digits, as one of the function's type. */
void nondet_print(struct buf *out, unsigned which, int64_t value);

#endif
