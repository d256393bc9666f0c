/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exploration of a program: one or several workers run executions that a strategy plans.  The
 * result has the number of executions, distinct failures and outcomes with a schedule for each,
 * and what prevents the search from being complete.  From time to time all of it is saved
 * (ledger.h), so that the search can be continued.
 *
 * A strategy is one constant struct (strategies.def) that answers one question: given the
 * execution just observed, which plan is next?
 *
 *   plan    gives a worker its next plan.  A worker that gets NULL is idle, and the search is
 *           over if *is_over is set.  Otherwise it asks again after wake() of the configuration,
 *           which a strategy calls when it has work for idle workers, or the search is over.
 *           Until the worker's execution is taken, further calls for it give the same plan.
 *   take    analyses the execution of that worker's plan.  If the search is to end meanwhile, the
 *           analysis may be cancelled (cancellation.h): the plan counts as not run.
 *   save    writes the state of the search; plans that were not taken count as not run.
 *   load    reads it into a new state, for any number of workers.
 *
 * plan and take are called by several threads at a time, but not for the same worker, and a
 * strategy locks what its workers share (worktree.h does it for dpor and mcr).  All other functions
 * are called while no worker is in plan or take.
 */
#ifndef HEDDLE_EXPLORE_H
#define HEDDLE_EXPLORE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "exec/execution.h"
#include "explore/mcr/depends.h"
#include "explore/execution/idle.h"
#include "explore/cancellation.h"
#include "explore/execution/races.h"
#include "explore/schedule.h"

struct explore_config;
struct explore_result;

/* What a strategy says about an execution that it took. */
struct taken {
	bool is_redundant; /* another execution shows everything that follows from it */
	/* it had more preemptions than are wanted: what follows from it is not explored */
	bool is_bounded;
	/* besides a systematic search: counted separately, and proves nothing */
	bool is_drawn;
	/* the plan was to find out whether the program follows it: if it does not, that is no gap
	 */
	bool was_test;
	uint64_t failed_plans; /* that the program did not follow: the search has gaps */
	/* its analysis was cancelled: its plan counts as not run */
	bool is_given_up;
};

struct strategy {
	bool knows_loops; /* it takes rounds that were taken back (rt/await_loop.c) */
	bool is_exhaustive; /* no plan left means that everything has been explored */
	/* plans with a random free run come on top of what is planned, and of max_executions */
	bool draws_besides;
	void *(*new)(const struct explore_config *c); /* which stays where it is */
	void (*end)(void *state);
	const struct plan *(*plan)(void *state, unsigned worker, bool *is_over);
	int (*take)(void *state, unsigned worker, const struct execution *x, struct taken *t,
		    struct err *err);
	/* an execution that another strategy planned; NULL: it has no use for those */
	void (*observe)(void *state, unsigned worker, const struct execution *x, struct taken *t);
	/* estimated part of the space that is behind, 0 to 1; NULL: unknown */
	double (*progress)(void *state);
	/* at the end; NULL: there is nothing to add */
	void (*sum_up)(const void *state, struct explore_result *r);
	void (*save)(const void *state, struct buf *out); /* NULL: it cannot be continued */
	int (*load)(void *state, struct bytes *in, struct err *err); /* ERR_FORMAT */
};

#define STRATEGY(object, word, help) extern const struct strategy strategy_##object;
#include "explore/strategies.def"
#undef STRATEGY
/* The words of --strategy, NULL at the end, and a text about all of them. */
extern const char *const strategy_words[];
extern const char strategy_help[];
/* The strategy of the word with that number, and the word of a strategy. */
const struct strategy *strategy_at(size_t word);
const char *strategy_word(const struct strategy *s);

/* What the user could see of an execution. */
struct outcome {
	struct buf output, errors; /* bytes written to descriptors 1 and 2 */
	enum explore_end end;	   /* EXPLORE_EXIT or EXPLORE_FAILURE */
	int exit_status;
	uint32_t failure;
	uint64_t failure_detail; /* the signal, of a crash */
	uint64_t executions, drawn;
	uint64_t key; /* outcomes with the same one are one */
	struct schedule schedule;
};

