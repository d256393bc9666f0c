/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of compiled programs: by themselves, recorded, and checked; each gives outcomes as the
 * reference has them.
 */
#ifndef CHECK_DRIVE_H
#define CHECK_DRIVE_H

#include "search.h"

/* What is run: program `number` of the executable. */
struct target {
	const char *tool; /* heddle */
	const char *program;
	unsigned number;
};

/* All: false with a sentence in `why` if there is no outcome. */
bool drive_native(const struct target *t, struct outcome *x, char why[300]);
/* The exit status is not told by a recording: 0. */
bool drive_record(const struct target *t, const char *model, unsigned seed, struct outcome *x,
		  char why[300]);
#define PROGRAMS_MAX 32 /* by one search */

/* What a search found. */
struct checked {
	struct outcomes *sets;	     /* one for each program */
	uint64_t made[PROGRAMS_MAX]; /* executions of each that led to an outcome */
	bool is_complete;
	bool is_limited; /* not complete, because of a limit of executions */
	uint64_t executions;
	char why[300]; /* why there is no result, or it is not complete */
};
/* These programs of the executable by one search.  `options`: further arguments, ended by NULL. */
bool drive_check(const struct target *t, const unsigned *numbers, unsigned count,
		 const char *const *options, struct checked *c);
/* The status of a command, -1 if it could not be run or took too long. */
int drive_command(const char *const *argv, unsigned seconds);

#endif
