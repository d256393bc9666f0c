/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One execution of a program under test from the explorer's point of view: the plan to follow,
 * and the result.  The terms are those of wire/explore.h.  Executions are run through the
 * function type below (worker.h runs a real process), so that an explorer can be tested without a
 * process.
 */
#ifndef HEDDLE_EXECUTION_H
#define HEDDLE_EXECUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "wire/explore.h"

struct plan {
	/* followed in order; then the threads run freely */
	const struct wire_turn *turns;
	size_t turns_count;
	const uint32_t *choices; /* later choices are 0 */
	size_t choices_count;
	/* the sleep set at the beginning of the free run */
	const struct wire_sleeper *sleepers;
	size_t sleepers_count;
	const struct wire_op *sleeper_ops; /* first and count of the sleepers refer to it */
	size_t sleeper_ops_count;
	enum free_run_kind free_run;	/* how threads are scheduled in the free run */
	uint64_t seed, changes, length; /* parameters of random schedules */
	uint64_t most_hooks; /* it is cut after so many, as by the limit of steps; 0: not before */
	bool keeps_rounds;   /* as in struct wire_explore */
	bool spins;	     /* spinning threads are not suspended */
};

struct execution {
	/* valid until the next execution; the bounds of data after an op are checked */
	const struct wire_op *ops;
	size_t ops_count;
	uint64_t hash; /* of all ops */
	enum explore_end end;
	int exit_status; /* EXPLORE_EXIT */
	/* EXPLORE_FAILURE: the one that ended it, a number of finding.def */
	uint32_t failure;
	uint64_t failure_object, failure_detail;
	uint64_t diverged_turn; /* EXPLORE_DIVERGED */
	uint64_t hooks;		/* of all threads together */
	/* code without hooks changed memory; there is an op for it */
	bool has_outside_writes;
	bool is_unstable; /* a repetition of the same plan gave another execution */
	bool is_cut;	  /* EXPLORE_GONE: not completed, because the search was stopped */
	enum explore_restart restart_used;
	bool is_round_cut;  /* a thread was stopped at the limit of rounds of a loop */
	size_t polls_count; /* polling loops that are not recognised */
	struct wire_poll polls[WIRE_POLLS];
	size_t loop_hooks_count;
	struct wire_loop_hook loop_hooks[WIRE_LOOP_HOOKS];
	/* EXPLORE_UNSUPPORTED, EXPLORE_GONE: why; otherwise a remark, or "" */
	const char *text;
};

/* Errors: the program cannot be started, or the system lacks resources.  Everything else is a
 * result. */
typedef int execution_run(void *program, const struct plan *plan, struct execution *out,
			  struct err *err);

#endif
