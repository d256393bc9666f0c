/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The link step.  It links objects, libraries and the runtime, and post-processes the result
 * (inspect.h).
 */
#ifndef HEDDLE_CC_LINK_H
#define HEDDLE_CC_LINK_H

#include <stdbool.h>

#include "cc/args.h"
#include "cc/compiler.h"

struct link_step {
	const struct compiler *compiler;
	const struct cc_args *args;
	/* the user's command without compiler, sources replaced by objects */
	const struct words *words;
	const char *temporary; /* directory for files of the step */
	bool has_runtime;      /* an ordinary executable */
	struct buf *notes;
};

/* *status is the compiler's.  Errors: ERR_IO, ERR_SUPPORT (no runtime), ERR_FORMAT. */
int link_run(const struct link_step *step, int *status, struct err *err);

#endif
