/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What heddle check prints for people.  Findings and outcomes go to standard output, progress and
 * the verdict to standard error; if JSON goes to standard output, everything else goes to
 * standard error.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/check_print.h"
#include "cmd/execution.h"

void check_print_progress(void *arg, const struct explore_result *r)
{
	struct buf text = { 0 };
	check_progress_text(arg, r->executions, r->seconds, r->progress, &text);
	fprintf(stderr, "\rheddle: %s\033[K", text.at);
	fflush(stderr);
	buf_release(&text);
}

static void clear_progress(const struct check *c)
{
	if (c->result.seconds >= 0.2 && c->progress)
		fprintf(stderr, "%s", "\r\033[K");
}

static bool has_json_output(const struct check *c)
{
	return c->options.json && !strcmp(c->options.json, "-");
}

/* ---- outcomes ---- */

static void print_bytes(const struct buf *b)
{
	putchar('"');
	for (size_t i = 0; i < b->len; i++) {
		unsigned char ch = (unsigned char)b->at[i];
		if (ch == '\n')
			printf("\\n");
		else if (ch == '"' || ch == '\\')
			printf("\\%c", ch);
		else if (ch < 32 || ch > 126)
			printf("\\x%02x", ch);
		else
			putchar(ch);
	}
	putchar('"');
}

/* The failure that it ended with, as a kind of finding: what its repetition shows, if there is
 * one, knows it best. */
const char *check_end_kind(const struct check *c, size_t outcome)
{
	size_t index = outcome < c->outcome_repeat.len ? c->outcome_repeat.at[outcome] : NO_REPEAT;
	int kind = finding_kind_of_failure(c->result.outcomes.at[outcome].failure);
	if (index != NO_REPEAT && c->repeats.at[index]->made.observer.findings.list.len)
		kind = (int)c->repeats.at[index]->made.observer.findings.list.at[0].kind;
	return kind < 0 ? "failure" : finding_kind_name((enum finding_kind)kind);
}

static void print_outcomes(struct check *c)
{
	for (size_t i = 0; i < c->result.outcomes.len; i++) {
		const struct outcome *o = &c->result.outcomes.at[i];
		printf("%10llu  ", (unsigned long long)o->executions);
		if (o->end == EXPLORE_EXIT)
			printf("exit %d", o->exit_status);
		else
			printf("%s", check_end_kind(c, i));
		if (o->output.len) {
			printf("  stdout ");
			print_bytes(&o->output);
		}
		if (o->errors.len) {
			printf("  stderr ");
			print_bytes(&o->errors);
		}
		size_t index = i < c->outcome_repeat.len ? c->outcome_repeat.at[i] : NO_REPEAT;
		if (index != NO_REPEAT && c->repeats.at[index]->witness.len)
			printf("  %s", c->repeats.at[index]->witness.at);
		printf("\n");
	}
	fflush(stdout);
}

static void print_findings(struct check *c)
{
	FILE *to = has_json_output(c) ? stderr : stdout;
	if (c->findings.len)
		execution_print_notes(&c->findings.at[0].repeat->made.observer);
	for (size_t i = 0; i < c->findings.len; i++) {
		const struct finding *f = check_finding(c, i);
		if (i)
			fputc('\n', to);
		execution_report_finding(
			&c->findings.at[i].repeat->made.observer, f,
			f->witness ? &(struct execution_again){ f->witness, c->program.path.at }
				   : NULL,
			to);
	}
	if (c->findings.len)
		fputc('\n', to);
	fflush(to);
}

/* Where the search can be taken up again, and what became of its ledger. */
static void print_ledger(const struct check *c, const struct check_words *words)
{
	const struct ledger *l = &c->ledger;
	bool is_early = (c->result.stop != STOP_DONE && c->result.stop != STOP_FOUND) || c->is_cut;
	if (c->no_witness.text[0])
		fprintf(stderr, "heddle: %s\n", c->no_witness.text);
	if (l->note[0])
		fprintf(stderr, "heddle: %s\n", l->note);
	if (l->failure[0] && is_early)
		fprintf(stderr, "heddle: %s\n", l->failure);
	if (!is_early || !l->has_state)
		return;
	struct buf text = { 0 };
	buf_printf(&text, "heddle: the search can be continued from %s: heddle check --resume=%s",
		   l->path, l->path);
	for (char **word = words->options; word < words->operands; word++)
		if (strncmp(*word, "--resume", 8) && strncmp(*word, "--ledger", 8) &&
		    strcmp(word[-1], "--resume") && strcmp(word[-1], "--ledger"))
			buf_printf(&text, " %s", *word);
	for (char **word = words->operands; *word; word++)
		buf_printf(&text, " %s", *word);
	fprintf(stderr, "%s\n", text.at);
	buf_release(&text);
}

void check_print(struct check *c, const struct check_words *words)
{
	clear_progress(c);
	print_findings(c);
	if (c->options.has_outcomes && !has_json_output(c))
		print_outcomes(c);
	if (!c->options.is_quiet || !c->summary.is_complete || c->findings.len) {
		struct buf text = { 0 };
		check_verdict(c, &text);
		fputs(text.at, stderr);
		buf_release(&text);
	}
	print_ledger(c, words);
}
