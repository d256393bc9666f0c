/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that execute atomically.  By the rules of SV-COMP these are all functions whose name
 * begins with __VERIFIER_atomic_.  (__VERIFIER_atomic_begin and _end are calls around an atomic
 * section.)  After linking, the entry and exit hooks of these functions are redirected to forms
 * that begin and end an atomic section. A source that names such a function is compiled without
 * inlining, so that each has its hooks.  Clones that a compiler makes keep the prefix of the
 * name.
 */
#ifndef HEDDLE_CC_ATOMIC_FUNCTIONS_H
#define HEDDLE_CC_ATOMIC_FUNCTIONS_H

#include "cc/args.h"
#include "binary/image.h"

/* Whether a source names an atomic function, or may name one because it cannot be read twice. */
bool atomic_functions_are_named(const struct cc_args *args);

/*
 * Redirect the hooks of atomic functions in the bytes of a linked file (img must view the same
 * bytes); *patched becomes their number.  Errors: ERR_INTERNAL, ERR_FORMAT if the file has atomic
 * functions but does not define the atomic forms of the hooks.
 */
int atomic_functions_patch(const struct image *img, unsigned char *bytes, size_t *patched,
			   struct err *err);

#endif
