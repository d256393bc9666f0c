/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking a program: its schedules are explored, what was found is made again with all its
 * events and becomes findings, and a verdict says what was covered.  Nothing here prints.
 */
#ifndef HEDDLE_CHECK_H
#define HEDDLE_CHECK_H

#include <pthread.h>

#include "binary/unused.h"
#include "drive/repeat.h"
#include "exec/worker.h"
#include "explore/ledger.h"

struct check_options {
	int strategy, depend;
	int memory, heap, backend, restart;
	uint64_t seconds, executions, steps, threads, rounds, loops, preemptions, spurious;
	uint64_t seed, jobs, memory_limit; /* of the program, megabytes; 0: none */
	bool goes_on, has_outcomes, ignores_output_order, is_quiet, has_stats, all_frames;
	const char *kinds, *json, *output, *ledger, *resume;
	bool has_steps, has_threads, has_rounds, has_loops; /* they were given */
};
#define CHECK_DEFAULT_STEPS 1000000
#define CHECK_DEFAULT_THREADS 1000
#define CHECK_NOT_GIVEN UINT64_MAX /* steps, threads, rounds, loops: choose a bound */

/* An execution that was made again, with its events. */
struct check_repeat {
	struct repeat made;
	struct buf witness; /* of an outcome: its path; empty: none was written */
	bool is_identified; /* its witness knows its program */
	bool is_done;
	bool is_whole; /* the execution was observed to its end */
};

/* A finding of the result: text, JSON, the count and the exit status are all made from this list.
 */
struct check_finding {
	struct check_repeat *repeat; /* whose observer has it */
	size_t index;		     /* in the findings of that observer */
	uint64_t key;		     /* what makes it the same finding as another one */
};

struct check_schedules {
	VEC(struct schedule) at;
};

/* Executions to be looked at for memory that was read and not written before.  Workers share
 * it. */
#define CHECK_SUSPECT_BITS 8192
struct check_suspects {
	pthread_mutex_t lock;
	/* a bit for each hash of what occurred: */
	/* a read of what looks like fresh heap memory */
	uint64_t fresh_read[CHECK_SUSPECT_BITS / 64];
	uint64_t code_run[CHECK_SUSPECT_BITS / 64];   /* an instruction */
	uint64_t value_read[CHECK_SUSPECT_BITS / 64]; /* a value read by an instruction */
	bool has_first;				      /* there was an execution */
	/* executions in which one of these was new */
	struct check_schedules fresh, code, value;
};

struct check_poll {
	char place[256];
	bool is_cut;
};

struct check {
	struct check_options options;
	struct target program;
	char **argv;
	/* reads on which nothing depends, where the program has them */
	struct addresses unused;
	struct idle idle; /* choices on whose answers nothing may depend */
	struct explore_result result;
	struct wire_divided divided;	    /* copies that are made word by word */
	VEC(struct check_repeat *) repeats; /* of failures, then of races, then of outcomes */
	VEC(size_t) outcome_repeat;	    /* NO_REPEAT: none */
	VEC(struct check_finding) findings;
	size_t first_race; /* of them: those before are failures */
	struct check_suspects suspects;
	size_t uninitialised; /* reads that were reported */
	size_t unrepeated;    /* of what was found: the same schedule did not show it again */
	struct report_summary summary;
	/* of its assumptions: the first ones say what was explored, the next ones keep it from
	 * being complete, those behind do not */
	size_t model_words, gap_words;
	/* the program has no end in sight, so executions were cut after options.steps */
	bool is_endless;
	/* the bounds of rounds of polling loops, and of all loops, that the result holds for;
	 * 0: there is none */
	uint64_t rounds, loops;
	/* loops that poll and are not recognised as waiting, and loops that were cut */
	VEC(struct check_poll) polls;
	bool is_exhaustive; /* the strategy knows when it has explored everything */
	/* Called from time to time while it searches; NULL: not reported. */
	void (*progress)(void *arg, const struct explore_result *r);
	void *progress_arg;
	struct ledger ledger;
	struct buf ledger_path;
	/* Until when executions may be made again, nanoseconds of CLOCK_MONOTONIC; 0: there is no
	 * limit. */
	uint64_t end_by;
	/* of the search: it knows what was read from standard input */
	const struct session *outside;
	bool is_cut;	       /* not all that was found was made again: it was to end before */
	struct err no_witness; /* why the first witness that was not written was not */
};
#define NO_REPEAT SIZE_MAX

