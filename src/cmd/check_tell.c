/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What heddle check says: progress while it searches, findings, outcomes, the verdict, and the same as JSON.
 *
 * The verdict is one of three: everything was explored and nothing found, something was found, or the search
 * ended early; and what it rests on is always said.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "cmd/check.h"
#include "cmd/cmd.h"
#include "cmd/unseen_tell.h"

static const char *const model_names[] = { "SC", "TSO", "PSO" };
static const char *const model_words[] = { "sc", "tso", "pso" };
static const char *const heap_words[] = { "fresh", "reuse" };

static unsigned long long count(uint64_t n)
{
	return n;
}

/* A duration as a person would say it. */
static void tell_duration(double seconds)
{
	if (seconds < 120)
		fprintf(stderr, "%.0f s", seconds);
	else if (seconds < 7200)
		fprintf(stderr, "%.0f min", seconds / 60);
	else if (seconds < 172800)
		fprintf(stderr, "%.0f h", seconds / 3600);
	else
		fprintf(stderr, "more than %.0f days", seconds / 86400);
}

void check_tell_progress(void *arg, const struct explore_result *r)
{
	(void)arg;
	uint64_t made = r->executions + r->redundant;
	fprintf(stderr, "\rheddle: %llu executions, %.0f/s", count(made),
		r->seconds > 0 ? (double)made / r->seconds : 0);
	if (r->progress > 0 && r->progress < 1) {
		fprintf(stderr, " of about %.2g, about ", (double)made / r->progress);
		tell_duration(r->seconds / r->progress - r->seconds);
		fprintf(stderr, " left");
	}
	fprintf(stderr, "\033[K");
	fflush(stderr);
}

static void clear_progress(const struct check *c)
{
	if (c->result.seconds >= 0.2 && !c->options.is_quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "%s", "\r\033[K");
}

/* ---- the verdict ---- */

static size_t findings_count(const struct check *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->failure_repeat.len; i++)
		n += check_is_shown(c, c->failure_repeat.at[i]);
	for (size_t i = 0; i < c->race_repeat.len; i++)
		n += check_is_shown(c, c->race_repeat.at[i]);
	return n;
}

/* Found, but what was to be the same execution again did not show it: nothing that could be reported. */
static size_t unrepeated_count(const struct check *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->failure_repeat.len; i++)
		n += c->failure_repeat.at[i] != NO_REPEAT && !check_is_shown(c, c->failure_repeat.at[i]);
	for (size_t i = 0; i < c->race_repeat.len; i++)
		n += c->race_repeat.at[i] != NO_REPEAT && !check_is_shown(c, c->race_repeat.at[i]);
	return n;
}

/* Why the search says less than it should; NULL: it does not. */
static const char *gap_text(struct check *c, struct buf *out)
{
	const struct explore_result *r = &c->result;
	const struct explore_gaps *g = &r->gaps;
	switch (r->stop) {
	case STOP_EXECUTIONS: buf_str(out, "the limit of executions was reached"); break;
	case STOP_SECONDS: buf_str(out, "the time was over"); break;
	case STOP_INTERRUPTED: buf_str(out, "it was interrupted"); break;
	case STOP_UNSUPPORTED: buf_str(out, g->text); break;
	default: break;
	}
	if (r->stop == STOP_DONE && c->is_cut)
		buf_str(out, "it was interrupted before everything was told");
	if (g->step_limit)
		buf_printf(out, "%s%llu executions reached the limit of steps", out->len ? "; " : "",
			   count(g->step_limit));
	if (r->bounded)
		buf_printf(out, "%s%llu executions had more than %llu preemptions", out->len ? "; " : "",
			   count(r->bounded), count(c->options.preemptions));
	if (g->full)
		buf_printf(out, "%s%llu executions had more operations than fit", out->len ? "; " : "",
			   count(g->full));
	if (g->lost && r->stop != STOP_UNSUPPORTED)
		buf_printf(out, "%s%llu executions were lost (%s)", out->len ? "; " : "", count(g->lost),
			   g->text);
	uint64_t failed = g->diverged > g->failed_plans ? g->diverged : g->failed_plans;
	if (failed)
		buf_printf(out, "%s%llu executions did not follow their plan", out->len ? "; " : "",
			   count(failed));
	if (g->outside_writes)
		buf_printf(out, "%smemory changed out of heddle's sight", out->len ? "; " : "");
	if (g->unstable)
		buf_printf(out, "%sthe same schedule did not do the same again", out->len ? "; " : "");
	if (unrepeated_count(c))
		buf_printf(out, "%s%zu of what was found did not show again", out->len ? "; " : "",
			   unrepeated_count(c));
	if (r->races.left_out)
		buf_printf(out, "%sraces of others than the first %d threads were not looked for",
			   out->len ? "; " : "", RACES_THREADS);
	if (g->open_choices)
		buf_printf(out, "%snot all choices were tried", out->len ? "; " : "");
	return out->len ? out->at : NULL;
}

