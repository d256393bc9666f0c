// SPDX-License-Identifier: Apache-2.0
/* heddle predict: what can go wrong in other executions that one trace proves possible. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd/cmd.h"
#include "cmd/predict_program.h"
#include "oracle/from_trace.h"
#include "predict/confirm.h"
#include "report/claims.h"
#include "report/report.h"
#include "report/terminal.h"
#include "trace/std.h"

#define CONFIRM_STEPS 10000000	/* hooks of one run */

struct predict_command {
	const char *kinds, *json;
	uint64_t seconds;
	bool is_quiet, has_stats, confirms;
	char **program_argv;		/* given for confirmation; NULL: what the trace names */
	/* What is worked on. */
	const char *given;		/* as the user named it */
	const char *trace;		/* its path: an imported copy if it is STD */
	char copy[64];
	struct timespec end;
	struct trace_index index;
	struct history_source history;
	struct prediction prediction;
	struct history_source relaxed;	/* with --confirm: claims that are not proved */
	struct prediction unproved;
	struct buf program;		/* its path */
	struct confirmer confirmer;
	VEC(struct confirmation) confirmations;	/* of the prediction, then of the unproved claims */
	VEC(char *) program_words;	/* name and arguments as recorded */
	struct trace_reader *reader;	/* has the tables */
	struct scene scene;
	struct names names;
	struct findings findings;
	struct claim_events events;
};

/* ---- options ---- */

static int parse_kinds(const char *text, unsigned *kinds, struct err *err)
{
	static const struct { const char *name; unsigned bit; } words[] = { { "race", PREDICT_RACE },
		{ "deadlock", PREDICT_DEADLOCK }, { "atomicity", PREDICT_ATOMICITY }, { "order", PREDICT_ORDER } };
	*kinds = 0;
	for (const char *at = text; at && *at;) {
		size_t len = strcspn(at, ",");
		unsigned bit = 0;
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (strlen(words[i].name) == len && !memcmp(words[i].name, at, len))
				bit = words[i].bit;
		if (!bit)
			return err_set(err, ERR_USAGE, "heddle predict: --kinds has race, deadlock, atomicity and order, not '%.*s'",
				(int)len, at);
		*kinds |= bit;
		at += len + (at[len] == ',');
	}
	if (!*kinds)
		*kinds = PREDICT_RACE | PREDICT_DEADLOCK | PREDICT_ATOMICITY | PREDICT_ORDER;
	return 0;
}

static int parse(struct predict_command *c, int argc, char **argv, int *operand, bool *help, struct err *err)
{
	const struct opt table[] = {
		{ 0, "confirm", OPT_FLAG, &c->confirms, NULL,
		  "Run the program by each witness and see whether it does what is predicted; also try claims that the trace "
		  "alone does not prove, and tell those that are confirmed.", 0, 0, NULL },
		{ 0, "kinds", OPT_STRING, &c->kinds, "LIST",
		  "What to look for: any of race, deadlock, atomicity, order, with commas (default: all).", 0, 0, NULL },
		{ 0, "time", OPT_NUMBER, &c->seconds, "SECONDS",
		  "Stop asking after this time and tell what was found until then, with status 4 if that is nothing; 0 for "
		  "never (default 0).", 0, 1000000000, NULL },
		{ 0, "json", OPT_STRING, &c->json, "FILE", "Write the result as JSON, - for standard output.", 0, 0, NULL },
		{ 0, "stats", OPT_FLAG, &c->has_stats, NULL, "Say how many operations, candidates and questions there were.", 0, 0,
		  NULL },
		{ 'q', "quiet", OPT_FLAG, &c->is_quiet, NULL, "Say nothing if there is nothing to report.", 0, 0, NULL },
		{ 0 },
	};
	const struct opt_spec spec = {
		.command = "predict",
		.operands = "TRACE [PROG [ARG...]]",
		.summary = "Predicts bugs from one trace: races, deadlocks, violations of atomicity and of order that did not "
			   "happen in it, but can in another execution.",
		.table = table,
		.details = "Each prediction has been proved: there is another order of the recorded events that the program must be "
			   "able to perform, and an independent checker has accepted it. A claim is told once for each set of source "
			   "places. TRACE is what 'heddle record' wrote, or RAPID's STD text (with br, if it has branches). "
			   "PROG is the program that --confirm runs (default: the recorded one, with its arguments). "
			   "doc/PREDICT.md says what is assumed.",
	};
	int rc = opts_parse(&spec, argc, argv, operand, help, err);
	if (!rc && *help)
		opts_print_help(&spec, stdout);
	if (!rc && !*help && (argc == *operand || (argc - *operand > 1 && !c->confirms)))
		rc = err_set(err, ERR_USAGE, "heddle predict: give one trace, and a program only with --confirm; "
			"'heddle predict --help' explains the use");
	return rc;
}

