/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle run: a program at full speed, with races and order violations reported, or predicted,
 * while it runs.
 *
 * Options have two sources: the command line, and HEDDLE_OPTIONS, which has the form and many of
 * the names of TSan's TSAN_OPTIONS.
 *
 * Above 500 lines because both sources set the same fields, which all other functions here read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "binary/own_locks.h"
#include "binary/program.h"
#include "cmd/cmd.h"
#include "check/confirm.h"
#include "exec/parallel.h"
#include "exec/session.h"
#include "exec/stand_in.h"
#include "report/online.h"
#include "report/terminal.h"
#include "wire/run.h"

struct run_command {
	const char *json, *suppressions, *log;
	uint64_t history, limit, timeout, exit_code, sections, exit_wait, confirm_seconds;
	bool halts, is_quiet, has_no_prediction, has_no_lock_orders, has_no_fd, keeps_aslr;
	bool has_no_thread_leaks, has_no_signals;
	bool confirms, all_frames;
	off_t input_at; /* offset of standard input before the run; -1: it is no file */
	struct buf path;
	enum program_runtime runtime; /* of the command itself */
	int stand_in;		      /* >= 0: the program has started the tool (stand_in.h) */
	struct online online;
	FILE *out;
	struct report_style style;
	/* what a program said that could not be watched, or NULL, and its path */
	const char *trouble;
	char *troubled;
	bool is_watched;    /* a program is */
	bool has_slow;	    /* one was built for exploration */
	struct words texts; /* values of HEDDLE_OPTIONS */
};

static const char more_help[] =
	"Every program that the command starts is watched, and the command itself, if it "
	"was built by\n"
	"'heddle cc --for=run' or 'heddle c++ --for=run'; one without --for=run works, "
	"too, "
	"and is slower.\n"
	"So the command may be a script, make or ctest.  Input, output and environment are "
	"its own, and\n"
	"so is the exit status if nothing was found.  Watched processes that outlive it "
	"are "
	"waited for.\n"
	"\n"
	"HEDDLE_OPTIONS sets the same as TSAN_OPTIONS does for ThreadSanitizer: NAME=VALUE "
	"with colons or\n"
	"blanks between; names are halt_on_error, exitcode, log_path, suppressions, "
	"history_size,\n"
	"report_limit, atexit_sleep_ms, detect_deadlocks, predict, report_thread_leaks,\n"
	"report_signal_unsafe.  If it is set, a "
	"program "
	"that was built\n"
	"with --for=run and is started without 'heddle run' is watched as well.\n";

