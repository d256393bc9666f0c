/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the commands that run programs; see execution.h. */
#include "cmd/execution.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/settings.h"
#include "cmd/cmd.h"
#include "report/terminal.h"

int execution_parse(const struct opt_spec *spec, struct execution_options *o,
		    const char *operand_word, int argc, char **argv, int *operand, bool *help,
		    struct err *err)
{
	static const char *const aslr_words[] = { "off", "keep", NULL };
	const struct opt shared[] = {
		{ 0, "backend", OPT_CHOICE, &o->backend, NULL,
		  "What the program's threads are: fibers of one thread of the system, which is "
		  "fast, or real threads of which one runs at a time; the schedule and the trace "
		  "are the same (default auto: fibers where they work).",
		  0, 0, backend_names },
		{ 0, "aslr", OPT_CHOICE, &o->aslr, NULL,
		  "Whether the program's addresses are randomised (default off).", 0, 0,
		  aslr_words },
		{ 0, "json", OPT_STRING, &o->json, "FILE",
		  "Write the result as JSON, - for standard output.", 0, 0, NULL },
		{ 0, "timeout", OPT_NUMBER, &o->timeout, "SECONDS",
		  "End the program after this time, 0 for never (default 0).", 0, 1000000000,
		  NULL },
		{ 0, "all-frames", OPT_FLAG, &o->all_frames, NULL,
		  "Show functions of library headers, too, not only the program's own.", 0, 0,
		  NULL },
		{ 'q', "quiet", OPT_FLAG, &o->is_quiet, NULL,
		  "Say nothing if there is nothing to report.", 0, 0, NULL },
		{ 0, NULL, OPT_FLAG, NULL, NULL, NULL, 0, 0, NULL },
	};
	struct opt_spec whole = *spec;
	whole.shared = shared;
	return cmd_parse(&whole, operand_word, argc, argv, operand, help, err);
}

static void warn(void *arg, const char *text)
{
	(void)arg;
	fprintf(stderr, "heddle: warning: %s\n", text);
}

void execution_configure(const struct execution_options *o, struct run_options *run)
{
	run->session.keep_aslr = o->aslr == 1;
	run->session.backend = (enum wire_backend)o->backend;
	run->timeout = o->timeout;
	run->warn = warn;
}

/* Words of a command line that a shell reads back as they are. */
static void add_shell_word(struct buf *out, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
	if (word[0] && strspn(word, plain) == strlen(word)) {
		buf_str(out, word);
		return;
	}
	buf_char(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buf_str(out, "'\\''");
		else
			buf_char(out, *word);
	}
	buf_char(out, '\'');
}

void execution_replay_command(const struct execution_again *again, struct buf *out)
{
	buf_str(out, "heddle replay ");
	add_shell_word(out, again->witness);
	buf_char(out, ' ');
	add_shell_word(out, again->program);
}

void execution_print_notes(struct observer *o)
{
	for (size_t i = 0; i < o->notes.len; i++)
		fprintf(stderr, "heddle: note: %s\n", o->notes.at[i]);
	struct buf unseen = { 0 };
	observer_unseen_libraries(o, &unseen);
	if (unseen.len)
		fprintf(stderr,
			"heddle: note: not built by heddle, so what they do with memory is not "
			"seen: %s\n",
			unseen.at);
	buf_release(&unseen);
}

void execution_print_random(const struct target *p)
{
	const struct words *w = &p->info.unseen.random;
	if (!w->list.len)
		return;
	fprintf(stderr, "heddle: note: random numbers of the processor (rdrand, rdseed) are not "
			"recorded, so runs with one seed may differ; the instruction is in");
	for (size_t i = 0; i < w->list.len; i++)
		fprintf(stderr, "%s %s", i ? "," : "", w->list.at[i]);
	fputc('\n', stderr);
}

void execution_report(struct observer *o, const struct execution_again *again)
{
	execution_print_notes(o);
	for (size_t i = 0; i < o->findings.list.len; i++) {
		bool is_last = i + 1 == o->findings.list.len;
		execution_report_finding(o, &o->findings.list.at[i], is_last ? again : NULL,
					 stderr);
		if (!is_last)
			fputc('\n', stderr);
	}
}

void execution_report_finding(struct observer *o, const struct finding *f,
			      const struct execution_again *again, FILE *to)
{
	struct report_style style = terminal_style(fileno(to));
	struct buf command = { 0 }, text = { 0 };
	if (again)
		execution_replay_command(again, &command);
	report_finding(f, &o->names, &style, again ? command.at : NULL, &text);
	fwrite(text.at, 1, text.len, to);
	buf_release(&command);
	buf_release(&text);
}

int execution_write_json(struct observer *o, const struct run_result *r, const struct target *p,
			 const char *command, const char *path, struct err *err)
{
	struct report_summary s = { .command = command, .executions = 1 };
	if (r->end != RUN_ENDED && r->end != RUN_UNTIL)
		s.inconclusive = r->text.text;
	observer_assumptions(o, r, &s);
	for (size_t i = 0; i < p->info.unclassified.list.len; i++)
		report_assume_of(&s, ASSUMES_UNCLASSIFIED, "%s", p->info.unclassified.list.at[i]);
	for (size_t i = 0; i < p->info.unseen.random.list.len; i++)
		report_assume_of(&s, ASSUMES_PROCESSOR_RANDOM, "%s",
				 p->info.unseen.random.list.at[i]);
	s.is_complete &= !p->info.unclassified.list.len;
	struct buf text = { 0 };
	report_json(&s, &o->findings, &o->names, &text);
	int rc = file_write(path, text.at, text.len, err);
	buf_release(&text);
	report_summary_release(&s);
	return rc;
}

int execution_status(const struct observer *o, const struct run_result *r)
{
	int status = EXIT_NOTHING;
	switch (r->end) {
	case RUN_UNTIL:
	case RUN_LEFT:
		break;
	case RUN_ENDED:
		/* Its own fatal signals are findings; this one came from outside. */
		if (WIFSIGNALED(r->wait_status) && !o->findings.list.len) {
			int signal = WTERMSIG(r->wait_status);
			fprintf(stderr, "heddle: the program was killed from outside by SIG%s\n",
				sigabbrev_np(signal));
			return EXIT_INCONCLUSIVE;
		}
		break;
	case RUN_DAMAGED:
	case RUN_ASLEEP:
	case RUN_UNCONTROLLED:
	case RUN_UNSUPPORTED:
	case RUN_NOT_ATTACHED:
		status = EXIT_INPUT;
		break;
	case RUN_SPINNING:
	case RUN_TIMEOUT:
	case RUN_INTERRUPTED:
	case RUN_DIVERGED:
		status = EXIT_INCONCLUSIVE;
		break;
	}
	if (status)
		fprintf(stderr, "heddle: %s\n", r->text.text);
	return o->findings.list.len && r->end != RUN_DIVERGED ? EXIT_FINDING : status;
}
