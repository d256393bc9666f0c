/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The link step: objects, libraries and the runtime to a program, then what has to be done to the result:
 * late stores are patched, imports are compared with the list of known functions, uninstrumented objects
 * are named.
 */
#ifndef HEDDLE_CC_LINK_H
#define HEDDLE_CC_LINK_H

#include <stdbool.h>

#include "cc/args.h"
#include "cc/compiler.h"

struct link_step {
	const struct compiler *compiler;
	const struct cc_args *args;
	const struct words *words;	/* the user's command without compiler, sources replaced by objects */
	const char *temporary;		/* directory for files of the step */
	bool has_runtime;		/* an ordinary executable */
	struct buf *notes;
};

/* *status is the compiler's.  Errors: ERR_IO, ERR_SUPPORT (no runtime), ERR_FORMAT. */
int link_run(const struct link_step *step, int *status, struct err *err);

#endif