static int parse(struct run_command *c, int argc, char **argv, int *operand, bool *help,
		 struct err *err)
{
	const struct opt table[] = {
		{ 0, "json", OPT_STRING, &c->json, "FILE",
		  "Write the findings as JSON, too ('-': standard output).", 0, 0, NULL },
		{ 0, "suppressions", OPT_STRING, &c->suppressions, "FILE",
		  "Leave out findings that this file names, in ThreadSanitizer's syntax.", 0, 0,
		  NULL },
		{ 0, "log", OPT_STRING, &c->log, "FILE",
		  "Write findings there instead of to standard error.", 0, 0, NULL },
		{ 0, "halt", OPT_FLAG, &c->halts, NULL, "End the program at the first finding.", 0,
		  0, NULL },
		{ 0, "exit-status", OPT_NUMBER, &c->exit_code, "N",
		  "Exit status if something was found (default 1); 0: the program's own.", 0, 255,
		  NULL },
		{ 0, "limit", OPT_NUMBER, &c->limit, "N",
		  "Report at most N findings (default 1000).", 1, 1000000, NULL },
		{ 0, "history", OPT_NUMBER, &c->history, "N",
		  "Size of each thread's history, from which older stacks are made, in parts of 32 "
		  "KB (default 16).",
		  1, 4096, NULL },
		{ 0, "sections", OPT_NUMBER, &c->sections, "N",
		  "Critical sections of a lock that are kept one by one for predictions (default "
		  "8).",
		  1, 65536, NULL },
		{ 0, "no-prediction", OPT_FLAG, &c->has_no_prediction, NULL,
		  "Only what the observed order shows, like ThreadSanitizer.", 0, 0, NULL },
		{ 0, "no-lock-orders", OPT_FLAG, &c->has_no_lock_orders, NULL,
		  "Do not report cycles of lock orders.", 0, 0, NULL },
		{ 0, "no-thread-leaks", OPT_FLAG, &c->has_no_thread_leaks, NULL,
		  "Do not report threads that have ended and are neither joined nor detached.", 0,
		  0, NULL },
		{ 0, "no-signal-checks", OPT_FLAG, &c->has_no_signals, NULL,
		  "Do not report handlers that call unsafe functions or change errno.", 0, 0,
		  NULL },
		{ 0, "no-descriptors", OPT_FLAG, &c->has_no_fd, NULL,
		  "Do not follow file descriptors.", 0, 0, NULL },
		{ 0, "confirm", OPT_FLAG, &c->confirms, NULL,
		  "Then explore the same program for executions that show what was reported, and "
		  "keep witnesses; it must have been built without --for=run.",
		  0, 0, NULL },
		{ 0, "confirm-time", OPT_NUMBER, &c->confirm_seconds, "S",
		  "For how long (default 60 seconds).", 1, 1000000, NULL },
		{ 0, "exit-wait", OPT_NUMBER, &c->exit_wait, "MS",
		  "How long exit waits for other threads to end or to block (default 1000 "
		  "milliseconds).",
		  0, 1000000, NULL },
		{ 0, "timeout", OPT_NUMBER, &c->timeout, "S",
		  "Kill the program after S seconds (default: never), and say what each thread "
		  "does "
		  "and waits for.",
		  1, 1000000, NULL },
		{ 0, "keep-aslr", OPT_FLAG, &c->keeps_aslr, NULL,
		  "Leave the kernel's address randomisation on.", 0, 0, NULL },
		{ 0, "all-frames", OPT_FLAG, &c->all_frames, NULL,
		  "Show functions of library headers, too, not only the program's own.", 0, 0,
		  NULL },
		{ 'q', "quiet", OPT_FLAG, &c->is_quiet, NULL, "Findings only, no summary.", 0, 0,
		  NULL },
		{ 0, NULL, OPT_FLAG, NULL, NULL, NULL, 0, 0, NULL },
	};
	const struct opt_spec spec = {
		"run",
		"COMMAND [ARG...]",
		"Runs a program at full speed and predicts races and order violations while it "
		"runs.",
		more_help,
		table,
		NULL,
	};
	return cmd_parse(&spec, "program", argc, argv, operand, help, err);
}

/* ---- HEDDLE_OPTIONS ---- */

static int set_option(struct run_command *c, const char *name, size_t name_len, const char *value,
		      struct err *err)
{
	const struct {
		const char *name;
		bool *flag, is_negated;
		uint64_t *number;
		const char **text;
	} known[] = {
		{ "halt_on_error", &c->halts, false, NULL, NULL },
		{ "exitcode", NULL, false, &c->exit_code, NULL },
		{ "log_path", NULL, false, NULL, &c->log },
		{ "suppressions", NULL, false, NULL, &c->suppressions },
		{ "history_size", NULL, false, &c->history, NULL },
		{ "report_limit", NULL, false, &c->limit, NULL },
		{ "detect_deadlocks", &c->has_no_lock_orders, true, NULL, NULL },
		{ "atexit_sleep_ms", NULL, false, &c->exit_wait, NULL },
		{ "predict", &c->has_no_prediction, true, NULL, NULL },
		{ "report_thread_leaks", &c->has_no_thread_leaks, true, NULL, NULL },
		{ "report_signal_unsafe", &c->has_no_signals, true, NULL, NULL },
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strlen(known[i].name) != name_len || memcmp(known[i].name, name, name_len))
			continue;
		if (known[i].text) {
			*known[i].text = value;
			return 0;
		}
		bool is_on = !strcmp(value, "true") || !strcmp(value, "yes");
		bool is_off = !strcmp(value, "false") || !strcmp(value, "no");
		char *end;
		uint64_t n = is_on ? 1 : is_off ? 0 : strtoull(value, &end, 10);
		if (!is_on && !is_off && (!*value || *end || n > UINT32_MAX))
			return err_set(err, ERR_USAGE,
				       "HEDDLE_OPTIONS: %s needs a number, not '%s'", known[i].name,
				       value);
		if (known[i].flag)
			*known[i].flag = known[i].is_negated ? !n : n;
		else
			*known[i].number = n;
		return 0;
	}
	return err_set(err, ERR_USAGE,
		       "HEDDLE_OPTIONS: there is no option '%.*s'; 'heddle run --help' names them",
		       (int)name_len, name);
}