/* the first assumptions: they say what was explored, and keep nothing from being complete */
#define MODEL_WORDS 4

/* One execution that was seen to its end; NULL: there is none. */
static struct check_repeat *whole_one(struct check *c)
{
	for (size_t i = 0; i < c->repeats.len; i++)
		if (c->repeats.at[i]->is_whole)
			return c->repeats.at[i];
	return NULL;
}

static void collect_assumptions(struct check *c)
{
	struct report_summary learnt = {0};
	struct check_repeat *whole = whole_one(c);
	if (whole)
		observer_assumptions(&whole->observer, &whole->result, &learnt);
	c->summary.is_complete &= whole != NULL;
	report_add_assumption(&c->summary, "memory-model:%s", model_words[c->options.memory]);
	report_add_assumption(&c->summary, "heap:%s", heap_words[c->options.heap]);
	report_add_assumption(&c->summary, "clock:causal");
	report_add_assumption(&c->summary, "spurious-wakeups:%llu", count(c->options.spurious));
	if (c->result.bounded)
		report_add_assumption(&c->summary, "preemptions:%llu", count(c->options.preemptions));
	if (c->result.gaps.step_limit)
		report_add_assumption(&c->summary, "steps:%llu", count(c->options.steps));
	for (size_t i = 0; i < learnt.assumptions.len; i++) {
		const char *word = learnt.assumptions.at[i];
		if (strncmp(word, "memory-model:", 13) && strncmp(word, "heap:", 5) &&
		    strncmp(word, "clock:", 6)) {
			report_add_assumption(&c->summary, "%s", word);
			c->summary.is_complete = false;
		}
	}
	for (size_t i = 0; i < c->program.info.unclassified.list.len; i++)
		report_add_assumption(&c->summary, "unclassified:%s",
				      c->program.info.unclassified.list.at[i]);
	c->summary.is_complete &= !c->program.info.unclassified.list.len;
	c->gap_words = c->summary.assumptions.len;
	unseen_add_assumptions(&c->program.info.unseen, c->program.path.at, &c->summary);
	/* Whoever looks at parts of the stack that nobody has written could find their values there. */
	if (c->unused.list.len)
		report_add_assumption(&c->summary, "unused-reads:%zu", c->unused.list.len);
	if (c->options.memory != MEMORY_SC) {
		report_add_assumption(&c->summary, "own-tls:unbuffered");
		report_add_assumption(&c->summary, "stack-by-libc:unbuffered");
	}
	report_summary_release(&learnt);
}

