/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole prediction: traces are recorded or read, claims are found and confirmed, and each bug
 * becomes one finding.  Nothing here prints.
 *
 *   runs.c     record runs and predict from each, within the time
 *   trace.c    one trace, from reading it to its findings
 *   merge.c    findings of all traces, each bug once
 *   witness.c  files by which `heddle replay` shows a finding again
 */
#ifndef HEDDLE_PREDICTION_H
#define HEDDLE_PREDICTION_H

#include <signal.h>

#include "oracle/from_trace.h"
#include "oracle/sieve.h"
#include "predict/confirm.h"
#include "report/claims.h"
#include "report/report.h"

struct prediction_request {
	const char *output; /* beginning of the names of witnesses; NULL: chosen; "none": none */
	uint64_t jobs, runs, seed, timeout;
	uint64_t memory;     /* MiB; 0: most of the machine's */
	bool confirms;	     /* run the program */
	char **program_argv; /* to be run; NULL: what the trace names */
	uint64_t claim;	     /* the key of the only claim that is wanted; 0: all are */
	struct predict_options options;
	uint64_t end_ns; /* when the time is over (base/clock.h); 0: there is no limit */
	volatile sig_atomic_t *is_interrupted; /* also set if a recorded run was interrupted */
	const sigset_t *mask;		       /* signal mask of programs */
	/* What it is doing, and how far it is; NULL: not reported. */
	void (*stage)(void *arg, const char *stage);
	void (*progress)(void *arg, uint64_t done, uint64_t total, uint64_t found);
	void *arg;
};

/* Whether to end with what was found so far. */
bool prediction_is_over(const struct prediction_request *q);
void prediction_stage(const struct prediction_request *q, const char *stage);

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
int predicted_make(struct predicted *p, struct prediction_request *q, const char *trace,
		   struct err *err);
/* Give back all but what the findings need. */
void predicted_shrink(struct predicted *p);
void predicted_release(struct predicted *p); /* accepts the zero state */

/* ---- all of them ---- */

/* What is known about one bug, from all traces that show it. */
struct predicted_bug {
	char *key;		/* kind and places in the source */
	size_t trace, finding;	/* where its best finding is */
	uint64_t count, traces; /* instances, and traces that have any */
	uint64_t counted;	/* number of the last of these */
};

struct prediction_result {
	VEC(struct predicted *) traces; /* whose findings are reported */
	VEC(struct predicted_bug) bugs;
	unsigned assumptions; /* enum history_assumption */
	uint64_t taken;	      /* traces */
	uint64_t events, kept, operations, candidates, questions, infeasible, unknown, left_out,
		runs;
	/* the last: a trace ends before the run did */
	bool is_cut_off, is_short_of_memory, is_incomplete;
	bool has_untried; /* violations of atomicity that only runs can show */
	const char *gap;  /* why there may be more; NULL: there is no reason */
};

/*
 * ---- runs.c ----
 * From one trace, or from runs of the program if the request has any.  Findings that were made
 * before an error stay.  Errors: those of reading the trace and of running the program.
 */
int prediction_make(struct prediction_request *q, const char *trace, struct prediction_result *r,
		    struct err *err);

/* ---- merge.c ---- */
/* Take over what one trace shows, and its memory. */
void prediction_result_take(struct prediction_result *r, struct predicted *p);
/* The finding of a bug, with what all traces together show. */
struct finding *prediction_finding(const struct prediction_result *r, size_t bug);
void prediction_result_release(struct prediction_result *r);

/* ---- witness.c ---- */
/*
 * Write a witness for each finding.  With confirmation the execution is made again and recorded;
 * without it the file names the trace and the claim.  What cannot be written has none.  Errors:
 * those of running the program, ERR_IO.
 */
int prediction_write_witnesses(struct prediction_result *r, const struct prediction_request *q,
			       const char *trace, struct err *err);
/* Whether a file is a witness that names a trace and a claim; the caller frees *trace. */
bool prediction_read(const char *path, char **trace, uint64_t *key);

#endif
