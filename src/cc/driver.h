/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler driver: executes a compiler command line with hooks compiled in and the runtime
 * linked.  The compiler prints its messages directly.  Messages of the driver itself are
 * collected in the outcome.
 */
#ifndef HEDDLE_CC_DRIVER_H
#define HEDDLE_CC_DRIVER_H

#include "base/buf.h"
#include "base/err.h"
#include "cc/compiler.h"

struct cc_outcome {
	int status; /* exit status of the first step that failed; 0 if none did */
	/* lines for standard error, without the command's name; may be empty */
	struct buf notes;
};

/*
 * argv[0] is ignored.  Errors (0 is returned when the compiler ran, whatever its status):
 * ERR_USAGE for a combination that heddle refuses, ERR_IO, ERR_SUPPORT.  Release outcome->notes
 * in any case.
 */
int cc_drive(enum compiler_driver driver, int argc, char **argv, struct cc_outcome *outcome,
	     struct err *err);

#endif
