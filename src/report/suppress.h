/* SPDX-License-Identifier: Apache-2.0 */
/* Findings that the user does not want to see, in the syntax of ThreadSanitizer. */
#ifndef HEDDLE_REPORT_SUPPRESS_H
#define HEDDLE_REPORT_SUPPRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct suppression {
	char *kind;    /* "race", "deadlock", ...; as TSan calls them */
	char *pattern; /* with * for anything, ^ and $ for the ends */
	uint64_t count;
};

struct suppressions {
	VEC(struct suppression) list;
};

/* Errors: ERR_IO, ERR_FORMAT (which line). */
int suppressions_read(struct suppressions *all, const char *path, struct err *err);
/* The same from memory; errors call it by this name. */
int suppressions_parse(struct suppressions *all, const char *name, const char *text,
		       struct err *err);
void suppressions_release(struct suppressions *all);
bool suppression_matches(const char *pattern, const char *text);

#endif
