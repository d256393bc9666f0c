/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Late stores.  A write hook is called before its store.  The runtime assumes that the store has
 * happened when the thread reaches its next hook.  gcc breaks this for aggregate copies: write
 * hook, read hook, then the copy.  After linking, such call sites are found in the machine code
 * and redirected to the late form of the hook.  The late form means that the store comes after
 * one more hook:
 *
 *     __tsan_write8 -> __heddle_late_write8, __tsan_write_range -> __heddle_late_write_range, and
 *     so on.
 */
#ifndef HEDDLE_CC_LATE_H
#define HEDDLE_CC_LATE_H

#include "base/buf.h"
#include "base/err.h"
#include "binary/image.h"

struct late_report {
	size_t write_hooks;  /* calls of write hooks that were examined */
	size_t patched;	     /* late ones, redirected to the late form */
	size_t unproved;     /* not patched, because neither order was proved */
	size_t too_late;     /* more than one hook between the write hook and its store */
	struct buf warnings; /* one line for each store that is too late */
};

/*
 * Find and patch the late sites of a linked file in its bytes (img must view the same bytes).
 * The caller writes them back.  Errors: ERR_FORMAT if the file has late sites but not the late
 * hooks.
 */
int late_patch(const struct image *img, unsigned char *bytes, struct late_report *report,
	       struct err *err);
void late_report_release(struct late_report *report);

#endif