/* ---- check.c ---- */
/* The options unless the user gives others. */
struct check_options check_defaults(void);
/*
 * Explore the program argv[0] with these arguments under c->options.  The findings, the result
 * and the summary are in *c then.  Errors: those of finding and running the program; ERR_IO;
 * ERR_SUPPORT.
 */
int check_run(struct check *c, char **argv, struct err *err);
void check_release(struct check *c); /* accepts a struct check that was not run */

/* ---- repeat.c ---- */
/* Make the execution of a plan again with all its events (drive/repeat.h); gives its index in
 * repeats. */
int check_repeat(struct check *c, const struct plan *plan, repeat_watch *watch, void *watch_arg,
		 size_t *index, struct err *err);
/* A repeat without an execution, for findings that are reported with what the search knows. */
struct check_repeat *check_repeat_none(struct check *c);
/* Write the witness of a repeated execution, as one of this finding or of none (NULL). */
bool check_write_witness(struct check *c, struct check_repeat *r, const struct finding *f,
			 const char *path);
void check_repeats_release(struct check *c);
bool check_wants_failure(const struct check_options *o, uint32_t failure);
bool check_wants_kind(const struct check_options *o, enum finding_kind kind);

/* ---- depend.c ---- */
/* Find the reads on which nothing depends, if they are asked for.  Errors: ERR_IO, ERR_SUPPORT. */
int check_depend(struct check *c, struct err *err);
/* Choices of the program that may be idle (explore/execution/idle.h). */
int check_idle(struct check *c, struct err *err);
/* Where the program is loaded in each execution; NULL, or why that is not known. */
const char *check_program_base(const struct image *img, uint64_t *base);

/* ---- search.c ---- */
#define CHECK_JOBS_MAX 256
extern const char *const *const check_strategy_words, *const check_strategy_help;
extern volatile sig_atomic_t check_is_interrupted;
bool check_wants_no_witness(const struct check_options *o);
/* Explore, and repeat what was found. */
int check_program(struct check *c, struct err *err);

/* ---- bounds.c ---- */
/* explore() with bounds that suit the program; `config` gets those of the search that ended it. */
int check_explore(struct check *c, struct explore_config *config, struct worker *const *workers,
		  struct err *err);

/* ---- show.c ---- */
/* Repeat everything that was found, and fill in the findings. */
int check_show(struct check *c, const struct explore_config *config, double seconds,
	       struct err *err);
/* Whether what is left to be shown has to be left out. */
bool check_is_enough(struct check *c);
/* The witness of a finding or an outcome: PREFIX.witness, or with a number; NULL: none is wanted.
 */
const char *check_witness_name(const struct check *c, const char *what, size_t number, size_t count,
			       struct buf *out);
struct finding *check_finding(const struct check *c, size_t i);
/* It becomes part of the result. */
void check_add_finding(struct check *c, struct check_repeat *r, size_t index, uint64_t key);

/* ---- races.c ---- */
int check_show_races(struct check *c, struct err *err);

/* ---- uninitialised.c ---- */
void check_suspects_init(struct check_suspects *s);
/* An execution of the search has ended. */
void check_suspects_look(struct check_suspects *s, const struct execution *x);
void check_suspects_release(struct check_suspects *s);
/* Find reads of unwritten heap memory that matter. */
int check_show_uninitialised(struct check *c, struct err *err);
/* Add the finding, which the repeat shows, and write its witness. */
void check_add_uninitialised(struct check *c, struct check_repeat *r, struct finding f,
			     uint64_t key);

/* ---- variables.c ---- */
/* Find unwritten local variables that matter. */
int check_show_variables(struct check *c, struct err *err);

/* ---- verdict.c ---- */
/* Collect what the result rests on, and decide whether it is complete. */
void check_judge(struct check *c);
/* Why the result says less than it should; NULL: it does not. */
const char *check_gap(const struct check *c, struct buf *out);
/* Inputs of any value (wire/nondet.h): whether some were chosen, and the values that were tried
 * for each. */
bool check_has_sampled_values(const struct check *c);
void check_add_values(const struct check *c, struct buf *out);
struct json;
void check_json_values(const struct check *c, struct json *j);
/* Every execution ended at an assumption that does not hold. */
bool check_is_vacuous(const struct check *c);
void check_verdict(const struct check *c, struct buf *out);

#endif
