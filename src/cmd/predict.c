/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle predict: what can go wrong in other executions that one trace proves possible, or
 * several traces of runs that are made for it.
 */
#include "cmd/predict.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "cmd/cmd.h"
#include "drive/recording.h"

#define JOBS_MAX 256
#define RECORDING_SHARE 4 /* a recorded run may take one in so many parts of the time */
/* hooks of a recorded run for each second that is left: a slow machine analyses so many */
#define HOOKS_PER_SECOND 100000
#define HOOKS_LEAST 50000

/* ---- options ---- */

static int parse_kinds(const char *text, unsigned *kinds, struct err *err)
{
	static const struct {
		const char *name;
		unsigned bit;
	} words[] = { { "race", PREDICT_RACE },
		      { "deadlock", PREDICT_DEADLOCK },
		      { "atomicity", PREDICT_ATOMICITY },
		      { "order", PREDICT_ORDER } };
	*kinds = 0;
	for (const char *at = text; at && *at;) {
		size_t len = strcspn(at, ",");
		unsigned bit = 0;
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (strlen(words[i].name) == len && !memcmp(words[i].name, at, len))
				bit = words[i].bit;
		if (!bit)
			return err_set(err, ERR_USAGE,
				       "heddle predict: --kinds has race, deadlock, atomicity and "
				       "order, not '%.*s'",
				       (int)len, at);
		*kinds |= bit;
		at += len + (at[len] == ',');
	}
	if (!*kinds)
		*kinds = PREDICT_RACE | PREDICT_DEADLOCK | PREDICT_ATOMICITY | PREDICT_ORDER;
	return 0;
}

/* One trace, and with --confirm a program; or, with --runs, a program. */
static int check_operands(const struct predict_command *c, int count, struct err *err)
{
	if (c->runs ? count > 0 : count == 1 || (count > 1 && c->confirms))
		return 0;
	if (c->runs)
		return err_set(err, ERR_USAGE,
			       "heddle predict: --runs needs a program; 'heddle predict --help' "
			       "explains the use");
	return err_set(err, ERR_USAGE,
		       "heddle predict: give one trace, and a program only with --confirm; "
		       "'heddle predict --help' explains the use");
}

