/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data races as findings.  An execution shows a race by two of its events: both are taken when
 * they come, with the locks that their threads hold then.  All races on one object (a variable,
 * or the heap blocks of one allocation site) are one finding: its places are those of the first
 * pair, and further pairs are listed.
 */
#ifndef HEDDLE_REPORT_RACE_H
#define HEDDLE_REPORT_RACE_H

#include "report/finding.h"

/* One access, as it comes. */
struct race_side {
	struct event event;
	VEC(struct scene_lock) held;
	bool is_taken;
};

/* The scene has followed the run up to the event, without it. */
void race_side_take(struct race_side *s, const struct event *e, const struct scene *scene);
void race_side_release(struct race_side *s);

/* The finding of a pair, with it as its only pair; the scene stands before the second access. */
struct finding finding_of_race(const struct race_side *first, const struct race_side *second,
			       const struct scene *scene, struct names *names);

/* The object whose races are one finding: "table", "heap[a.c:12]". */
void race_object(struct names *names, uint64_t address, struct buf *out);

/* A side of a pair whose place is known; strings are new. */
struct finding_side race_side_of(struct names *names, const struct event *e);
struct finding_side race_side_at(struct names *names, const struct location *l, thr_id thread,
				 unsigned kind);
/* List a pair unless one of the same places is listed; takes its strings. */
void finding_add_pair(struct finding *f, struct finding_pair *pair);

#endif