struct explore_failure {
	uint32_t failure;
	uint64_t pc;
	uint64_t executions, drawn; /* that showed it; those that were drawn */
	uint64_t signals, cancels;  /* of wire_divided when it was found */
	/* so many copies were divided when it was found: the first ones; and the age of loops that
	 * were known then (wire_loop.age) */
	uint64_t divided, loops;
	struct schedule schedule;
};

/* How often something was found, as a number to compare with that of schedules: of the systematic
 * search, unless only drawn executions showed it. */
static inline uint64_t explore_times_found(uint64_t executions, uint64_t drawn)
{
	return executions > drawn ? executions - drawn : drawn;
}

/* Why a search that found an end does not mean that all schedules were seen. */
struct explore_gaps {
	uint64_t step_limit, thread_limit, lost, diverged, failed_plans, full, outside_writes,
		open_choices;
	uint64_t unstable, round_limit;
	/* steps: their thread may be cancelled at any time from then on */
	uint64_t asynchronous;
	uint64_t interruptible; /* steps: a handler might have interrupted them otherwise */
	char text[512];		/* of the first that was lost or unsupported */
	bool is_unsupported;
};

struct explore_config {
	const struct strategy *strategy;
	const struct strategy *systematic; /* portfolio: what it draws schedules besides */
	unsigned workers;		   /* at least 1 */
	execution_run *run;
	void *const *programs;	 /* one for each worker */
	uint64_t max_executions; /* 0: no limit */
	uint64_t max_seconds;
	uint64_t max_preemptions; /* UINT64_MAX: no limit */
	bool goes_on;		  /* after a failure */
	/* if the first execution reaches this limit: STOP_ENDLESS */
	bool ends_at_steps, ends_at_threads;
	/* STOP_POLLS: loops that poll and are not recognised have made so many rounds too many
	 * (in all executions together), or have been met by a search of so many executions; 0:
	 * never */
	uint64_t max_polled, max_with_polls;
	/* STOP_GROWS: executions have made so many hooks together, and became longer and longer;
	 * 0: never */
	uint64_t max_growing;
	/* others do not end the search; NULL: every one is */
	bool (*is_wanted)(const void *arg, uint32_t failure);
	const void *wanted_arg;
	bool keeps_outcomes;
	/* outcomes that differ in the order of lines only are one */
	bool ignores_output_order;
	bool finds_races;
	uint64_t seed; /* of random schedules */
	/* what is divided; explore() adds racing copies, and begins again (wide.h).  NULL:
	 * nothing is */
	struct wire_divided *divided;
	/* what is dead at a hook of a loop that becomes known; NULL: nothing is said */
	void (*describe_loop)(void *arg, struct wire_loop *loop);
	void *describe_arg;
	/* choices that may be idle; explore() adds those that are used, and begins again.  NULL:
	 * all are used */
	struct idle *idle;
	struct depends depends; /* mcr: reads on which nothing depends */
	const volatile sig_atomic_t *stop;
	/* not NULL: explore() says here until when executions may go on (worker.h); 0: there is
	 * no limit */
	uint64_t *end_by;
	struct ledger *ledger; /* NULL: nothing is saved */
	/* from time to time; NULL: it is not reported */
	void (*tell_progress)(void *arg, const struct explore_result *r);
	void *tell_arg;
	/* Set by explore(). */
	void (*wake)(void *arg); /* workers that have nothing to do ask again */
	void *wake_arg;
	struct cancellation cancellation; /* to be copied by each worker of a strategy */
};

/* A state space of iterative deepening: threads change at synchronisation, and in front of `races`
 * instructions. */
struct explore_space {
	size_t races;
	uint64_t executions, redundant;
	bool is_complete;
};

enum explore_stop {
	STOP_DONE,
	STOP_FOUND,
	STOP_EXECUTIONS,
	STOP_SECONDS,
	STOP_INTERRUPTED,
	STOP_UNSUPPORTED,
	STOP_DIVERGED,
	STOP_ENDLESS,
	STOP_POLLS,
	STOP_GROWS,
	/* private: a copy races that is to be divided, or a choice is used that seemed idle */
	STOP_AGAIN
};

