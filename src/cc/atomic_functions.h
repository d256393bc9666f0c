/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that other threads see as one step.  By the rules of SV-COMP that is every function whose name
 * begins with __VERIFIER_atomic_.  (begin and end are calls around such a section.)  After linking, their
 * entry and exit hooks are changed to call forms that begin and end a section.  A source that names one is
 * compiled without inlining, so that each has its hooks; a clone that a compiler makes has the same beginning
 * of its name.
 */
#ifndef HEDDLE_CC_ATOMIC_FUNCTIONS_H
#define HEDDLE_CC_ATOMIC_FUNCTIONS_H

#include "cc/args.h"
#include "binary/image.h"

/* Does one of the sources name such a function, or may it, because it cannot be read twice? */
bool atomic_functions_are_named(const struct cc_args *args);

/*
 * Change the hooks of such functions in the bytes of a linked file (img must view the same bytes);
 * *patched is how many.  Errors: ERR_INTERNAL, ERR_FORMAT if the file has such functions but not the
 * hooks' other forms.
 */
int atomic_functions_patch(const struct image *img, unsigned char *bytes, size_t *patched, struct err *err);

#endif