/* ---- what the predictor asks ---- */

static bool is_over(void *arg)
{
	const struct predict_command *c = arg;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return c->seconds &&
		(now.tv_sec > c->end.tv_sec ||
		 (now.tv_sec == c->end.tv_sec && now.tv_nsec >= c->end.tv_nsec));
}

/* In one function, the second one further down; or a read and a write in one line. */
static bool is_region(void *arg, loc_id first, loc_id second)
{
	const struct predict_command *c = arg;
	const struct trace_tables *t = trace_reader_tables(c->reader);
	if (first >= t->locations.len || second >= t->locations.len)
		return false;
	const struct location *a = &t->locations.at[first], *b = &t->locations.at[second];
	return a->line && a->line < b->line && a->function[0] && !strcmp(a->function, b->function) &&
		!strcmp(a->file, b->file);
}

/* ---- steps of the work ---- */

/* STD becomes a trace in a temporary file, since the index is built from a file. */
static int import(struct predict_command *c, struct err *err)
{
	struct trace_writer *w;
	bool is_std;
	int rc = std_detect(c->given, &is_std, err);
	if (rc || !is_std)
		return rc;
	snprintf(c->copy, sizeof(c->copy), "/tmp/heddle-predict-XXXXXX");
	int fd = mkstemp(c->copy);
	if (fd < 0) {
		c->copy[0] = 0;
		return err_set(err, ERR_IO, "cannot make a file in /tmp: %m");
	}
	close(fd);
	c->trace = c->copy;
	rc = trace_writer_open(&w, c->copy, TRACE_BINARY, err);
	return rc ? rc : std_import(c->given, STD_BEGIN_THREADS, w, err);
}

/* Tables are complete, and the scene has followed everything, when all has been read. */
static int read_all(struct predict_command *c, struct err *err)
{
	struct event e;
	int rc = trace_reader_open(&c->reader, c->trace, err);
	while (!rc && (rc = trace_reader_next(c->reader, &e, err)) > 0) {
		scene_follow(&c->scene, &e);
		claim_events_take(&c->events, &e);
		rc = 0;
	}
	return rc;
}

static void ask(struct predict_command *c, struct predict_options *o)
{
	o->arg = c;
	o->is_over = is_over;
	o->is_region = is_region;
	predict(&c->history.h, &c->index, o, &c->prediction);
	if (!c->confirms)
		return;
	o->is_generous = true;
	predict(&c->relaxed.h, &c->index, o, &c->unproved);
}

static bool is_proved(const struct predict_command *c, const struct claim *claim)
{
	for (size_t i = 0; i < c->prediction.claims.len; i++)
		if (c->prediction.claims.at[i].key == claim->key)
			return true;
	return false;
}

/* ---- confirmation ---- */

