/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removal of redundant branch callbacks.  The compilers put a callback into every basic block.
 * The runtime uses them for a bit on the next event (a branch preceded it), for the path of the
 * thread, and to interrupt loops without accesses.  Fewer callbacks suffice for that.  After
 * linking, those that others imply are replaced by no-ops.
 */
#ifndef HEDDLE_CC_THIN_H
#define HEDDLE_CC_THIN_H

#include "base/err.h"
#include "binary/image.h"

struct thin_report {
	size_t callbacks; /* calls of branch callbacks */
	size_t removed;	  /* those that were removed */
};

/*
 * Remove redundant callbacks from the bytes of a linked file (img must view the same bytes).  The
 * caller writes them back.  Must run before late_patch(), which counts hooks.  Errors:
 * ERR_INTERNAL.
 */
int thin_callbacks(const struct image *img, unsigned char *bytes, struct thin_report *report,
		   struct err *err);

#endif
