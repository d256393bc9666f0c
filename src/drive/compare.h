/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a run repeats a reference: a trace, event by event, or a witness, segment by segment.
 * Both are judges of an observer: the first difference ends the run with ERR_DIVERGED and a
 * sentence that describes both sides in source terms.
 */
#ifndef HEDDLE_DRIVE_COMPARE_H
#define HEDDLE_DRIVE_COMPARE_H

#include "base/err.h"
#include "drive/observer.h"
#include "trace/trace.h"
#include "trace/witness.h"

struct compare {
	struct observer *run;
	struct trace_reader *trace;    /* NULL: compare with the witness */
	const struct witness *witness; /* of the reference; always there */
	loc_id locations_checked;      /* locations and stacks up to these are equal */
	stack_id stacks_checked;
	bool is_at_end; /* the reference has no more events */
	/* the trace has only what this keeps; NULL: it has everything */
	struct sparse *sparse;
	/* the run's accesses are in another form than the witness's: counts must do */
	bool ignores_hashes;
};

/* The trace was made by a sparse recording: the run must make the same one.  Differences show
 * late, with the group. */
void compare_only_shared(struct compare *c);
void compare_release(struct compare *c);
/* An observer_judge; arg is a struct compare. */
int compare_event(void *arg, const struct event *e, struct err *err);
/* After the run: whether the reference continues.  Not to be asked when the run was stopped on
 * purpose. */
int compare_end(struct compare *c, struct err *err);
/* Why the runtime could not follow the schedule. */
int compare_explain(const struct compare *c, const struct run_result *r, struct err *err);

#endif
