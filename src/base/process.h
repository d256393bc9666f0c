/* SPDX-License-Identifier: Apache-2.0 */
/* Run another program and wait for it. */
#ifndef HEDDLE_BASE_PROCESS_H
#define HEDDLE_BASE_PROCESS_H

#include <signal.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/words.h"

enum process_streams {
	PROCESS_INHERIT, /* the program uses heddle's streams */
	PROCESS_CAPTURE, /* stdout and stderr go to a buffer; stdin is empty */
};

/*
 * Block SIGINT, SIGTERM and SIGHUP and return the set of them; *before becomes the mask to
 * restore.  While they are blocked, process_run() forwards them to the program that it runs,
 * including signals that are already pending.
 */
sigset_t process_block_signals(sigset_t *before);

/*
 * Run argv (argv->list.at[0] is searched in PATH) and wait.  *status becomes its exit status, or
 * 128 plus the number of the signal that ended it.  Errors: ERR_IO when it cannot be started.
 */
int process_run(const struct words *argv, enum process_streams streams, struct buf *captured,
		int *status, struct err *err);

#endif
