/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exploring a program: executions are made one after the other as a strategy plans them, and what they showed is kept: how
 * many there were, distinct failures and outcomes with a schedule for each, and what keeps the search from being complete.
 *
 * A strategy is one constant struct that answers one question: given the execution just observed, which plan is next?
 */
#ifndef HEDDLE_EXPLORE_H
#define HEDDLE_EXPLORE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "exec/execution.h"
#include "explore/races.h"
#include "explore/schedule.h"

struct explore_config;
struct explore_result;

struct strategy {
	const char *name;
	bool is_exhaustive;	/* no plan left means that everything has been explored */
	void *(*new)(const struct explore_config *c);
	void (*end)(void *state);
	const struct plan *(*plan)(void *state);	/* NULL: there is none left */
	int (*take)(void *state, const struct execution *x, bool *is_redundant, struct err *err);
	uint64_t (*failed_plans)(const void *state);	/* that the program did not follow: the search has gaps */
	double (*progress)(const void *state);		/* estimated part of the space that is behind, 0 to 1; NULL: unknown */
	void (*sum_up)(const void *state, struct explore_result *r);	/* at the end; NULL: there is nothing to add */
	bool (*expects_divergence)(const void *state);	/* of the execution just taken: it was a test; NULL: never */
};

extern const struct strategy strategy_deepening, strategy_dpor, strategy_dfs, strategy_mcr;
/* The strategy of that name; NULL: there is none. */
const struct strategy *strategy_find(const char *name);

/* What the user could see of an execution. */
struct outcome {
	struct buf output, errors;	/* bytes written to descriptors 1 and 2 */
	enum explore_end end;		/* EXPLORE_EXIT or EXPLORE_FAILURE */
	int exit_status;
	uint32_t failure;
	uint64_t failure_detail;	/* the signal, of a crash */
	uint64_t executions;
	struct schedule schedule;
};

struct explore_failure {
	uint32_t failure;
	uint64_t pc, executions;
	struct schedule schedule;
};

/* Why a search that found an end does not mean that all schedules were seen. */
struct explore_gaps {
	uint64_t step_limit, lost, diverged, full, outside_writes, open_choices;
	char text[512];		/* of the first that was lost or unsupported */
	bool is_unsupported;
};

struct explore_config {
	const struct strategy *strategy;
	execution_run *run;
	void *program;
	uint64_t max_executions;	/* 0: no limit */
	uint64_t max_seconds;
	uint64_t max_preemptions;	/* UINT64_MAX: no limit */
	bool goes_on;			/* after a failure */
	bool keeps_outcomes;
	bool finds_races;
	const volatile sig_atomic_t *stop;
	void (*tell_progress)(void *arg, const struct explore_result *r);	/* now and then; NULL: nobody wants to know */
	void *tell_arg;
};

/* A state space of iterative deepening: threads change at synchronisation, and in front of `races` instructions. */
struct explore_space {
	size_t races;
	uint64_t executions, redundant;
	bool is_complete;
};

enum explore_stop { STOP_DONE, STOP_FOUND, STOP_EXECUTIONS, STOP_SECONDS, STOP_INTERRUPTED, STOP_UNSUPPORTED,
		    STOP_DIVERGED };

struct explore_result {
	enum explore_stop stop;
	uint64_t executions, redundant, dropped;	/* dropped: an assumption did not hold */
	uint64_t bounded;				/* plans beyond max_preemptions */
	double seconds, progress;
	VEC(struct explore_failure) failures;
	VEC(struct outcome) outcomes;
	struct races races;
	struct explore_gaps gaps;
	VEC(struct explore_space) spaces;		/* deepening: in the order in which they were begun */
	size_t races_both_orders, races_one_order;	/* deepening: candidates that were reversed, and those that were not */
	bool is_partial;				/* deepening: some spaces were left out */

	/* Private. */
	struct map outcome_of, failure_of;
};

/* Errors: those of running a program, and ERR_FORMAT. */
int explore(const struct explore_config *c, struct explore_result *r, struct err *err);
void explore_result_release(struct explore_result *r);
/* Whether all schedules were explored. */
bool explore_is_complete(const struct explore_config *c, const struct explore_result *r);

/*
 * Look for a schedule with the same failure and fewer preemptions: a beginning of the schedule, followed freely, and then
 * without single turns.  At most `tries` executions are made.
 */
int explore_shorten(const struct explore_config *c, const struct explore_failure *f, struct schedule *s, uint64_t tries,
		    struct err *err);

#endif
