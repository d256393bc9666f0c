/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `--bitcode`: an object carries clang's bitcode of its source in a section, and a linked program
 * carries those of all its objects, because linkers append sections of one name.
 *
 * The compiler of the bitcode is the user's own if that is clang, otherwise HEDDLE_CLANG, clang-19
 * or clang.  It gets the same command line, without what it does not know.
 */
#ifndef HEDDLE_CC_BITCODE_H
#define HEDDLE_CC_BITCODE_H

#include "base/buf.h"
#include "cc/args.h"
#include "cc/compiler.h"

/*
 * Add the bitcode of a source to its object.  If clang cannot compile the source, a note says so,
 * and the object stays as it is.  Errors: ERR_SUPPORT (no clang, no heddle-bitcode), ERR_IO.
 */
int bitcode_add(const struct compiler *c, const struct cc_args *a, const struct cc_word *source,
		const char *object, struct buf *notes, struct err *err);
/* The same for all sources of a command with -c. */
int bitcode_add_all(const struct compiler *c, const struct cc_args *a, struct buf *notes,
		    struct err *err);

#endif
