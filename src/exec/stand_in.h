/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that was started without the tool has become the tool (HEDDLE_OPTIONS, wire/run.h).
 * Its process, which a parent waits for, must end as the program ends and when it ends, although
 * the tool may still watch a daemon.  So the process only stands in for the program, and the tool
 * is a child of it.
 */
#ifndef HEDDLE_STAND_IN_H
#define HEDDLE_STAND_IN_H

#include "base/err.h"

/* How the program ends. */
struct stand_in_end {
	int status; /* its exit status */
	int signal; /* that has killed it, 0: none */
};

/*
 * Returns in the child, with a descriptor for stand_in_end(), or with an error.  The calling
 * process passes signals on, and ends with the status that stand_in_end() gives.
 */
int stand_in_begin(struct err *err);
void stand_in_end(int fd, const struct stand_in_end *end);

#endif