static void tell_verdict(struct check *c)
{
	const struct explore_result *r = &c->result;
	struct buf gap = {0}, text = {0};
	const char *why = gap_text(c, &gap);
	buf_printf(&text, "heddle: %llu execution%s", count(r->executions), r->executions == 1 ? "" : "s");
	if (c->options.has_stats)
		buf_printf(&text, " (and %llu redundant, %llu dropped) in %.2f s, %.0f/s",
			   count(r->redundant), count(r->dropped), r->seconds,
			   r->seconds > 0 ? (double)(r->executions + r->redundant) / r->seconds : 0);
	if (r->classes)
		buf_printf(&text, " of %llu class%s", count(r->classes), r->classes == 1 ? "" : "es");
	if (c->options.has_stats && r->classes_are && r->seconds > 0)
		buf_printf(&text, ", %.0f%% of the time for orders", 100 * r->order_seconds / r->seconds);
	if (c->options.has_stats && c->options.depend)
		buf_printf(&text, ", nothing depends on the reads of %zu place%s", c->unused.list.len,
			   c->unused.list.len == 1 ? "" : "s");
	if (r->classes_are)
		buf_printf(&text, ", one of each class %s", r->classes_are);
	size_t found = findings_count(c);
	if (found)
		buf_printf(&text, ", %zu finding%s", found, found == 1 ? "" : "s");
	if (c->summary.is_complete) {
		buf_printf(&text, ": all schedules of this binary explored under %s, assuming",
			   model_names[c->options.memory]);
		for (size_t i = 0; i < c->summary.assumptions.len; i++)
			buf_printf(&text, "%s %s", i ? "," : "", c->summary.assumptions.at[i]);
	} else if (r->stop != STOP_FOUND || !found) {
		buf_printf(&text, ": not all schedules were explored%s%s", why ? ": " : "", why ? why : "");
		for (size_t i = MODEL_WORDS; i < c->gap_words; i++)
			buf_printf(&text, "%s%s",
				   i > MODEL_WORDS ? ", "
				   : why	   ? "; "
						   : ": ",
				   c->summary.assumptions.at[i]);
	}
	fprintf(stderr, "%s\n", text.at);
	buf_release(&gap);
	buf_release(&text);
}

/* Where the search can be taken up again, and what became of its ledger. */
static void tell_ledger(const struct check *c)
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
	struct buf text = {0};
	buf_printf(&text, "heddle: the search can be continued from %s: heddle check --resume=%s", l->path,
		   l->path);
	for (char **word = c->words; word < c->argv; word++)
		if (strncmp(*word, "--resume", 8) && strncmp(*word, "--ledger", 8) &&
		    strcmp(word[-1], "--resume") && strcmp(word[-1], "--ledger"))
			buf_printf(&text, " %s", *word);
	for (char **word = c->argv; *word; word++)
		buf_printf(&text, " %s", *word);
	fprintf(stderr, "%s\n", text.at);
	buf_release(&text);
}

/* ---- outcomes ---- */

static void tell_bytes(const struct buf *b)
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

/* The failure that it ended with, as a kind of finding: what its repetition shows, if there is one, knows it
 * best. */
static const char *end_kind(const struct check *c, size_t outcome)
{
	size_t index = outcome < c->outcome_repeat.len ? c->outcome_repeat.at[outcome] : NO_REPEAT;
	int kind = check_failure_kind(c->result.outcomes.at[outcome].failure);
	if (index != NO_REPEAT && c->repeats.at[index]->observer.findings.list.len)
		kind = (int)c->repeats.at[index]->observer.findings.list.at[0].kind;
	return kind < 0 ? "failure" : finding_kind_name((enum finding_kind)kind);
}

static void tell_outcomes(struct check *c)
{
	for (size_t i = 0; i < c->result.outcomes.len; i++) {
		const struct outcome *o = &c->result.outcomes.at[i];
		printf("%10llu  ", count(o->executions));
		if (o->end == EXPLORE_EXIT)
			printf("exit %d", o->exit_status);
		else
			printf("%s", end_kind(c, i));
		if (o->output.len) {
			printf("  stdout ");
			tell_bytes(&o->output);
		}
		if (o->errors.len) {
			printf("  stderr ");
			tell_bytes(&o->errors);
		}
		size_t index = i < c->outcome_repeat.len ? c->outcome_repeat.at[i] : NO_REPEAT;
		if (index != NO_REPEAT && c->repeats.at[index]->witness.len)
			printf("  %s", c->repeats.at[index]->witness.at);
		printf("\n");
	}
	fflush(stdout);
}

static void tell_findings(struct check *c, size_t index)
{
	struct check_repeat *r = index == NO_REPEAT ? NULL : c->repeats.at[index];
	if (r && r->is_done)
		execution_report(&r->observer,
				 r->witness.len
					 ? &(struct execution_again){ r->witness.at, c->program.path.at }
					 : NULL);
}

void check_tell(struct check *c)
{
	clear_progress(c);
	collect_assumptions(c);
	c->summary.executions = c->result.executions;
	c->summary.is_complete &= !unrepeated_count(c);
	for (size_t i = 0; i < c->failure_repeat.len; i++)
		tell_findings(c, c->failure_repeat.at[i]);
	for (size_t i = 0; i < c->race_repeat.len; i++)
		tell_findings(c, c->race_repeat.at[i]);
	if (c->options.has_outcomes && (!c->options.json || strcmp(c->options.json, "-")))
		tell_outcomes(c);
	if (!c->options.is_quiet || !c->summary.is_complete || findings_count(c))
		tell_verdict(c);
	tell_ledger(c);
}

