/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of heddle check: what the user asked for, repeating an execution in full, telling the result. */
#ifndef HEDDLE_CMD_CHECK_H
#define HEDDLE_CMD_CHECK_H

#include "cc/unused.h"
#include "cmd/execution.h"
#include "exec/worker.h"
#include "explore/ledger.h"

struct check_options {
	int strategy, depend;
	int memory, heap, backend, restart;
	uint64_t seconds, executions, steps, preemptions, spurious;
	uint64_t seed, jobs, memory_limit;	/* of the program, megabytes; 0: none */
	bool goes_on, has_outcomes, is_quiet, has_stats;
	const char *kinds, *json, *output, *ledger, *resume;
};

/* An execution that was made again, with its events. */
struct check_repeat {
	struct observer observer;
	struct run_result result;
	struct buf witness;		/* its path; empty: none was written */
	bool is_done;
	bool is_whole;			/* it was seen to its end, not only told that there is one */
};

struct check {
	struct check_options options;
	struct execution_program program;
	char **argv;
	char **words;			/* the options, up to argv */
	struct addresses unused;	/* reads on which nothing depends, where the program has them */
	struct explore_result result;
	VEC(struct check_repeat *) repeats;/* of failures, then of races, then of outcomes */
	VEC(size_t) failure_repeat, race_repeat, outcome_repeat;	/* NO_REPEAT: none */
	struct report_summary summary;
	/* of its assumptions: those behind do not keep it from being complete */
	size_t gap_words;
	struct ledger ledger;
	struct buf ledger_path;
	/* Until when executions may be made again, nanoseconds of CLOCK_MONOTONIC; 0: there is no limit. */
	uint64_t end_by;
	const struct session *outside;	/* of the search: it knows what was read from standard input */
	bool is_cut;			/* not all that was found was made again: it was to end before */
	struct err no_witness;		/* why the first witness that was not written was not */
};
#define NO_REPEAT SIZE_MAX

/* ---- check_repeat.c ---- */
/* Make the execution of a plan again with all its events; gives its index in repeats. */
int check_repeat(struct check *c, const struct plan *plan, const struct race *race, const char *witness,
		 size_t *index, struct err *err);
/* The finding of one that cannot be made again, or not to its end in time, is told with what is known. */
void check_name(struct check *c, enum finding_kind kind, uint64_t executions, const char *why, size_t *index);
/* Whether what was made again shows something. */
bool check_is_shown(const struct check *c, size_t index);
void check_repeats_release(struct check *c);
/* Number of the finding's kind whose name it is; -1: there is none. */
int check_kind(const char *name, size_t len);
/* The kind of finding that a failure of failure.def is; -1: it is none. */
int check_failure_kind(uint32_t failure);
bool check_wants_failure(const struct check_options *o, uint32_t failure);
bool check_wants_kind(const struct check_options *o, enum finding_kind kind);

/* ---- check_depend.c ---- */
/* Find the reads on which nothing depends, if they are asked for.  Errors: ERR_IO, ERR_SUPPORT. */
int check_depend(struct check *c, struct err *err);

/* ---- check_search.c ---- */
#define CHECK_JOBS_MAX 256
extern const char *const check_strategy_words[];
/* Explore, and repeat what was found. */
int check_program(struct check *c, struct err *err);

/* ---- check_tell.c ---- */
void check_tell_progress(void *arg, const struct explore_result *r);
void check_tell(struct check *c);
int check_write_json(struct check *c, struct err *err);
int check_status(const struct check *c);

#endif
