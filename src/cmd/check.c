/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle check: explores the schedules of a program until all are covered, a bug is found, or the
 * budget ends, and says which of the three it was.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/check_print.h"
#include "base/settings.h"
#include "cmd/cmd.h"

/* enum explore_restart */
static const char *const restart_words[] = { "auto", "inplace", "fork", "exec", NULL };

static const char *const depend_words[] = { "all", "taint", NULL };

#define OPTIONS 40

struct options {
	struct opt at[OPTIONS + 1]; /* ends with an empty one */
	size_t count;
};

static void add_options(struct options *to, const struct opt *list, size_t count)
{
	for (size_t i = 0; i < count && to->count < OPTIONS; i++)
		to->at[to->count++] = list[i];
}

/* What is explored, and how. */
static void add_choices(struct options *to, struct check_options *o)
{
	const struct opt list[] = {
		{ 0, "strategy", OPT_CHOICE, &o->strategy, NULL, check_strategy_help, 0, 0,
		  check_strategy_words },
		{ 0, "depend", OPT_CHOICE, &o->depend, NULL,
		  "For mcr: what a thread does after a read may depend on it: always (all), or "
		  "unless the machine code shows that nothing depends on the value (taint; default "
		  "all).",
		  0, 0, depend_words },
		{ 0, "outcomes", OPT_FLAG, &o->has_outcomes, NULL,
		  "Continue after failures, and show every distinct outcome with how many "
		  "executions gave it and a witness.",
		  0, 0, NULL },
		{ 0, "ignore-output-order", OPT_FLAG, &o->ignores_output_order, NULL,
		  "For --outcomes: those that differ only in the order of the lines that were "
		  "written to a descriptor count as one.",
		  0, 0, NULL },
		{ 0, "continue", OPT_FLAG, &o->goes_on, NULL, "Continue after a failure.", 0, 0,
		  NULL },
		{ 0, "kinds", OPT_STRING, &o->kinds, "LIST",
		  "Kinds of findings to look for, separated by commas (default: all).", 0, 0,
		  NULL },
		{ 0, "memory", OPT_CHOICE, &o->memory, NULL, "Memory model (default sc).", 0, 0,
		  memory_names },
		{ 0, "heap", OPT_CHOICE, &o->heap, NULL,
		  "Whether freed memory may be given out again within an execution (default fresh: "
		  "it is not).",
		  0, 0, heap_names },
		{ 0, "spurious", OPT_NUMBER, &o->spurious, "N",
		  "Let waits on condition variables end without a cause, as POSIX allows, at most "
		  "N times in each thread (default 0).",
		  0, SPURIOUS_MAX, NULL },
		{ 0, "backend", OPT_CHOICE, &o->backend, NULL,
		  "What the program's threads are: fibers, or real threads, each execution then in "
		  "a new process (default auto: fibers).",
		  0, 0, backend_names },
		{ 0, "restart", OPT_CHOICE, &o->restart, NULL,
		  "How the program is restarted for the next execution (default auto: the fastest "
		  "way that works).",
		  0, 0, restart_words },
	};
	add_options(to, list, sizeof(list) / sizeof(*list));
}

/* How much of it. */
static void add_limits(struct options *to, struct check_options *o)
{
	const struct opt list[] = {
		{ 0, "time", OPT_NUMBER, &o->seconds, "SECONDS",
		  "End the search after this time, 0 for never (default 0).", 0, 1000000000, NULL },
		{ 0, "executions", OPT_NUMBER, &o->executions, "N",
		  "End the search after N executions, 0 for never; additional random schedules are "
		  "not counted (default 0).",
		  0, UINT64_MAX, NULL },
		{ 0, "steps", OPT_NUMBER, &o->steps, "N",
		  "Limit of hooks in one execution, 0 for none (default 1000000, or fewer if the "
		  "program does not end by itself).",
		  0, UINT64_MAX - 1, NULL },
		{ 0, "threads", OPT_NUMBER, &o->threads, "N",
		  "Limit of threads in one execution, 0 for none (default 1000).", 0,
		  UINT64_MAX - 1, NULL },
		{ 0, "rounds", OPT_NUMBER, &o->rounds, "N",
		  "Limit of rounds that a loop makes in a row while it polls, sees nothing new and "
		  "is not recognised as waiting, 0 for none (default: none, or few if the search "
		  "does not end).",
		  0, UINT32_MAX, NULL },
		{ 0, "loops", OPT_NUMBER, &o->loops, "N",
		  "Limit of rounds that a thread makes of any loop, 0 for none (default: none, or "
		  "few if executions become longer without an end).",
		  0, UINT32_MAX, NULL },
		{ 0, "seed", OPT_NUMBER, &o->seed, "N", "Seed of random schedules (default 0).", 0,
		  UINT64_MAX, NULL },
		{ 0, "preemptions", OPT_NUMBER, &o->preemptions, "N",
		  "Explore only what follows from executions in which a thread that could continue "
		  "was interrupted at most N times (default: any number).",
		  0, UINT64_MAX, NULL },
		{ 0, "memory-limit", OPT_NUMBER, &o->memory_limit, "MEGABYTES",
		  "Memory that a process of the program may have; one that needs more is ended and "
		  "its execution tried again (default 0: no limit).",
		  0, 1u << 30, NULL },
		{ 'j', "jobs", OPT_NUMBER, &o->jobs, "N",
		  "Workers that explore together, each with a process of the program (default 1).",
		  1, CHECK_JOBS_MAX, NULL },
	};
	add_options(to, list, sizeof(list) / sizeof(*list));
}