int check_status(const struct check *c)
{
	if (findings_count(c))
		return EXIT_FINDING;
	if (c->result.stop == STOP_UNSUPPORTED)
		return EXIT_INPUT;
	return c->summary.is_complete ? EXIT_NOTHING : EXIT_INCONCLUSIVE;
}

/* ---- JSON ---- */

static void json_outcome(struct check *c, struct json *j, size_t i)
{
	const struct outcome *o = &c->result.outcomes.at[i];
	json_begin_object(j);
	json_key(j, "stdout");
	json_bytes(j, o->output.at, o->output.len);
	json_key(j, "stderr");
	json_bytes(j, o->errors.at, o->errors.len);
	json_key(j, "exit");
	if (o->end == EXPLORE_EXIT)
		json_number(j, (uint64_t)(o->exit_status & 0xff));
	else
		json_string(j, NULL);
	json_key(j, "signal");
	if (o->failure == FAILURE_SIGNAL)
		json_number(j, o->failure_detail);
	else
		json_string(j, NULL);
	json_key(j, "failure");
	json_string(j, o->end == EXPLORE_FAILURE ? end_kind(c, i) : NULL);
	json_key(j, "executions");
	json_number(j, o->executions);
	size_t index = i < c->outcome_repeat.len ? c->outcome_repeat.at[i] : NO_REPEAT;
	json_key(j, "witness");
	json_string(j, index != NO_REPEAT && c->repeats.at[index]->witness.len
			       ? c->repeats.at[index]->witness.at
			       : NULL);
	json_end_object(j);
}

static void json_findings(struct check *c, struct json *j, size_t index)
{
	struct check_repeat *r = index == NO_REPEAT ? NULL : c->repeats.at[index];
	for (size_t i = 0; r && i < r->observer.findings.list.len; i++)
		report_json_finding(j, &r->observer.names, &r->observer.findings.list.at[i]);
}

static void json_spaces(const struct check *c, struct json *j)
{
	json_key(j, "spaces");
	json_begin_array(j);
	for (size_t i = 0; i < c->result.spaces.len; i++) {
		const struct explore_space *s = &c->result.spaces.at[i];
		json_begin_object(j);
		json_key(j, "races");
		json_number(j, s->races);
		json_key(j, "executions");
		json_number(j, s->executions);
		json_key(j, "redundant");
		json_number(j, s->redundant);
		json_key(j, "complete");
		json_bool(j, s->is_complete);
		json_end_object(j);
	}
	json_end_array(j);
}

int check_write_json(struct check *c, struct err *err)
{
	struct buf text = {0}, gap = {0};
	struct json j;
	c->summary.inconclusive = gap_text(c, &gap);
	json_init(&j, &text);
	report_json_begin(&j, &c->summary);
	json_key(&j, "redundant");
	json_number(&j, c->result.redundant);
	if (c->result.classes) {
		json_key(&j, "classes");
		json_number(&j, c->result.classes);
	}
	if (c->result.classes_are) {
		json_key(&j, "classes_are");
		json_string(&j, c->result.classes_are);
	}
	json_key(&j, "findings");
	json_begin_array(&j);
	for (size_t i = 0; i < c->failure_repeat.len; i++)
		json_findings(c, &j, c->failure_repeat.at[i]);
	for (size_t i = 0; i < c->race_repeat.len; i++)
		json_findings(c, &j, c->race_repeat.at[i]);
	json_end_array(&j);
	if (c->options.has_outcomes) {
		json_key(&j, "outcomes");
		json_begin_array(&j);
		for (size_t i = 0; i < c->result.outcomes.len; i++)
			json_outcome(c, &j, i);
		json_end_array(&j);
	}
	if (c->result.spaces.len)
		json_spaces(c, &j);
	json_end_object(&j);
	int rc = file_write(c->options.json, text.at, text.len, err);
	buf_release(&text);
	buf_release(&gap);
	return rc;
}
