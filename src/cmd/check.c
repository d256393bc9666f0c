/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle check: explores the schedules of a program until all are covered, a bug is found, or the budget ends, and says
 * which of the three it was.
 */
#include "cmd/check.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/cmd.h"

static const char *const strategy_words[] = { "auto", "deepening", "dpor", "mcr", "dfs", NULL };
static const char *const memory_words[] = { "sc", "tso", "pso", NULL };		/* enum wire_memory */
static const char *const heap_words[] = { "fresh", "reuse", NULL };		/* enum wire_heap */
static const char *const backend_words[] = { "auto", "fibers", "threads", NULL };	/* enum wire_backend */
static const char *const restart_words[] = { "auto", "inplace", "fork", "exec", NULL };	/* enum explore_restart */

#define NO_PREEMPTION_BOUND UINT64_MAX
#define DEFAULT_STEPS 1000000
#define SHORTEN_TRIES 300

static int parse(struct check_options *o, int argc, char **argv, int *operand, bool *help, struct err *err)
{
	const struct opt table[] = {
		{ 0, "strategy", OPT_CHOICE, &o->strategy, NULL,
		  "How schedules are chosen: dpor explores one of each class of equivalent ones; deepening does so first for "
		  "changes of threads at synchronisation only, and then adds instructions that were seen to race; mcr "
		  "explores one of those in which everything read comes from the same writes; dfs tries "
		  "every order of steps (default auto: deepening under sc, otherwise dpor).",
		  0, 0, strategy_words },
		{ 0, "outcomes", OPT_FLAG, &o->has_outcomes, NULL,
		  "Go on after failures, and show every distinct outcome with how many executions gave it and a witness.", 0, 0,
		  NULL },
		{ 0, "continue", OPT_FLAG, &o->goes_on, NULL, "Go on after a failure.", 0, 0, NULL },
		{ 0, "kinds", OPT_STRING, &o->kinds, "LIST",
		  "Kinds of findings that are looked for, with commas between them (default: all).", 0, 0, NULL },
		{ 0, "memory", OPT_CHOICE, &o->memory, NULL, "Memory model (default sc).", 0, 0, memory_words },
		{ 0, "heap", OPT_CHOICE, &o->heap, NULL,
		  "Whether freed memory may be given out again within an execution (default fresh: it is not).", 0, 0,
		  heap_words },
		{ 0, "backend", OPT_CHOICE, &o->backend, NULL,
		  "What the program's threads are: fibers, or real threads, each execution then in a new process (default auto: "
		  "fibers).",
		  0, 0, backend_words },
		{ 0, "restart", OPT_CHOICE, &o->restart, NULL,
		  "How the program is brought back to its beginning for the next execution (default auto: the fastest way that "
		  "works).",
		  0, 0, restart_words },
		{ 0, "time", OPT_NUMBER, &o->seconds, "SECONDS", "End the search after this time, 0 for never (default 0).", 0,
		  1000000000, NULL },
		{ 0, "executions", OPT_NUMBER, &o->executions, "N", "End the search after so many, 0 for never (default 0).", 0,
		  UINT64_MAX, NULL },
		{ 0, "steps", OPT_NUMBER, &o->steps, "N",
		  "Limit of hooks in one execution, 0 for none (default 1000000).", 0, UINT64_MAX, NULL },
		{ 'o', "output", OPT_STRING, &o->output, "PREFIX",
		  "Beginning of the names of witnesses (default: the program's name, here).", 0, 0, NULL },
		{ 0, "json", OPT_STRING, &o->json, "FILE", "Write the result as JSON, - for standard output.", 0, 0, NULL },
		{ 0, "stats", OPT_FLAG, &o->has_stats, NULL, "Say how many executions were redundant and how fast they were.", 0,
		  0, NULL },
		{ 'q', "quiet", OPT_FLAG, &o->is_quiet, NULL, "Say nothing if there is nothing to report.", 0, 0, NULL },
		{ 0, NULL, OPT_FLAG, NULL, NULL, NULL, 0, 0, NULL },
	};
	const struct opt_spec spec = {
		"check",
		"PROG [ARG...]",
		"Explores every schedule of a program.",
		"The program must have been built by 'heddle cc' or 'heddle c++'.  It is run again and again,\n"
		"each time with another schedule, until every behaviour that threads can cause was seen.\n"
		"What it writes to standard output and standard error is kept as its outcome and not shown.\n"
		"The first failure ends the search; a data race by itself does not.\n",
		table,
		NULL,
	};
	int rc = opts_parse(&spec, argc, argv, operand, help, err);
	if (!rc && *help)
		opts_print_help(&spec, stdout);
	if (!rc && !*help && *operand >= argc)
		rc = err_set(err, ERR_USAGE, "heddle check: no program is given; 'heddle check --help' explains the use");
	return rc;
}

/* Every word of --kinds must be one. */
static int check_kinds(const char *kinds, struct err *err)
{
	for (const char *at = kinds; at && *at; at += *at == ',') {
		size_t len = strcspn(at, ",");
		if (check_kind(at, len) < 0)
			return err_set(err, ERR_USAGE, "heddle check: '%.*s' is not a kind of finding", (int)len, at);
		at += len;
	}
	return 0;
}

/* ---- interruption: what was found is kept ---- */

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal)
{
	(void)signal;
	is_interrupted = 1;
}