static int parse_environment(struct run_command *c, struct err *err)
{
	const char *at = getenv("HEDDLE_OPTIONS");
	int rc = 0;
	while (at && *at && !rc) {
		size_t len = strcspn(at, ": ");
		const char *equals = memchr(at, '=', len);
		if (len && !equals)
			rc = err_set(err, ERR_USAGE, "HEDDLE_OPTIONS: '%.*s' has no value",
				     (int)len, at);
		if (len && equals) {
			words_take(&c->texts,
				   mem_strndup(equals + 1, len - (size_t)(equals + 1 - at)));
			rc = set_option(c, at, (size_t)(equals - at), vec_last(&c->texts.list),
					err);
		}
		at += len + (at[len] != 0);
	}
	return rc;
}

/* ---- the run ---- */

static void hello(struct run_command *c, const char *text, size_t len)
{
	char version[16], how[16];
	char *line = mem_strndup(text, len);
	int at = 0;
	if (sscanf(line, "hello %15s %*s %15s %n", version, how, &at) != 2 || !at) {
		mem_free(line);
		return;
	}
	char *path = line + at;
	path[strcspn(path, "\n")] = 0;
	const char *trouble = NULL;
	bool is_slow = !strcmp(how, RUN_HELLO_SLOW);
	if (strcmp(version, RUN_VERSION))
		trouble = "it was built by another version of heddle; build it again";
	else if (!strcmp(how, RUN_HELLO_PLACE))
		trouble = "the kernel has put it at addresses that shadow memory does not reach; "
			  "run it without --keep-aslr";
	else if (!strcmp(how, RUN_HELLO_SHADOW))
		trouble = "there is no address space for shadow memory (a limit of virtual "
			  "memory, or another sanitizer)";
	else
		c->is_watched = true;
	if (is_slow && !c->has_slow && !c->is_quiet)
		fprintf(stderr,
			"heddle: %s was built for exploration and runs slower than one built with "
			"--for=run\n",
			path);
	c->has_slow |= is_slow;
	if (trouble && !c->trouble) {
		c->trouble = trouble;
		c->troubled = mem_strdup(path);
	}
	mem_free(line);
}

static void message(void *arg, const char *text, size_t len)
{
	struct run_command *c = arg;
	if (len > 5 && !memcmp(text, "hello", 5)) {
		hello(c, text, len);
		return;
	}
	if (!online_add(&c->online, text, len))
		return;
	struct buf out = { 0 };
	report_finding(&vec_last(&c->online.findings.list), &c->online.names, &c->style, NULL,
		       &out);
	buf_char(&out, '\n');
	fwrite(out.at, 1, out.len, c->out);
	fflush(c->out);
	buf_release(&out);
}

/* That the time was up is shown like a finding, and is none. */
static size_t count_bugs(const struct run_command *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->online.findings.list.len; i++)
		n += c->online.findings.list.at[i].kind != FINDING_TIMEOUT;
	return n;
}

/* The exit status: of a finding, or the command's own. */
static int status_of(const struct run_command *c, const struct parallel_result *r)
{
	if (count_bugs(c) && c->exit_code)
		return (int)c->exit_code;
	return WIFEXITED(r->wait_status) ? WEXITSTATUS(r->wait_status)
					 : 128 + WTERMSIG(r->wait_status);
}

/* A program that has started the tool ends as the command has ended, now. */
static void tell_end(struct run_command *c, const struct parallel_result *r)
{
	struct stand_in_end end = { .status = status_of(c, r) };
	bool is_killed =
		WIFSIGNALED(r->wait_status) && end.status == 128 + WTERMSIG(r->wait_status);
	end.signal = is_killed ? WTERMSIG(r->wait_status) : 0;
	if (c->stand_in >= 0)
		stand_in_end(c->stand_in, &end);
	c->stand_in = -1;
}