/* A loop that polls and is not recognised as waiting (rt/rounds.c). */
struct explore_poll {
	uint64_t pc;
	uint64_t rounds; /* most in a row */
	uint64_t cut;	 /* executions in which a thread was not let make more */
};
#define EXPLORE_POLLS_MAX 64

struct explore_result {
	enum explore_stop stop;
	uint64_t executions, redundant, dropped; /* dropped: an assumption did not hold */
	/* of the redundant ones: ended before their end, when only sleeping threads could run */
	uint64_t given_up;
	uint64_t drawn;	  /* besides a systematic search; not in executions */
	uint64_t bounded; /* executions beyond max_preemptions */
	uint64_t classes; /* random strategies: distinct ones */
	/* mcr: what makes executions one class; NULL: another strategy */
	const char *classes_are;
	double seconds, progress;
	double order_seconds; /* mcr: of all workers, to find orders */
	VEC(struct explore_failure) failures;
	VEC(struct outcome) outcomes;
	struct races races;
	struct explore_gaps gaps;
	/* deepening: in the order in which they were begun */
	VEC(struct explore_space) spaces;
	/* deepening: candidates that were reversed, and those that were not */
	size_t races_both_orders, races_one_order;
	bool is_partial;		/* deepening: some spaces were left out */
	VEC(struct explore_poll) polls; /* by pc; the first ones that were met */
	uint64_t polled;		/* their rounds from the WIRE_POLL_ROUNDS-th on */
	/* threads to which a signal was sent: bits of wire_divided.signals */
	uint64_t signalled;
	/* threads that were cancelled: likewise of wire_divided.cancels */
	uint64_t cancelled;
	/* hooks of loops that wait and are not known yet (loops.h); a few */
	VEC(struct wire_loop_hook) loops;
	uint64_t most_hooks; /* of an execution that was made now */

	/* Private. */
	struct map outcome_of, failure_of;
};

/* Whether what this execution found is enough. */
static inline bool explore_ends_with(const struct explore_config *c, const struct execution *x)
{
	return x->end == EXPLORE_FAILURE && !c->goes_on &&
	       (!c->is_wanted || c->is_wanted(c->wanted_arg, x->failure));
}

/* Errors: those of running a program, of the ledger, and ERR_FORMAT. */
int explore(const struct explore_config *c, struct explore_result *r, struct err *err);
void explore_result_release(struct explore_result *r);
/* Whether all schedules were explored. */
bool explore_is_complete(const struct explore_config *c, const struct explore_result *r);
/* Whether a thread is cancelled, and one has asynchronous cancellation: where that ends is not
 * explored. */
bool explore_cancels_at_any_time(const struct explore_result *r, const struct wire_divided *d);

/* ---- result.c ---- */
/* Rounds of loops that poll, as struct explore_result counts them. */
uint64_t explore_polled(const struct execution *x);
/* What an execution showed. */
void result_note(const struct explore_config *c, struct explore_result *r,
		 const struct execution *x, const struct taken *t);
/* Everything of one becomes part of the other, and is taken out of it. */
void result_merge(struct explore_result *to, struct explore_result *from);

/*
 * The failure of an execution and where it was: the one that ended it, or, if it ended by itself,
 * the first that it survived, as the misuse of a lock.  Such a failure is reported like a race: the
 * search goes on.  False: there is none.
 */
bool explore_failure_of(const struct execution *x, uint32_t *failure, uint64_t *pc);
/*
 * Look for a schedule with the same failure and fewer preemptions: a beginning of the schedule,
 * followed freely, and then without single turns.  At most `tries` executions are made, and none
 * begins `seconds` after the first (0: without such a limit).
 */
int explore_shorten(const struct explore_config *c, const struct explore_failure *f,
		    struct schedule *s, uint64_t tries, double seconds, struct err *err);

#endif
