/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes below this one.  It should be their reaper (PR_SET_CHILD_SUBREAPER), so that a
 * process whose parent has ended stays below it.
 */
#ifndef HEDDLE_DESCENDANTS_H
#define HEDDLE_DESCENDANTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/vec.h"

struct descendant {
	pid_t pid;
	bool is_watched; /* it has the runtime of `heddle run`, and shadow memory */
	char name[32];
};

struct descendants {
	VEC(struct descendant) list;
};

/* All that are alive now; the list is made anew. */
void descendants_find(struct descendants *d);
void descendants_release(struct descendants *d);
/* Sends a signal to each, only to watched ones if `is_for_watched`. */
void descendants_signal(const struct descendants *d, int number, bool is_for_watched);

#endif