static void outlived(void *arg, const struct parallel_result *r, const struct descendants *left)
{
	struct run_command *c = arg;
	if (c->stand_in >= 0) {
		tell_end(c, r);
		return;
	}
	struct buf names = { 0 };
	for (size_t i = 0; i < left->list.len; i++) {
		const struct descendant *d = &left->list.at[i];
		if (d->is_watched)
			buf_printf(&names, "%s%s (process %d)", names.len ? ", " : "", d->name,
				   (int)d->pid);
	}
	fprintf(stderr, "heddle: %s has ended; waiting for what it has left running: %s\n",
		c->path.at, names.at);
	buf_release(&names);
}

static void print_summary(const struct run_command *c)
{
	size_t n = count_bugs(c), predicted = 0;
	for (size_t i = 0; i < c->online.findings.list.len; i++)
		predicted += c->online.findings.list.at[i].status == FINDING_PREDICTED;
	if (!n && !c->online.suppressed)
		return;
	fprintf(c->out, "heddle: %zu finding%s", n, n == 1 ? "" : "s");
	if (predicted)
		fprintf(c->out, ", %zu of them predicted", predicted);
	if (c->online.suppressed)
		fprintf(c->out, ", %llu suppressed", (unsigned long long)c->online.suppressed);
	fputc('\n', c->out);
}

static int write_json(struct run_command *c, struct err *err)
{
	struct report_summary s = { .command = "run", .executions = 1 };
	struct buf text = { 0 };
	report_json(&s, &c->online.findings, &c->online.names, &text);
	int rc = file_write(c->json, text.at, text.len, err);
	buf_release(&text);
	report_summary_release(&s);
	return rc;
}

static int confirm(struct run_command *c, char **argv, struct err *err)
{
	int rc = check_confirm(&c->online, argv, c->confirm_seconds, c->input_at, err);
	for (size_t i = 0; !rc && i < c->online.findings.list.len; i++) {
		const struct finding *f = &c->online.findings.list.at[i];
		if (f->status == FINDING_CONFIRMED)
			fprintf(c->out,
				"heddle: confirmed: %s: %s\n  see it again: heddle replay %s %s\n",
				finding_kind_name(f->kind), f->message, f->witness, c->path.at);
		else
			fprintf(c->out, "heddle: not confirmed: %s: %s\n",
				finding_kind_name(f->kind), f->message);
	}
	return rc;
}

/* The status of a command that has failed itself says more. */
static int nothing_watched(const struct run_command *c, int status, struct err *err)
{
	const char *what = c->runtime == PROGRAM_NO_RUNTIME
				   ? "neither %s nor a program that it has started was built by "
				     "'heddle cc --for=run', so nothing was watched"
				   : "%s never said a word; was it built by this heddle?";
	int rc = err_set(err, ERR_PROGRAM, what, c->path.at);
	if (!status)
		return rc;
	fprintf(stderr, "heddle: %s\n", err->text);
	return status;
}

static int finish(struct run_command *c, char **argv, const struct parallel_result *r,
		  struct err *err)
{
	int rc = c->confirms && c->online.findings.list.len ? confirm(c, argv, err) : 0;
	rc = !rc && c->json ? write_json(c, err) : rc;
	if (rc)
		return rc;
	if (!c->is_quiet)
		print_summary(c);
	if (count_bugs(c) && c->exit_code)
		return (int)c->exit_code;
	if (r->is_timed_out) {
		fprintf(stderr, "heddle: the program was killed after %llu seconds\n",
			(unsigned long long)c->timeout);
		return EXIT_INCONCLUSIVE;
	}
	if (c->trouble)
		return err_set(err, ERR_PROGRAM, "%s could not be watched: %s", c->troubled,
			       c->trouble);
	int status = status_of(c, r);
	return c->is_watched ? status : nothing_watched(c, status, err);
}

