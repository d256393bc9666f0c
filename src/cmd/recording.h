/* SPDX-License-Identifier: Apache-2.0 */
/* How a run is recorded, shared by the commands that record. */
#ifndef HEDDLE_CMD_RECORDING_H
#define HEDDLE_CMD_RECORDING_H

#include "cmd/execution.h"

#define RECORDING_STEPS 100000000	/* limit of hooks, unless the user says otherwise */

enum { ACCESSES_CHUNKS, ACCESSES_RECORDS, ACCESSES_SHARED };
extern const char *const recording_schedules[], *const recording_accesses[], *const recording_branches[];

struct recording {
	uint64_t seed;
	int schedule;
	uint64_t preempt;	/* 0: the default */
	uint64_t steps;
	int accesses, branches;
	int memory, heap;	/* enum wire_memory, wire_heap */
};

/* What a recording says about a run of the program with these arguments. */
void recording_configure(const struct recording *r, const struct execution_program *p, char *const *argv,
			 struct run_options *run);
/* What stands in front of the trace. */
void recording_write_facts(struct trace_writer *w, const struct recording *r, const struct run_options *run,
			   const struct execution_program *p);

#endif
