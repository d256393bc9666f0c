/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler driver: does with a command line what the real compiler would do, with hooks compiled in and
 * the runtime linked.  The real compiler talks to the user directly; what the driver itself has to say is
 * collected.
 */
#ifndef HEDDLE_CC_DRIVER_H
#define HEDDLE_CC_DRIVER_H

#include "base/buf.h"
#include "base/err.h"
#include "cc/compiler.h"

struct cc_outcome {
	int status;		/* exit status of the step that decided */
	struct buf notes;	/* lines for standard error, without the command's name; may be empty */
};

/*
 * argv[0] is ignored.  Errors (0 is returned when the compiler ran, whatever its status): ERR_USAGE for a
 * combination that heddle refuses, ERR_IO, ERR_SUPPORT.  Release outcome->notes in any case.
 */
int cc_drive(enum compiler_driver driver, int argc, char **argv, struct cc_outcome *outcome, struct err *err);

#endif
