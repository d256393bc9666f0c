/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of heddle predict: options and runs (predict.c), the analysis of one trace
 * (predict_trace.c), and what is told of all of them together (predict_tell.c).
 */
#ifndef HEDDLE_CMD_PREDICT_H
#define HEDDLE_CMD_PREDICT_H

#include <signal.h>
#include <time.h>

#include "oracle/from_trace.h"
#include "oracle/sieve.h"
#include "predict/confirm.h"
#include "report/claims.h"
#include "report/report.h"

struct predict_command {
	const char *kinds, *json, *output;
	uint64_t seconds, jobs, runs, seed, timeout;
	uint64_t memory; /* MiB; 0: most of the machine's */
	bool is_quiet, has_stats, all_frames, confirms;
	char **program_argv; /* to be run; NULL: what the trace names */
	uint64_t claim;	     /* the key of the only claim that is wanted; 0: all are */
	struct predict_options options;
	uint64_t end_ns; /* when the time is over (base/clock.h); 0: there is no limit */
	const volatile sig_atomic_t *is_interrupted;
	const sigset_t *mask; /* signal mask of programs */
	const char *stage;    /* what the progress line says; NULL: there is none */
};

/* Whether to end with what was found so far. */
bool predict_is_over(const struct predict_command *c);
/* Nanoseconds that are left; UINT64_MAX: there is no limit. */
uint64_t predict_time_left(const struct predict_command *c);
/* The progress line. */
void predict_tell_stage(struct predict_command *c, const char *stage);
void predict_tell_progress(struct predict_command *c, uint64_t done, uint64_t total,
			   uint64_t found);
void predict_clear_progress(struct predict_command *c);

/* ---- one trace ---- */

struct predicted {
	const char *given; /* as the user named it */
	/* what is analysed: a copy without what cannot matter, or of STD */
	const char *trace;
	struct buf spooled, imported, sieved; /* paths of copies; empty: there are none */
	struct sieve_result sieve;
	/* the limit of steps of its run is one for lack of time */
	bool has_little_time;
	bool is_cut_for_time; /* its end was left out for that reason */
	struct trace_index index;
	struct history_source history;
	struct units units;
	struct prediction prediction;
	struct history_source relaxed; /* with --confirm: claims that are not proved */
	struct prediction unproved;
	struct buf program; /* its path */
	struct confirmer confirmer;
	/* of the prediction, then of the unproved claims */
	VEC(struct confirmation) confirmations;
	VEC(size_t) confirmed_by;    /* by finding: which of these shows it; SIZE_MAX: none */
	VEC(char *) program_words;   /* name and arguments as recorded */
	struct trace_reader *reader; /* has the tables */
	struct scene scene;
	struct names names;
	struct findings findings;
	struct claim_events events;
	VEC(uint64_t) keys;  /* by finding: of its claim; 0: it has none */
	bool shows_failures; /* failures of the run itself are findings, too */
	uint64_t seed;	     /* of that run */
};

/* Everything from reading the trace to its findings.  Errors: those of reading it and of starting
 * the program. */
int predicted_make(struct predicted *p, struct predict_command *c, const char *trace,
		   struct err *err);
/* Give back all but what the findings need. */
void predicted_shrink(struct predicted *p);
void predicted_release(struct predicted *p); /* accepts the zero state */

/* ---- all of them ---- */

/* What is known about one bug, from all traces that show it. */
struct told {
	char *key;		/* kind and places in the source */
	size_t trace, finding;	/* where its best finding is */
	uint64_t count, traces; /* instances, and traces that have any */
	uint64_t counted;	/* number of the last of these */
};

struct predict_result {
	VEC(struct predicted *) traces; /* whose findings are told */
	VEC(struct told) told;
	unsigned assumptions; /* enum history_assumption */
	uint64_t taken;	      /* traces */
	uint64_t events, kept, operations, candidates, questions, infeasible, unknown, left_out,
		runs;
	/* the last: a trace ends before the run did */
	bool is_cut_off, is_short_of_memory, is_incomplete;
	bool has_untried; /* violations of atomicity that only runs can show */
	const char *gap;  /* why there may be more; NULL: there is no reason */
};

/* Take over what one trace shows, and its memory. */
void predict_result_take(struct predict_result *r, struct predicted *p);
/* Make the execution of each confirmed finding again and keep its witness.  Errors: those of
 * running the program, ERR_IO. */
int predict_result_show(struct predict_result *r, const struct predict_command *c, struct err *err);
/* -o none: no witnesses are written. */
bool predict_wants_witness(const struct predict_command *c);
/* Write a file for each prediction that `heddle replay` can run; what cannot be written has none.
 */
void predict_result_note_predictions(struct predict_result *r, const struct predict_command *c,
				     const char *trace);
/* Whether a file is one of these; the caller frees *trace. */
bool prediction_read(const char *path, char **trace, uint64_t *key);
void predict_result_tell(struct predict_result *r, const struct predict_command *c,
			 const char *from);
int predict_result_write_json(struct predict_result *r, const struct predict_command *c,
			      struct err *err);
void predict_result_release(struct predict_result *r);

#endif
