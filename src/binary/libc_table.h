/* SPDX-License-Identifier: Apache-2.0 */
/* How each function of the C library is treated; the list is wire/libc.def. */
#ifndef HEDDLE_BINARY_LIBC_TABLE_H
#define HEDDLE_BINARY_LIBC_TABLE_H

#include <stdbool.h>

enum libc_class {
	LIBC_UNKNOWN, /* not in the list */
	LIBC_PURE,
	LIBC_RANGES,
	LIBC_STREAM,
	LIBC_HIDDEN,
	LIBC_BLOCKS,
	LIBC_INPUT,
	LIBC_HEAP,
	LIBC_MODELLED,
	LIBC_EXIT,
	LIBC_REFUSED,
};

enum libc_class libc_class(const char *name);
/* Whether a file of this name is the C library or one of its companion libraries. */
bool libc_is_library(const char *file_name);

#endif
