/* SPDX-License-Identifier: Apache-2.0 */
/* What heddle predict prints: progress, findings, and the same as JSON. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/clock.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/execution.h"
#include "cmd/predict_print.h"
#include "report/terminal.h"

#define PROGRESS_EVERY 0.2 /* seconds */

/* ---- progress ---- */

void predict_clear_progress(struct predict_command *c)
{
	if (c->request.stage)
		fputs("\r\033[K", stderr);
}

void predict_print_stage(void *arg, const char *stage)
{
	struct predict_command *c = arg;
	c->stage = stage;
	fprintf(stderr, "\rheddle: %s\033[K", stage);
}

void predict_print_progress(void *arg, uint64_t done, uint64_t total, uint64_t found)
{
	struct predict_command *c = arg;
	double now = clock_now_seconds();
	if (now - c->printed < PROGRESS_EVERY)
		return;
	c->printed = now;
	fprintf(stderr, "\rheddle: %s: %llu of %llu, %llu found\033[K", c->stage,
		(unsigned long long)done, (unsigned long long)total, (unsigned long long)found);
}

/* ---- text and JSON ---- */

static void add_stats(const struct prediction_result *r, struct buf *text)
{
	buf_printf(
		text,
		"heddle: %llu events, %llu of them can matter, %llu operations, %llu candidates, "
		"%llu questions, %llu infeasible, %llu undecided, %llu left out\n",
		(unsigned long long)r->events, (unsigned long long)r->kept,
		(unsigned long long)r->operations, (unsigned long long)r->candidates,
		(unsigned long long)r->questions, (unsigned long long)r->infeasible,
		(unsigned long long)r->unknown, (unsigned long long)r->left_out);
}

/* Findings go to standard output unless JSON goes there; gives how many of them were observed. */
static size_t print_findings(struct prediction_result *r, const struct predict_command *c)
{
	FILE *to = c->json && !strcmp(c->json, "-") ? stderr : stdout;
	struct report_style style = terminal_style(fileno(to));
	struct buf text = { 0 };
	size_t seen = 0;
	for (size_t i = 0; i < r->bugs.len; i++) {
		const struct predicted_bug *b = &r->bugs.at[i];
		struct predicted *p = r->traces.at[b->trace];
		struct finding *f = prediction_finding(r, i);
		if (c->request.runs)
			finding_add_note(f, "in %llu of %llu runs", (unsigned long long)b->traces,
					 (unsigned long long)r->runs);
		struct buf command = { 0 };
		if (f->witness)
			execution_replay_command(
				&(struct execution_again){ f->witness, p->program.at }, &command);
		p->names.all_frames = c->all_frames;
		report_finding(f, &p->names, &style, command.at, &text);
		buf_release(&command);
		buf_char(&text, '\n');
		seen += f->status == FINDING_OBSERVED;
	}
	if (text.len)
		fwrite(text.at, 1, text.len, to);
	fflush(to);
	buf_release(&text);
	return seen;
}

void predict_print(struct prediction_result *r, const struct predict_command *c, const char *from)
{
	size_t seen = print_findings(r, c);
	struct buf text = { 0 };
	if (c->has_stats)
		add_stats(r, &text);
	if (r->gap)
		buf_printf(&text, "heddle: %s; there may be more\n", r->gap);
	if (r->has_untried && !c->request.confirms && !c->is_quiet)
		buf_str(&text, "heddle: threads can come between accesses of others in ways of "
			       "which only runs show whether they do harm: --confirm tries them\n");
	size_t predicted = r->bugs.len - seen;
	if (!c->is_quiet || r->bugs.len) {
		buf_printf(&text, "heddle: %zu prediction%s", predicted, predicted == 1 ? "" : "s");
		if (seen)
			buf_printf(&text, " and %zu failure%s", seen, seen == 1 ? "" : "s");
		if (c->request.runs)
			buf_printf(&text, " from %llu run%s of %s\n", (unsigned long long)r->runs,
				   r->runs == 1 ? "" : "s", from);
		else
			buf_printf(&text, " from %s\n", from);
	}
	if (text.len)
		fwrite(text.at, 1, text.len, stderr);
	buf_release(&text);
}

int predict_write_json(struct prediction_result *r, const struct predict_command *c,
		       struct err *err)
{
	static const struct {
		unsigned bit;
		enum report_assumption word;
	} words[] = { { HISTORY_CLOCK, ASSUMES_CLOCK_IGNORED },
		      { HISTORY_OUTSIDE, ASSUMES_OUTSIDE_BY_READER },
		      { HISTORY_SIGNALS, ASSUMES_SIGNALS_ANY_TIME },
		      { HISTORY_BRANCHES, ASSUMES_BRANCHES_RECORDED } };
	struct report_summary s = { .command = "predict",
				    .executions = c->request.runs ? r->runs : 1 };
	struct buf text = { 0 };
	struct json j;
	s.inconclusive = r->gap;
	report_assume_of(&s, ASSUMES_MEMORY_MODEL, "%s", "sc");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (r->assumptions & words[i].bit)
			report_assume(&s, words[i].word);
	json_init(&j, &text);
	report_json_begin(&j, &s);
	json_key(&j, "findings");
	json_begin_array(&j);
	for (size_t i = 0; i < r->bugs.len; i++)
		report_json_finding(&j, &r->traces.at[r->bugs.at[i].trace]->names,
				    prediction_finding(r, i));
	json_end_array(&j);
	json_end_object(&j);
	int rc = file_write(c->json, text.at, text.len, err);
	buf_release(&text);
	report_summary_release(&s);
	return rc;
}