/* The program and its arguments, from the command line or from the trace. */
static int find_program(struct predict_command *c, struct err *err)
{
	const struct trace_tables *t = trace_reader_tables(c->reader);
	const char *program = c->program_argv ? c->program_argv[0] : trace_fact(t, "program");
	if (!program)
		return err_set(err, ERR_USAGE, "heddle predict: the trace does not name a program; give one after it");
	int rc = predict_find_program(program, &c->program, err);
	const char *name = trace_fact(t, "name");
	vec_push(&c->program_words, mem_strdup(name ? name : program));
	for (char **arg = c->program_argv ? c->program_argv + 1 : NULL; arg && *arg; arg++)
		vec_push(&c->program_words, mem_strdup(*arg));
	char fact[32];
	for (size_t i = 0; !c->program_argv || !c->program_argv[1]; i++) {
		snprintf(fact, sizeof(fact), "arg.%zu", i);
		const char *word = trace_fact(t, fact);
		if (!word)
			break;
		vec_push(&c->program_words, mem_strdup(word));
	}
	vec_push(&c->program_words, NULL);
	return rc;
}

static int confirm_all(struct predict_command *c, const struct prediction *p, struct err *err)
{
	int rc = 0;
	for (size_t i = 0; i < p->claims.len && !rc; i++) {
		struct confirmation *one = vec_add(&c->confirmations);
		const struct claim *claim = &p->claims.at[i];
		if (p == &c->unproved && is_proved(c, claim))
			continue;
		rc = confirmer_try(&c->confirmer, &c->history.h, claim, one, err);
		/* That an access comes in between is a bug only if something comes of it. */
		if (p == &c->unproved && claim->kind == CLAIM_ATOMICITY && !one->failure)
			one->is_confirmed = false;
	}
	return rc;
}

static int confirm(struct predict_command *c, struct err *err)
{
	int rc = find_program(c, err);
	if (rc)
		return rc;
	struct worker_config config = { .path = c->program.at,
					.argv = c->program_words.at,
					.restart = RESTART_FORK,
					.step_limit = CONFIRM_STEPS };
	rc = confirmer_start(&c->confirmer, &config, c->trace, &c->index, err);
	if (!rc)
		rc = confirm_all(c, &c->prediction, err);
	if (!rc)
		rc = confirm_all(c, &c->unproved, err);
	confirmer_release(&c->confirmer);
	return rc;
}

/* ---- all of it ---- */

static int analyse(struct predict_command *c, struct predict_options *o, struct err *err)
{
	int rc = import(c, err);
	if (!rc)
		rc = index_build(&c->index, c->trace, NULL, err);
	if (!rc)
		rc = history_from_trace(&c->history, c->trace, &c->index, GUARDS_ALL, err);
	if (!rc && c->confirms)
		rc = history_from_trace(&c->relaxed, c->trace, &c->index, GUARDS_BRANCHES, err);
	if (!rc)
		rc = read_all(c, err);
	if (!rc)
		ask(c, o);
	if (!rc && c->confirms)
		rc = confirm(c, err);
	return rc;
}

/* Read the trace once more, for the events that are spoken of. */
static int make_findings(struct predict_command *c, struct err *err)
{
	const struct prediction *both[] = { &c->prediction, &c->unproved };
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < both[k]->claims.len; i++)
			claim_events_want(&c->events, &c->history.h, &both[k]->claims.at[i]);
	trace_reader_close(c->reader);
	c->reader = NULL;
	scene_release(&c->scene);
	scene_init(&c->scene);
	int rc = read_all(c, err);
	if (rc)
		return rc;
	c->names = (struct names){ .tables = trace_reader_tables(c->reader),
				   .scene = &c->scene,
				   .source = source_new(),
				   .program = trace_fact(trace_reader_tables(c->reader), "program") };
	size_t number = 0;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < both[k]->claims.len; i++, number++) {
			const struct confirmation *one = c->confirms ? &c->confirmations.at[number] : NULL;
			if (!k || one->is_confirmed)
				findings_add_claim(&c->findings, &both[k]->claims.at[i], one, &c->history.h,
						   &c->events, &c->scene, &c->names);
		}
	return 0;
}

/* ---- what is told ---- */