/* A program that has started the tool says where its file is. */
static int find_command(struct run_command *c, const char *name, struct err *err)
{
	const char *starter = getenv(RUN_STARTER);
	if (!starter) {
		int rc = session_find_program(name, &c->path, err);
		return rc ? rc : program_look(c->path.at, &c->runtime, err);
	}
	buf_str(&c->path, starter);
	unsetenv(RUN_STARTER);
	c->runtime = PROGRAM_FOR_RUN;
	c->is_quiet = true;
	/* Each such program has a tool of its own. */
	if (c->log) {
		struct buf log = { 0 };
		buf_printf(&log, "%s.%d", c->log, (int)getpid());
		words_take(&c->texts, buf_take(&log));
		c->log = vec_last(&c->texts.list);
	}
	c->stand_in = stand_in_begin(err);
	return c->stand_in < 0 ? c->stand_in : 0;
}

static void note_own_locks(const struct run_command *c)
{
	struct buf text = { 0 };
	if (!c->is_quiet && c->runtime != PROGRAM_NO_RUNTIME)
		own_locks_describe_file(c->path.at, &text);
	if (text.len)
		fprintf(stderr, "heddle: note: %s\n", text.at);
	buf_release(&text);
}

static int run(struct run_command *c, char **argv, struct err *err)
{
	int rc = find_command(c, argv[0], err);
	if (rc)
		return rc;
	note_own_locks(c);
	if (c->confirms && c->runtime != PROGRAM_FOR_EXPLORATION)
		return err_set(
			err, ERR_USAGE,
			"heddle run: --confirm needs a program that was built without --for=run");
	struct buf library = { 0 };
	if (c->runtime != PROGRAM_FOR_RUN)
		rc = file_find_own("libheddle_run.so", &library, err);
	online_init(&c->online, c->path.at);
	c->online.names.all_frames = c->all_frames;
	if (!rc && c->suppressions)
		rc = suppressions_read(&c->online.suppressions, c->suppressions, err);
	c->out = c->log ? fopen(c->log, "we") : stderr;
	if (!rc && !c->out)
		rc = err_set(err, ERR_IO, "%s cannot be written", c->log);
	if (c->out)
		c->style = terminal_style(fileno(c->out));
	struct parallel_config p = {
		.path = c->path.at,
		.argv = argv,
		.flags = (c->has_no_prediction ? 0 : RUN_FLAG_PREDICT) |
			 (c->halts ? RUN_FLAG_HALT : 0) |
			 (c->has_no_lock_orders ? 0 : RUN_FLAG_LOCK_ORDERS) |
			 (c->has_no_thread_leaks ? 0 : RUN_FLAG_THREAD_LEAKS) |
			 (c->has_no_signals ? 0 : RUN_FLAG_SIGNALS) |
			 (c->has_no_fd ? 0 : RUN_FLAG_FD),
		.history = (uint32_t)c->history,
		.sections = (uint32_t)c->sections,
		.limit = (uint32_t)c->limit,
		.exit_code = (uint32_t)(c->exit_code ? c->exit_code : 1),
		.exit_wait = (uint32_t)c->exit_wait,
		.timeout = c->timeout,
		.keeps_aslr = c->keeps_aslr,
		.message = message,
		.outlived = outlived,
		.arg = c,
		.preload = library.at,
	};
	c->input_at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	struct parallel_result r;
	rc = rc ? rc : parallel_run(&p, &r, err);
	rc = rc ? rc : finish(c, argv, &r, err);
	if (rc >= 0)
		tell_end(c, &r);
	if (c->out && c->out != stderr)
		fclose(c->out);
	online_release(&c->online);
	buf_release(&library);
	return rc;
}

int cmd_run(int argc, char **argv)
{
	struct run_command c = { .history = 16,
				 .limit = 1000,
				 .sections = 8,
				 .exit_code = EXIT_FINDING,
				 .exit_wait = 1000,
				 .confirm_seconds = 60,
				 .stand_in = -1 };
	struct err err;
	int operand;
	bool help = false;
	int rc = parse_environment(&c, &err);
	rc = rc ? rc : parse(&c, argc, argv, &operand, &help, &err);
	int status = rc || help ? EXIT_NOTHING : run(&c, argv + operand, &err);
	rc = rc ? rc : status < 0 ? status : 0;
	mem_free(c.troubled);
	buf_release(&c.path);
	words_release(&c.texts);
	status = rc ? cmd_fail(rc, &err) : status;
	if (c.stand_in >= 0)
		stand_in_end(c.stand_in, &(struct stand_in_end){ .status = status });
	return status;
}
