/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branch callbacks that tell nothing.  The compilers put one into every piece of straight code.  What the
 * runtime makes of them (a bit on the next event: a decision came before it; the path of the thread; a place
 * to interrupt a loop without accesses) needs fewer.  After linking, calls that others make up for are
 * replaced by instructions that do nothing.
 */
#ifndef HEDDLE_CC_THIN_H
#define HEDDLE_CC_THIN_H

#include "base/err.h"
#include "binary/image.h"

struct thin_report {
	size_t callbacks;	/* calls of branch callbacks that were found */
	size_t removed;		/* of them */
};

/*
 * Remove them from a linked file in its bytes (img must view the same bytes).  The caller writes them back.
 * To be done before late stores are looked for, since hooks are counted there.  Errors: ERR_INTERNAL.
 */
int thin_callbacks(const struct image *img, unsigned char *bytes, struct thin_report *report,
		   struct err *err);

#endif