static void catch_interruption(sigset_t *before)
{
	struct sigaction action = { .sa_handler = interrupt };
	sigprocmask(SIG_SETMASK, NULL, before);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* ---- the search ---- */

static int run_worker(void *program, const struct plan *plan, struct execution *out, struct err *err)
{
	return worker_run(program, plan, out, err);
}

/* The witness of a finding or an outcome: PREFIX.witness, or with a number. */
static void witness_name(const struct check *c, const char *what, size_t number, size_t count, struct buf *out)
{
	const char *base = strrchr(c->program.path.at, '/');
	base = base ? base + 1 : c->program.path.at;
	buf_str(out, c->options.output ? c->options.output : base);
	if (count > 1 || what[0])
		buf_printf(out, ".%s%zu", what, number + 1);
	buf_str(out, ".witness");
}

/* Everything that is told gets an execution in full: failures, shortened, then races, then outcomes. */
static int repeat_all(struct check *c, const struct explore_config *config, struct err *err)
{
	struct explore_result *r = &c->result;
	struct buf name = {0};
	int rc = 0;
	for (size_t i = 0; i < r->failures.len && !rc; i++) {
		struct explore_failure *f = &r->failures.at[i];
		size_t index = NO_REPEAT;
		if (check_wants_failure(&c->options, f->failure)) {
			rc = explore_shorten(config, f, &f->schedule, SHORTEN_TRIES, err);
			buf_clear(&name);
			witness_name(c, "", i, r->failures.len, &name);
			struct plan plan = schedule_plan(&f->schedule, f->schedule.turns.len);
			if (!rc)
				rc = check_repeat(c, &plan, NULL, name.at, &index, err);
		}
		vec_push(&c->failure_repeat, index);
	}
	for (size_t i = 0; i < r->races.found.len && !rc; i++) {
		const struct race *race = &r->races.found.at[i];
		size_t index = NO_REPEAT;
		buf_clear(&name);
		witness_name(c, "race", i, r->races.found.len, &name);
		struct plan plan = schedule_plan(&race->schedule, race->schedule.turns.len);
		rc = check_repeat(c, &plan, race, name.at, &index, err);
		vec_push(&c->race_repeat, index);
	}
	for (size_t i = 0; i < r->outcomes.len && !rc && c->options.has_outcomes; i++) {
		const struct outcome *o = &r->outcomes.at[i];
		size_t index = NO_REPEAT;
		buf_clear(&name);
		witness_name(c, "outcome", i, r->outcomes.len, &name);
		struct plan plan = schedule_plan(&o->schedule, o->schedule.turns.len);
		rc = check_repeat(c, &plan, NULL, name.at, &index, err);
		vec_push(&c->outcome_repeat, index);
	}
	/* What a verdict rests on is learnt from a whole execution. */
	size_t index;
	if (!rc && !c->repeats.len && r->executions)
		rc = check_repeat(c, &(struct plan){0}, NULL, NULL, &index, err);
	buf_release(&name);
	return rc;
}

/* Deepening rests on a theorem about sequential consistency. */
static const struct strategy *strategy_of(const struct check_options *o)
{
	if (strategy_words[o->strategy] == strategy_words[0])
		return o->memory == MEMORY_SC ? &strategy_deepening : &strategy_dpor;
	return strategy_find(strategy_words[o->strategy]);
}

static int check_program(struct check *c, struct err *err)
{
	const struct check_options *o = &c->options;
	sigset_t mask;
	catch_interruption(&mask);
	struct worker worker;
	struct worker_config w = {
		.path = c->program.path.at,
		.argv = c->argv,
		.memory = (enum wire_memory)o->memory,
		.heap = (enum wire_heap)o->heap,
		.backend = (enum wire_backend)o->backend,
		.restart = (enum explore_restart)o->restart,
		.step_limit = o->steps,
		.mask = &mask,
		.stop = &is_interrupted,
	};
	int rc = worker_start(&worker, &w, err);
	struct explore_config config = {
		.strategy = strategy_of(o),
		.run = run_worker,
		.program = &worker,
		.max_executions = o->executions,
		.max_seconds = o->seconds,
		.max_preemptions = NO_PREEMPTION_BOUND,
		.goes_on = o->goes_on || o->has_outcomes,
		.keeps_outcomes = o->has_outcomes,
		.finds_races = check_wants_kind(o, FINDING_RACE),
		.stop = &is_interrupted,
		.tell_progress = isatty(STDERR_FILENO) && !o->is_quiet ? check_tell_progress : NULL,
		.tell_arg = c,
	};
	if (!rc)
		rc = explore(&config, &c->result, err);
	if (!rc) {
		c->summary.is_complete = explore_is_complete(&config, &c->result);
		is_interrupted = 0;
		rc = repeat_all(c, &config, err);
	}
	worker_release(&worker);
	return rc;
}

int cmd_check(int argc, char **argv)
{
	struct check c = { .options = { .steps = DEFAULT_STEPS, .preemptions = NO_PREEMPTION_BOUND },
			   .summary = { .command = "check" } };
	struct err err;
	int operand, status = 0;
	bool help = false;
	int rc = parse(&c.options, argc, argv, &operand, &help, &err);
	if (!rc && !help)
		rc = check_kinds(c.options.kinds, &err);
	if (rc)
		return cmd_fail(rc, &err);
	if (help)
		return EXIT_NOTHING;
	c.argv = argv + operand;
	rc = execution_find_program(&c.program, argv[operand], &err);
	if (!rc)
		rc = check_program(&c, &err);
	if (!rc) {
		check_tell(&c);
		status = check_status(&c);
		if (c.options.json)
			rc = check_write_json(&c, &err);
	}
	check_repeats_release(&c);
	explore_result_release(&c.result);
	report_summary_release(&c.summary);
	execution_release_program(&c.program);
	return rc < 0 ? cmd_fail(rc, &err) : status;
}
