/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs compared one by one: what the reference says against real runs, recordings and `heddle
 * check`, and what is printed about a difference.
 */
#ifndef CHECK_JUDGE_H
#define CHECK_JUDGE_H

#include "drive.h"

struct item {
	struct prog prog;
	char name[200];
	char *text; /* NULL: from a seed */
};

struct judge {
	struct target target;
	/* a directory for programs that show a difference; NULL: they are not kept */
	const char *keep_in;
	/* words: what a program must not use to be compared with heddle check; NULL: anything */
	const char *left_out;
	unsigned runs, programs, skipped, bad;
	enum model model;
	/* heddle check */
	const char *const *options;
	uint64_t limit; /* of executions for one program; 0: none */
	/* programs that have more: of those only what was found is compared */
	unsigned too_large;
	unsigned group;	   /* so many are searched by one run */
	unsigned spinning; /* but not those that spin at so many places; 0: all of them */
	unsigned waiting;  /* for their group to be complete */
	struct item *members;
	unsigned numbers[PROGRAMS_MAX];
	uint64_t outcomes, executions;
};

/* The end of the process: this cannot be judged. */
void die(const char *what, const char *about);

/* waits of each thread on condition variables that may end without a cause */
extern unsigned spurious_wakeups;
/* All outcomes by the reference. */
struct outcomes all_outcomes(const struct item *it, enum model model);
bool is_subset(const struct outcomes *a, const struct outcomes *b);
void differ(struct judge *j, const struct item *it, const char *what,
	    const struct outcomes *by_reference, const struct outcomes *by_other);
/* One line about all; the exit status. */
int sum_up(const struct judge *j, const char *what);

/* Each is called for every program, with its number in the executable, and the judge. */
void judge_native(const struct item *it, unsigned number, void *judge);
void judge_record(const struct item *it, unsigned number, void *judge);
void judge_check(const struct item *it, unsigned number, void *judge);
/* After the last program. */
void judge_check_rest(struct judge *j);

#endif