static int parse(struct predict_command *c, int argc, char **argv, int *operand, bool *help,
		 struct err *err)
{
	const struct opt table[] = {
		{ 0, "confirm", OPT_FLAG, &c->confirms, NULL,
		  "Run the program by each witness and see whether it does what is predicted; also "
		  "try "
		  "claims that the trace alone does not prove, and report those that are "
		  "confirmed.",
		  0, 0, NULL },
		{ 0, "runs", OPT_NUMBER, &c->runs, "N",
		  "Record N runs of PROG with different seeds, predict from each, confirm, and "
		  "report each "
		  "bug once.",
		  1, 1000000, NULL },
		{ 0, "seed", OPT_NUMBER, &c->seed, "N",
		  "With --runs, the seed of the first one (default 1).", 0, UINT64_MAX, NULL },
		{ 0, "timeout", OPT_NUMBER, &c->timeout, "SECONDS",
		  "With --runs, end each recorded run after this time, 0 for never (default 0).", 0,
		  1000000000, NULL },
		{ 0, "kinds", OPT_STRING, &c->kinds, "LIST",
		  "What to look for: any of race, deadlock, atomicity, order, with commas "
		  "(default: all).",
		  0, 0, NULL },
		{ 0, "time", OPT_NUMBER, &c->seconds, "SECONDS",
		  "Stop after this time and report what was found until then, with status 4 if "
		  "that is "
		  "nothing; 0 for never (default 0).",
		  0, 1000000000, NULL },
		{ 0, "memory", OPT_NUMBER, &c->memory, "MIB",
		  "Memory for a trace: the end of a trace that does not fit is left out, with a "
		  "note, and "
		  "status 4 if nothing is found (default: four fifths of the machine's).",
		  1, 1 << 24, NULL },
		{ 'j', "jobs", OPT_NUMBER, &c->jobs, "N",
		  "Processes that work in parallel (default 1).", 1, JOBS_MAX, NULL },
		{ 'o', "output", OPT_STRING, &c->output, "PREFIX",
		  "Beginning of the names of witnesses (default: with --confirm and --runs the "
		  "program's "
		  "name, here, otherwise TRACE.predicted; none: no witnesses are written).",
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
		.summary = "Predicts bugs from traces: races, deadlocks, violations of atomicity "
			   "and of order "
			   "that did not happen in them, but can in another execution.",
		.table = table,
		.details = "Each prediction has been proved: there is another order of the "
			   "recorded events "
			   "that the program must be able to perform, and an independent checker "
			   "has accepted "
			   "it. A claim is reported once for each set of source places. TRACE is "
			   "what 'heddle "
			   "record' wrote, or RAPID's STD text (with br, if it has branches). PROG "
			   "is the "
			   "program that --confirm runs (default: the recorded one, with its "
			   "arguments). Its "
			   "output is not shown, and its input is the same for all runs if it is a "
			   "file, "
			   "otherwise empty. Each finding gets a witness for 'heddle replay', "
			   "which says "
			   "whether it is confirmed or only predicted. An interruption ends the "
			   "search, "
			   "and what was found is reported. "
			   "doc/PREDICT.md says what is assumed.",
	};
	int rc = opts_parse(&spec, argc, argv, operand, help, err);
	if (!rc && *help)
		opts_print_help(&spec, stdout);
	return rc || *help ? rc : check_operands(c, argc - *operand, err);
}

/* ---- when to stop ---- */

static volatile sig_atomic_t is_interrupted;

/* Who asks again a second later wants an end at once; some tools send the signal twice. */
static void interrupt(int number)
{
	static uint64_t first;
	uint64_t now = clock_now_ns() / NS_PER_SECOND;
	if (is_interrupted && now > first + 1) {
		signal(number, SIG_DFL);
		raise(number);
	}
	if (!is_interrupted)
		first = now;
	is_interrupted = 1;
}

static void catch_interruption(sigset_t *before)
{
	struct sigaction action = { .sa_handler = interrupt };
	sigprocmask(SIG_SETMASK, NULL, before);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

uint64_t predict_time_left(const struct predict_command *c)
{
	if (!c->end_ns)
		return UINT64_MAX;
	uint64_t now = clock_now_ns();
	return c->end_ns > now ? c->end_ns - now : 0;
}

bool predict_is_over(const struct predict_command *c)
{
	stop_watch(c->is_interrupted, c->end_ns);
	return stop_is_requested();
}

/*
 * How many hooks a recorded run may pass.  A program that does not end passes many in a short
 * time, since recording costs less than analysis.
 */
static uint64_t recording_steps(const struct predict_command *c)
{
	uint64_t left = predict_time_left(c);
	uint64_t steps =
		left == UINT64_MAX ? RECORDING_STEPS : left / (1000000000 / HOOKS_PER_SECOND);
	steps = steps < HOOKS_LEAST ? HOOKS_LEAST : steps;
	return steps < RECORDING_STEPS ? steps : RECORDING_STEPS;
}

/*
 * How long a recorded run may take: what it shows is to be analysed, too, so a program that does
 * not end gets a part of the time that is left.  Nanoseconds; 0: as long as it likes.
 */
static uint64_t recording_time(const struct predict_command *c)
{
	uint64_t wanted = c->timeout * 1000000000ull, left = predict_time_left(c);
	uint64_t share = left == UINT64_MAX ? 0 : left / RECORDING_SHARE + 1;
	return wanted && share ? (wanted < share ? wanted : share) : wanted + share;
}

/* ---- traces ---- */

static int predict_trace(struct predict_command *c, const char *trace, uint64_t seed,
			 bool has_little_time, struct predict_result *r, struct err *err)
{
	struct predicted *p = mem_zero(1, sizeof(*p));
	p->shows_failures = c->runs != 0;
	p->seed = seed;
	p->has_little_time = has_little_time;
	int rc = predicted_make(p, c, trace, err);
	if (!rc) {
		predict_result_take(r, p);
		return 0;
	}
	predicted_release(p);
	mem_free(p);
	return rc;
}

/* Record, predict, confirm, one seed after the other. */
static int predict_runs(struct predict_command *c, struct predict_result *r, struct err *err)
{
	struct buf trace = { 0 };
	int rc = file_temporary(&trace, err);
	if (rc)
		return rc;
	for (uint64_t i = 0; i < c->runs && !rc && !predict_is_over(c); i++) {
		char stage[64];
		snprintf(stage, sizeof(stage), "run %llu of %llu", (unsigned long long)(i + 1),
			 (unsigned long long)c->runs);
		predict_tell_stage(c, stage);
		const struct record_request how = { c->program_argv, c->seed + i, recording_time(c),
						    recording_steps(c), c->mask };
		bool was_interrupted = false;
		rc = record_run(&how, trace.at, &was_interrupted, err);
		if (was_interrupted)
			is_interrupted = 1;
		if (rc || was_interrupted)
			break;
		r->runs++;
		rc = predict_trace(c, trace.at, how.seed, how.steps < RECORDING_STEPS, r, err);
	}
	r->is_cut_off |= r->runs < c->runs;
	unlink(trace.at);
	buf_release(&trace);
	return rc;
}

/* Why there may be more than was found. */
static const char *gap_of(const struct predict_result *r)
{
	if (is_interrupted)
		return "it was interrupted";
	if (r->is_cut_off)
		return "the time is over";
	if (r->is_short_of_memory)
		return "the memory is not enough for the whole trace";
	if (r->is_incomplete)
		return "the trace is cut off";
	if (r->unknown)
		return "some questions were too large";
	return r->left_out ? "too many instances of the same places to ask about all of them"
			   : NULL;
}

/* Find, show, tell. */
static int work(struct predict_command *c, const char *from, struct predict_result *r,
		struct err *err)
{
	sigset_t mask;
	c->end_ns = c->seconds ? clock_now_ns() + c->seconds * NS_PER_SECOND : 0;
	c->stage = isatty(STDERR_FILENO) && !c->is_quiet ? "" : NULL;
	catch_interruption(&mask);
	c->mask = &mask;
	int rc = c->runs ? predict_runs(c, r, err) : predict_trace(c, from, 0, false, r, err);
	r->gap = gap_of(r);
	if (!rc && c->confirms)
		rc = predict_result_show(r, c, err);
	else if (!rc)
		predict_result_note_predictions(r, c, from);
	predict_clear_progress(c);
	/* After an error, what was found before it is told, too. */
	if (!rc || r->told.len)
		predict_result_tell(r, c, from);
	return rc;
}

int cmd_replay_prediction(const char *file, char **program_argv, bool *is_one)
{
	struct predict_command c = { .jobs = 1,
				     .is_interrupted = &is_interrupted,
				     .confirms = true,
				     .program_argv = program_argv };
	struct predict_result r = { 0 };
	struct err err;
	char *trace = NULL;
	*is_one = prediction_read(file, &trace, &c.claim);
	if (!*is_one)
		return EXIT_NOTHING;
	parse_kinds(NULL, &c.options.kinds, &err);
	int rc = work(&c, trace, &r, &err);
	bool is_confirmed = false;
	for (size_t i = 0; i < r.told.len; i++) {
		const struct predicted *p = r.traces.at[r.told.at[i].trace];
		is_confirmed |=
			p->findings.list.at[r.told.at[i].finding].status == FINDING_CONFIRMED;
	}
	predict_result_release(&r);
	mem_free(trace);
	return rc ? cmd_fail(rc, &err) : is_confirmed ? EXIT_FINDING : EXIT_INCONCLUSIVE;
}

int cmd_predict(int argc, char **argv)
{
	struct predict_command c = { .seed = 1, .jobs = 1, .is_interrupted = &is_interrupted };
	struct predict_result r = { 0 };
	struct err err;
	int operand;
	bool help = false;
	int rc = parse(&c, argc, argv, &operand, &help, &err);
	if (!rc && !help)
		rc = parse_kinds(c.kinds, &c.options.kinds, &err);
	if (rc)
		return cmd_fail(rc, &err);
	if (help)
		return EXIT_NOTHING;
	c.confirms |= c.runs != 0;
	c.program_argv = c.runs ? argv + operand : argc - operand > 1 ? argv + operand + 1 : NULL;
	rc = work(&c, argv[operand], &r, &err);
	if (!rc && c.json)
		rc = predict_result_write_json(&r, &c, &err);
	int status = r.told.len ? EXIT_FINDING : r.gap ? EXIT_INCONCLUSIVE : EXIT_NOTHING;
	predict_result_release(&r);
	return rc ? cmd_fail(rc, &err) : status;
}
