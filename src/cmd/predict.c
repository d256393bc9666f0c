/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle predict: what can go wrong in other executions that one trace proves possible, or
 * several traces of runs that are made for it.
 */
#include "cmd/predict_print.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "cmd/cmd.h"

#define JOBS_MAX 256
/* ---- options ---- */

/* A list of kinds as a set (enum predict_kind); "" or NULL: all. */
static int parse_kinds(const char *text, unsigned *kinds, struct err *err)
{
	*kinds = 0;
	for (const char *at = text; at && *at;) {
		size_t len = strcspn(at, ",");
		int kind = finding_kind_named(at, len);
		unsigned bit = kind < 0 ? 0 : 1u << kind & PREDICT_ALL;
		if (!bit)
			return err_set(err, ERR_USAGE,
				       "heddle predict: --kinds has race, deadlock, atomicity and "
				       "order, not '%.*s'",
				       (int)len, at);
		*kinds |= bit;
		at += len + (at[len] == ',');
	}
	*kinds = *kinds ? *kinds : PREDICT_ALL;
	return 0;
}

/* One trace, and with --confirm a program; or, with --runs, a program. */
static int check_operands(const struct predict_command *c, int count, struct err *err)
{
	if (c->request.runs ? count > 0 : count == 1 || (count > 1 && c->request.confirms))
		return 0;
	if (c->request.runs)
		return err_set(err, ERR_USAGE,
			       "heddle predict: --runs needs a program; 'heddle predict --help' "
			       "explains the use");
	return err_set(err, ERR_USAGE,
		       "heddle predict: give one trace, and a program only with --confirm; 'heddle "
		       "predict --help' explains the use");
}

static int parse(struct predict_command *c, int argc, char **argv, int *operand, bool *help,
		 struct err *err)
{
	const struct opt table[] = {
		{ 0, "confirm", OPT_FLAG, &c->request.confirms, NULL,
		  "Run the program by each witness and see whether it does what is predicted; also "
		  "try claims that the trace alone does not prove, and report those that are "
		  "confirmed.",
		  0, 0, NULL },
		{ 0, "runs", OPT_NUMBER, &c->request.runs, "N",
		  "Record N runs of PROG with different seeds, predict from each, confirm, and "
		  "report each bug once.",
		  1, 1000000, NULL },
		{ 0, "seed", OPT_NUMBER, &c->request.seed, "N",
		  "With --runs, the seed of the first one (default 1).", 0, UINT64_MAX, NULL },
		{ 0, "timeout", OPT_NUMBER, &c->request.timeout, "SECONDS",
		  "With --runs, end each recorded run after this time, 0 for never (default 0).", 0,
		  1000000000, NULL },
		{ 0, "kinds", OPT_STRING, &c->kinds, "LIST",
		  "What to look for: any of race, deadlock, atomicity, order, with commas "
		  "(default: all).",
		  0, 0, NULL },
		{ 0, "time", OPT_NUMBER, &c->seconds, "SECONDS",
		  "Stop after this time and report what was found until then, with status 4 if "
		  "that is nothing; 0 for never (default 0).",
		  0, 1000000000, NULL },
		{ 0, "memory", OPT_NUMBER, &c->request.memory, "MIB",
		  "Memory for a trace: the end of a trace that does not fit is left out, with a "
		  "note, and status 4 if nothing is found (default: four fifths of the machine's).",
		  1, 1 << 24, NULL },
		{ 'j', "jobs", OPT_NUMBER, &c->request.jobs, "N",
		  "Processes that work in parallel (default 1).", 1, JOBS_MAX, NULL },
		{ 'o', "output", OPT_STRING, &c->request.output, "PREFIX",
		  "Beginning of the names of witnesses (default: with --confirm and --runs the "
		  "program's name, here, otherwise TRACE.predicted; none: no witnesses are "
		  "written).",
		  0, 0, NULL },
		{ 0, "json", OPT_STRING, &c->json, "FILE",
		  "Write the result as JSON, - for standard output.", 0, 0, NULL },
		{ 0, "stats", OPT_FLAG, &c->has_stats, NULL,
		  "Say how many operations, candidates and questions there were.", 0, 0, NULL },
		{ 0, "all-frames", OPT_FLAG, &c->all_frames, NULL,
		  "Show functions of library headers, too, not only the program's own.", 0, 0,
		  NULL },
		{ 'q', "quiet", OPT_FLAG, &c->is_quiet, NULL,
		  "Say nothing if there is nothing to report.", 0, 0, NULL },
		{ 0 },
	};
	const struct opt_spec spec = {
		.command = "predict",
		.operands = "TRACE [PROG [ARG...]] | --runs=N -- PROG [ARG...]",
		.summary =
			"Predicts bugs from traces: races, deadlocks, violations of atomicity "
			"and of order that did not happen in them, but can in another execution.",
		.table = table,
		.details = "Each prediction has been proved: there is another order of the "
			   "recorded events that the program must be able to perform, and an "
			   "independent checker has accepted it. A claim is reported once for each "
			   "set of source places. TRACE is what 'heddle record' wrote, or RAPID's "
			   "STD text (with br, if it has branches). PROG is the program that "
			   "--confirm runs (default: the recorded one, with its arguments). Its "
			   "output is not shown, and its input is the same for all runs if it is a "
			   "file, otherwise empty. Each finding gets a witness for 'heddle "
			   "replay', which says whether it is confirmed or only predicted. An "
			   "interruption ends the search, and what was found is reported. "
			   "doc/PREDICT.md says what is assumed.",
	};
	int rc = opts_parse(&spec, argc, argv, operand, help, err);
	if (!rc && *help)
		opts_print_help(&spec, stdout);
	return rc || *help ? rc : check_operands(c, argc - *operand, err);
}

