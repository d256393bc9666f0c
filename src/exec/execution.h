/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One execution of a program under test as an explorer sees it: the plan that it is to follow, and what
 * came of it.  The words are those of wire/explore.h.  Whoever runs executions (worker.h: a real process)
 * is called by the form below, so that an explorer can be tested without one.
 */
#ifndef HEDDLE_EXECUTION_H
#define HEDDLE_EXECUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "wire/explore.h"

struct plan {
	/* followed one after the other, then the threads run freely */
	const struct wire_turn *turns;
	size_t turns_count;
	const uint32_t *choices;		/* then 0 */
	size_t choices_count;
	const struct wire_sleeper *sleepers;	/* at the beginning of freedom */
	size_t sleepers_count;
	const struct wire_op *sleeper_ops;	/* what first and count of the sleepers mean */
	size_t sleeper_ops_count;
	enum explore_freedom freedom;		/* how they do; by lot: */
	uint64_t seed, changes, length;
	bool spins;				/* threads that spin are not held back */
};

struct execution {
	/* valid until the next execution; bounds of what follows an op are checked */
	const struct wire_op *ops;
	size_t ops_count;
	uint64_t hash;			/* of all ops */
	enum explore_end end;
	int exit_status;		/* EXPLORE_EXIT */
	uint32_t failure;		/* EXPLORE_FAILURE: the one that ended it, a number of failure.def */
	uint64_t failure_object, failure_detail;
	uint64_t diverged_turn;		/* EXPLORE_DIVERGED */
	uint64_t hooks;			/* of all threads together */
	bool has_outside_writes;	/* something changed memory out of our sight: there is an op for it */
	bool is_unstable;		/* made again by the same plan it was another one */
	bool is_cut;			/* EXPLORE_GONE: because the search was to end; it was not made */
	enum explore_restart restart_used;
	bool is_round_cut;		/* a thread was not let make further rounds of a loop */
	size_t polls_count;		/* loops that poll and are not recognised: */
	struct wire_poll polls[WIRE_POLLS];
	const char *text; /* EXPLORE_UNSUPPORTED, EXPLORE_GONE: why; otherwise a remark, or "" */
};

/* Errors: the program cannot be started, or the system has no resources.  Everything else is an end. */
typedef int execution_run(void *program, const struct plan *plan, struct execution *out, struct err *err);

#endif
