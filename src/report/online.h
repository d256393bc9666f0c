/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings of `heddle run`: messages of the running program (wire/run.h) made into findings with
 * places.  The same pair of places is kept once, with a count, whichever process it came from.
 */
#ifndef HEDDLE_ONLINE_H
#define HEDDLE_ONLINE_H

#include "base/err.h"
#include "report/finding.h"
#include "report/names.h"

struct suppression {
	char *kind;    /* "race", "deadlock", ...; as TSan calls them */
	char *pattern; /* with * for anything, ^ and $ for the ends */
	uint64_t count;
};

struct online {
	struct trace_tables tables;
	struct names names;
	struct findings findings;
	struct map locations; /* hash of path and offset -> location */
	struct map known;     /* hash of kind and places -> finding */
	VEC(struct suppression) suppressions;
	uint64_t suppressed;
};

void online_init(struct online *o, const char *program);
void online_release(struct online *o);
/* Suppressions in TSan's syntax.  Errors: ERR_IO, ERR_FORMAT (which line). */
int online_suppress(struct online *o, const char *path, struct err *err);
/* The same from memory; errors call it by this name. */
int online_suppress_text(struct online *o, const char *name, const char *text, struct err *err);
/* A message that begins with "found"; true if it made a new finding, which is then the last one
 * of the list. */
bool online_add(struct online *o, const char *text, size_t len);

#endif
