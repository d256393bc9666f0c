/* SPDX-License-Identifier: Apache-2.0 */
/* Local variables in the debug information of a function: which one has a place in its frame. */
#ifndef HEDDLE_LOCALS_H
#define HEDDLE_LOCALS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct local {
	const char *name;	/* kept by libdw */
	int line;		/* of its declaration, 0 if unknown */
	int64_t from, to;	/* counted as in locals_find */
};

/*
 * The variable or parameter of the function, or of one that is inlined into it, that has the byte `at`,
 * counted from behind the return address.  `size` is that of the frame below there when the function has
 * set its stack pointer.  False: none is known to be there.
 */
bool locals_find(Dwarf_Die *function, int64_t at, int64_t size, struct local *out);

#endif
