/* SPDX-License-Identifier: Apache-2.0 */
/* Local variables in the debug information of a function, found by their position in the frame. */
#ifndef HEDDLE_LOCALS_H
#define HEDDLE_LOCALS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct local {
	const char *name; /* kept by libdw */
	int line;	  /* of its declaration, 0 if unknown */
	int64_t from, to; /* relative to the CFA, as in locals_find() */
};

/*
 * The variable or parameter of the function, or of one that is inlined into it, that contains the
 * byte `at`, relative to the CFA (the address after the return address).  `size` is the distance
 * from the stack pointer, once the function has set it, to the CFA.  False: no such variable is
 * known.
 */
bool locals_find(Dwarf_Die *function, int64_t at, int64_t size, struct local *out);

#endif