/* ---- when to stop ---- */

static volatile sig_atomic_t is_interrupted;

/* Find and print. */
static int work(struct predict_command *c, const char *from, struct prediction_result *r,
		struct err *err)
{
	sigset_t mask;
	struct prediction_request *q = &c->request;
	q->end_ns = c->seconds ? clock_now_ns() + c->seconds * NS_PER_SECOND : 0;
	q->is_interrupted = &is_interrupted;
	if (isatty(STDERR_FILENO) && !c->is_quiet) {
		q->stage = predict_print_stage;
		q->progress = predict_print_progress;
		q->arg = c;
	}
	stop_on_signals(&is_interrupted, &mask);
	q->mask = &mask;
	int rc = prediction_make(q, from, r, err);
	predict_clear_progress(c);
	/* After an error, what was found before it is printed, too. */
	if (!rc || r->bugs.len)
		predict_print(r, c, from);
	return rc;
}

int cmd_replay_prediction(const char *file, char **program_argv, bool *is_one)
{
	struct predict_command c = {
		.request = { .jobs = 1, .confirms = true, .program_argv = program_argv }
	};
	struct prediction_result r = { 0 };
	struct err err;
	char *trace = NULL;
	*is_one = prediction_read(file, &trace, &c.request.claim);
	if (!*is_one)
		return EXIT_NOTHING;
	parse_kinds(NULL, &c.request.options.kinds, &err);
	int rc = work(&c, trace, &r, &err);
	bool is_confirmed = false;
	for (size_t i = 0; i < r.bugs.len; i++)
		is_confirmed |= prediction_finding(&r, i)->status == FINDING_CONFIRMED;
	prediction_result_release(&r);
	mem_free(trace);
	return rc ? cmd_fail(rc, &err) : is_confirmed ? EXIT_FINDING : EXIT_INCONCLUSIVE;
}

int cmd_predict(int argc, char **argv)
{
	struct predict_command c = { .request = { .seed = 1, .jobs = 1 } };
	struct prediction_result r = { 0 };
	struct err err;
	int operand;
	bool help = false;
	int rc = parse(&c, argc, argv, &operand, &help, &err);
	if (!rc && !help)
		rc = parse_kinds(c.kinds, &c.request.options.kinds, &err);
	if (rc)
		return cmd_fail(rc, &err);
	if (help)
		return EXIT_NOTHING;
	struct prediction_request *q = &c.request;
	q->confirms |= q->runs != 0;
	q->program_argv = q->runs ? argv + operand : argc - operand > 1 ? argv + operand + 1 : NULL;
	rc = work(&c, argv[operand], &r, &err);
	if (!rc && c.json)
		rc = predict_write_json(&r, &c, &err);
	int status = r.bugs.len ? EXIT_FINDING : r.gap ? EXIT_INCONCLUSIVE : EXIT_NOTHING;
	prediction_result_release(&r);
	return rc ? cmd_fail(rc, &err) : status;
}
