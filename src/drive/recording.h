/* SPDX-License-Identifier: Apache-2.0 */
/* Recording runs: how a run is recorded, and a run that is recorded for the tool itself. */
#ifndef HEDDLE_DRIVE_RECORDING_H
#define HEDDLE_DRIVE_RECORDING_H

#include <signal.h>

#include "drive/observer.h"
#include "drive/target.h"

#define RECORDING_STEPS 100000000 /* limit of hooks in a run for the tool itself */

enum { RECORDING_RANDOM, RECORDING_PCT, RECORDING_ROUNDROBIN };
enum { ACCESSES_CHUNKS, ACCESSES_RECORDS, ACCESSES_SHARED };
extern const char *const recording_schedules[], *const recording_accesses[],
							*const recording_branches[];

struct recording {
	uint64_t seed;
	int schedule;
	uint64_t preempt; /* 0: the default */
	uint64_t length;  /* of the run, for pct; 0: not known */
	uint64_t steps;
	int accesses, branches;
	int memory, heap; /* enum wire_memory, wire_heap */
};

/* What a recording says about a run of the program with these arguments. */
void recording_configure(const struct recording *r, const struct target *p, char *const *argv,
			 struct run_options *run);
/* What stands in front of the trace. */
void recording_write_facts(struct trace_writer *w, const struct recording *r,
			   const struct run_options *run, const struct target *p);

/* A run that the user does not see. */
struct record_request {
	char *const *argv;
	uint64_t seed;
	uint64_t nanoseconds; /* that it may take; 0: no limit */
	uint64_t steps;	      /* hooks that it may pass */
	const sigset_t *mask; /* signal mask of the program */
};

/*
 * Record one run.  What the program prints is discarded; its standard input is a file from its
 * present offset on, or empty.  A run that ends early is a trace, too; *is_interrupted if the
 * user ended it.  Errors: those of target_find and observer_run, and ERR_SUPPORT if the program
 * cannot be controlled.
 */
int record_run(const struct record_request *q, const char *trace, bool *is_interrupted,
	       struct err *err);

#endif
