/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings of `heddle run`: messages of the running program (wire/run.h) made into findings with
 * places.  The same pair of places is kept once, with a count, whichever process it came from.
 */
#ifndef HEDDLE_ONLINE_H
#define HEDDLE_ONLINE_H

#include <limits.h>

#include "base/err.h"
#include "report/finding.h"
#include "report/names.h"
#include "report/suppress.h"

struct online {
	struct trace_tables tables;
	struct names names;
	struct findings findings;
	struct map locations; /* hash of path and offset -> location */
	struct map known;     /* hash of kind and places -> finding */
	struct suppressions suppressions;
	uint64_t suppressed;	/* messages that they left out */
	char program[PATH_MAX]; /* the command's file; findings of others say so */
};

void online_init(struct online *o, const char *program);
void online_release(struct online *o);
/* A message that begins with "found"; true if it made a new finding, which is then the last one
 * of the list. */
bool online_add(struct online *o, const char *text, size_t len);

#endif