/* What is written. */
static void add_files(struct options *to, struct check_options *o)
{
	const struct opt list[] = {
		{ 0, "ledger", OPT_STRING, &o->ledger, "FILE",
		  "Where the state of the search is kept while it runs, and if it ends early "
		  "(default: the program's name and .ledger, here, once it takes some seconds; "
		  "none: nowhere).",
		  0, 0, NULL },
		{ 0, "resume", OPT_STRING, &o->resume, "FILE",
		  "Continue the search of this ledger, which must have had the same program and "
		  "options.",
		  0, 0, NULL },
		{ 'o', "output", OPT_STRING, &o->output, "PREFIX",
		  "Beginning of the names of witnesses (default: the program's name, here; none: "
		  "no witnesses are written).",
		  0, 0, NULL },
		{ 0, "json", OPT_STRING, &o->json, "FILE",
		  "Write the result as JSON, - for standard output.", 0, 0, NULL },
		{ 0, "stats", OPT_FLAG, &o->has_stats, NULL,
		  "Say how many executions were redundant and how fast they were.", 0, 0, NULL },
		{ 0, "all-frames", OPT_FLAG, &o->all_frames, NULL,
		  "Show functions of library headers, too, not only the program's own.", 0, 0,
		  NULL },
		{ 'q', "quiet", OPT_FLAG, &o->is_quiet, NULL,
		  "Say nothing if there is nothing to report.", 0, 0, NULL },
	};
	add_options(to, list, sizeof(list) / sizeof(*list));
}

static int parse(struct check_options *o, int argc, char **argv, int *operand, bool *help,
		 struct err *err)
{
	struct options options = { 0 };
	add_choices(&options, o);
	add_limits(&options, o);
	add_files(&options, o);
	const struct opt_spec spec = {
		"check",
		"PROG [ARG...]",
		"Explores every schedule of a program.",
		"The program must have been built by 'heddle cc' or 'heddle c++'.  It is run again "
		"and again,\n"
		"each time with another schedule, until every behaviour that thread order can "
		"cause was seen.\n"
		"What it writes to standard output and standard error is kept as its outcome and "
		"not shown.\n"
		"The first failure ends the search; a data race by itself does not.\n",
		options.at,
		NULL,
	};
	return cmd_parse(&spec, "program", argc, argv, operand, help, err);
}

/* Every word of --kinds must be one. */
static int check_kinds(const char *kinds, struct err *err)
{
	for (const char *at = kinds; at && *at; at += *at == ',') {
		size_t len = strcspn(at, ",");
		if (finding_kind_named(at, len) < 0)
			return err_set(err, ERR_USAGE,
				       "heddle check: '%.*s' is not a kind of finding", (int)len,
				       at);
		at += len;
	}
	return 0;
}

static int check_strategy(const struct check_options *o, struct err *err)
{
	if (o->depend && strncmp(check_strategy_words[o->strategy], "mcr", 3))
		return err_set(err, ERR_USAGE,
			       "heddle check: --depend=taint is for mcr, mcr-value and mcr-plain");
	return 0;
}

static int exit_status(const struct check *c)
{
	if (c->findings.len)
		return EXIT_FINDING;
	if (c->result.stop == STOP_UNSUPPORTED)
		return EXIT_INPUT;
	return c->summary.is_complete ? EXIT_NOTHING : EXIT_INCONCLUSIVE;
}

int cmd_check(int argc, char **argv)
{
	struct check c = { .options = check_defaults(), .ledger = { .fd = -1 } };
	struct check_progress progress = { 0 };
	struct err err;
	int operand, status = 0;
	bool help = false;
	int rc = parse(&c.options, argc, argv, &operand, &help, &err);
	if (!rc && !help)
		rc = check_kinds(c.options.kinds, &err);
	if (!rc && !help)
		rc = check_strategy(&c.options, &err);
	if (rc)
		return cmd_fail(rc, &err);
	if (help)
		return EXIT_NOTHING;
	if (isatty(STDERR_FILENO) && !c.options.is_quiet)
		c.progress = check_print_progress;
	c.progress_arg = &progress;
	rc = check_run(&c, argv + operand, &err);
	if (!rc) {
		check_print(&c, &(struct check_words){ argv + 1, argv + operand });
		status = exit_status(&c);
		if (c.options.json)
			rc = check_write_json(&c, &err);
		/* A search that is killed before everything was printed can be continued. */
		if (!rc && !c.is_cut && (c.result.stop == STOP_DONE || c.result.stop == STOP_FOUND))
			ledger_remove(&c.ledger);
	}
	check_release(&c);
	return rc < 0 ? cmd_fail(rc, &err) : status;
}