static void tell(struct predict_command *c)
{
	struct report_style style = terminal_style(STDERR_FILENO);
	struct buf text = {0};
	const struct prediction *p = &c->prediction;
	for (size_t i = 0; i < c->findings.list.len; i++) {
		report_finding(&c->findings.list.at[i], &c->names, &style, NULL, &text);
		buf_char(&text, '\n');
	}
	if (c->has_stats)
		buf_printf(&text,
			   "heddle: %llu events, %zu operations of %u threads, %u variables, %llu "
			   "candidates, %llu questions, %llu infeasible, %llu undecided\n",
			   (unsigned long long)c->index.count, c->history.h.ops.len, c->history.h.threads,
			   c->history.h.variables, (unsigned long long)p->candidates,
			   (unsigned long long)p->questions, (unsigned long long)p->infeasible,
			   (unsigned long long)p->unknown);
	if (p->is_cut_off)
		buf_str(&text, "heddle: the time is over; there may be more\n");
	if (!c->is_quiet || c->findings.list.len)
		buf_printf(&text, "heddle: %zu prediction%s from %s\n", c->findings.list.len,
			c->findings.list.len == 1 ? "" : "s", c->given);
	if (text.len)
		fwrite(text.at, 1, text.len, stderr);
	buf_release(&text);
}

static int write_json(struct predict_command *c, struct err *err)
{
	struct report_summary s = { .command = "predict", .executions = 1 };
	struct buf text = {0};
	if (c->prediction.is_cut_off)
		s.inconclusive = "the time is over";
	else if (c->prediction.unknown)
		s.inconclusive = "some questions were too large";
	report_add_assumption(&s, "memory-model:sc");
	if (c->history.assumptions & HISTORY_CLOCK)
		report_add_assumption(&s, "clock:ignored");
	if (c->history.assumptions & HISTORY_OUTSIDE)
		report_add_assumption(&s, "outside-writes:by-reader");
	if (c->history.assumptions & HISTORY_SIGNALS)
		report_add_assumption(&s, "signals:any-time");
	if (c->history.assumptions & HISTORY_BRANCHES)
		report_add_assumption(&s, "branches:recorded");
	report_json(&s, &c->findings, &c->names, &text);
	int rc = file_write(c->json, text.at, text.len, err);
	buf_release(&text);
	report_summary_release(&s);
	return rc;
}

static void release(struct predict_command *c)
{
	for (size_t i = 0; i < c->program_words.len; i++)
		mem_free(c->program_words.at[i]);
	vec_release(&c->program_words);
	vec_release(&c->confirmations);
	buf_release(&c->program);
	prediction_release(&c->unproved);
	history_release(&c->relaxed.h);
	findings_release(&c->findings);
	claim_events_release(&c->events);
	prediction_release(&c->prediction);
	names_release(&c->names);
	if (c->names.source)
		source_free(c->names.source);
	scene_release(&c->scene);
	if (c->reader)
		trace_reader_close(c->reader);
	history_release(&c->history.h);
	index_close(&c->index);
	if (c->copy[0])
		unlink(c->copy);
}

int cmd_predict(int argc, char **argv)
{
	struct predict_command c = {0};
	struct predict_options o = {0};
	struct err err;
	int operand;
	bool help = false;
	int rc = parse(&c, argc, argv, &operand, &help, &err);
	if (!rc && !help)
		rc = parse_kinds(c.kinds, &o.kinds, &err);
	if (rc)
		return cmd_fail(rc, &err);
	if (help)
		return EXIT_NOTHING;
	c.given = c.trace = argv[operand];
	clock_gettime(CLOCK_MONOTONIC, &c.end);
	c.end.tv_sec += (time_t)c.seconds;
	scene_init(&c.scene);
	c.program_argv = argc - operand > 1 ? argv + operand + 1 : NULL;
	rc = analyse(&c, &o, &err);
	if (!rc)
		rc = make_findings(&c, &err);
	if (!rc)
		tell(&c);
	if (!rc && c.json)
		rc = write_json(&c, &err);
	bool is_open = c.prediction.is_cut_off || c.prediction.unknown;
	int status = c.findings.list.len ? EXIT_FINDING : is_open ? EXIT_INCONCLUSIVE : EXIT_NOTHING;
	release(&c);
	return rc ? cmd_fail(rc, &err) : status;
}
