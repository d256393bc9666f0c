/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One replay: the schedule of a reference is forced, and every event is compared.
 *
 * The run is asked to stop before the first event that the reference does not have.  Whether a
 * program that could continue there has diverged depends on how the reference ends.  If it ends
 * with the end of the process or a failure, the program has diverged.  A recording that was
 * interrupted or cut off may end anywhere.
 */
#ifndef HEDDLE_DRIVE_REPLAY_H
#define HEDDLE_DRIVE_REPLAY_H

#include "drive/compare.h"
#include "drive/reference.h"
#include "report/race.h"

struct replay {
	const struct reference *reference;
	struct observer observer; /* its findings are confirmed ones */
	struct run_options run;	  /* may be changed before it runs */
	struct run_result result;

	/* Private. */
	struct compare compare;
	struct race_side first, second; /* of the race that the witness is of */
	struct witness_schedule schedule;
	uint64_t until;
};

/* Prepare a replay that stops before event `until` at the latest.  Release it whatever the result
 * is.  Errors: ERR_IO. */
int replay_prepare(struct replay *r, struct reference *ref, const struct target *p,
		   char *const *argv, uint64_t until, struct err *err);
/* The tool controls the run through a debugger, which sees every access at once. */
void replay_use_debugger(struct replay *r, const struct debugger_config *debugger);
/*
 * Run it, and write its trace unless `output` is NULL.  A run that differs from the reference has
 * result.end RUN_DIVERGED and a text that explains the first difference.  Errors: those of
 * observer_run and of reading the reference.
 */
int replay_run(struct replay *r, const char *output, struct err *err);
void replay_release(struct replay *r);

#endif
