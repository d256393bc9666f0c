/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The progress of a search.  The number of schedules is not known before the end: a reduction
 * discovers most of them on the way.  After each execution the known part of the tree gives an
 * estimate (Knuth's), which is too low while new branches are discovered.  So a total is printed
 * only if the estimate has not changed while the number of schedules grew by a factor of four,
 * and then as a range.
 */
#ifndef HEDDLE_CHECK_PROGRESS_H
#define HEDDLE_CHECK_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* The zero state is the beginning. */
struct check_progress {
	uint64_t made; /* schedules at the last estimate that was kept */
	/* the last estimates, each at twice as many schedules as the one before */
	double totals[3];
	uint64_t shown; /* the count that was printed last */
};

/* Note an estimate: so many schedules were made, which are this part (0 to 1; 0: unknown) of all.
 */
void check_progress_note(struct check_progress *p, uint64_t made, double part);
/* The estimated range of the number of schedules; false: it is unknown. */
bool check_progress_total(const struct check_progress *p, uint64_t made, double *low, double *high);
/* "1,234 schedules, 56/s, 2,000 to 3,100 in all, 14 to 34 s left". */
void check_progress_text(struct check_progress *p, uint64_t made, double seconds, double part,
			 struct buf *out);

/* 1,234 */
void check_add_count(struct buf *out, uint64_t n);

#endif
