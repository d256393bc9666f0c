/* SPDX-License-Identifier: Apache-2.0 */
/* What heddle does not see of a program's own code, as assumptions of a verdict. */
#ifndef HEDDLE_CHECK_UNSEEN_H
#define HEDDLE_CHECK_UNSEEN_H

#include "binary/unseen.h"
#include "report/report.h"

/* no-sanitize:FUNCTION, asm:FILE:LINE, compiled:LEVEL, for the program at `path`. */
void unseen_add_assumptions(const struct unseen *u, const char *path, struct report_summary *s);

#endif
