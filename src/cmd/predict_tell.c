/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What heddle predict says: progress, findings of all traces together, each bug once, and the
 * same as JSON. A bug is its kind and places in the source; of its findings the one that is shown
 * best is told: confirmed in the program, or seen in a run, before predicted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/clock.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/execution.h"
#include "cmd/predict.h"
#include "drive/recording.h"
#include "drive/repeat.h"
#include "report/terminal.h"

#define PROGRESS_EVERY 0.2 /* seconds */

/* ---- progress ---- */

void predict_clear_progress(struct predict_command *c)
{
	if (c->stage)
		fputs("\r\033[K", stderr);
}

void predict_tell_stage(struct predict_command *c, const char *stage)
{
	if (!c->stage)
		return;
	c->stage = stage;
	fprintf(stderr, "\rheddle: %s\033[K", stage);
}

void predict_tell_progress(struct predict_command *c, uint64_t done, uint64_t total, uint64_t found)
{
	static double last;
	if (!c->stage)
		return;
	double now = clock_now_seconds();
	if (now - last < PROGRESS_EVERY)
		return;
	last = now;
	fprintf(stderr, "\rheddle: %s: %llu of %llu, %llu found\033[K", c->stage,
		(unsigned long long)done, (unsigned long long)total, (unsigned long long)found);
}

/* ---- one finding for each bug ---- */

static int by_text(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

/* Kind and places; the order of places matters only where they have different parts. */
static char *key_of(const struct finding *f, const struct names *n)
{
	VEC(char *) places = { 0 };
	struct buf key = { 0 };
	if (f->identity) {
		buf_printf(&key, "interleaving\n%s", f->identity);
		return buf_take(&key);
	}
	bool is_unordered = f->kind == FINDING_RACE || f->kind == FINDING_DEADLOCK;
	for (size_t i = 0; i < f->places.len; i++) {
		const struct location *l =
			names_location(n, names_own(n, f->places.at[i].loc, f->places.at[i].stack));
		struct buf place = { 0 };
		if (l->line)
			buf_printf(&place, "%s:%u", l->file, l->line);
		else if (!l->region && l->function[0])
			buf_str(&place, l->function); /* of a trace that is not ours */
		else
			buf_printf(&place, "%u+%llu", l->region, (unsigned long long)l->offset);
		vec_push(&places, buf_take(&place));
	}
	if (is_unordered && places.len)
		qsort(places.at, places.len, sizeof(*places.at), by_text);
	buf_str(&key, finding_kind_name(f->kind));
	for (size_t i = 0; i < places.len; i++) {
		/* A place twice says no more than once, except that a race of a place with itself
		 * has only one. */
		if (!is_unordered || !i || strcmp(places.at[i], places.at[i - 1]))
			buf_printf(&key, "\n%s", places.at[i]);
	}
	for (size_t i = 0; i < places.len; i++)
		mem_free(places.at[i]);
	vec_release(&places);
	return buf_take(&key);
}

static const struct finding *finding_of(const struct predict_result *r, const struct told *t)
{
	return &r->traces.at[t->trace]->findings.list.at[t->finding];
}

static void take_finding(struct predict_result *r, size_t trace, size_t number)
{
	const struct predicted *p = r->traces.at[trace];
	const struct finding *f = &p->findings.list.at[number];
	char *key = key_of(f, &p->names);
	for (size_t i = 0; i < r->told.len; i++) {
		struct told *t = &r->told.at[i];
		if (strcmp(t->key, key))
			continue;
		mem_free(key);
		t->traces += t->counted != r->taken;
		t->counted = r->taken;
		t->count += f->count;
		const struct finding *best = finding_of(r, t);
		bool is_clearer = f->kind == FINDING_ATOMICITY && best->kind != FINDING_ATOMICITY;
		if ((best->status == FINDING_PREDICTED && f->status != FINDING_PREDICTED) ||
		    is_clearer) {
			t->trace = trace;
			t->finding = number;
		}
		return;
	}
	vec_push(&r->told, ((struct told){ key, trace, number, f->count, 1, r->taken }));
}

void predict_result_take(struct predict_result *r, struct predicted *p)
{
	size_t trace = r->traces.len;
	const struct prediction *q = &p->prediction;
	r->taken++;
	r->assumptions |= p->history.assumptions;
	r->events += p->sieve.events;
	r->kept += p->index.count;
	r->is_short_of_memory |= p->sieve.is_cut_off;
	r->is_cut_off |= p->is_cut_for_time;
	r->is_incomplete |= p->sieve.is_incomplete;
	r->operations += p->history.h.ops.len;
	r->candidates += q->candidates;
	r->questions += q->questions;
	r->infeasible += q->infeasible;
	r->unknown += q->unknown;
	r->left_out += q->left_out;
	r->is_cut_off |= q->is_cut_off || p->unproved.is_cut_off;
	r->has_untried |= q->has_untried;
	predicted_shrink(p);
	vec_push(&r->traces, p);
	for (size_t i = 0; i < p->findings.list.len; i++)
		take_finding(r, trace, i);
	for (size_t i = 0; i < r->told.len; i++)
		if (r->told.at[i].trace == trace)
			return;
	r->traces.len--;
	predicted_release(p);
	mem_free(p);
}

void predict_result_release(struct predict_result *r)
{
	for (size_t i = 0; i < r->traces.len; i++) {
		predicted_release(r->traces.at[i]);
		mem_free(r->traces.at[i]);
	}
	vec_release(&r->traces);
	for (size_t i = 0; i < r->told.len; i++)
		mem_free(r->told.at[i].key);
	vec_release(&r->told);
}

/* ---- witnesses ---- */

/* PREFIX.witness, or with a number if there are several; as heddle check names them. */
static void witness_name(const struct predict_command *c, const struct predicted *p, size_t number,
			 size_t count, struct buf *out)
{
	buf_str(out, c->output ? c->output : file_base_name(p->program.at));
	if (count > 1)
		buf_printf(out, ".%zu", number + 1);
	buf_str(out, ".witness");
}

static int show(struct predicted *p, size_t number, const struct predict_command *c,
		const char *path, struct err *err)
{
	struct finding *f = &p->findings.list.at[number];
	size_t by = p->confirmed_by.at[number];
	const struct confirmation *one = by == SIZE_MAX ? NULL : &p->confirmations.at[by];
	bool is_written = false;
	if (f->status != FINDING_OBSERVED && !(one && one->turns.len))
		return 0;
	struct plan plan = { 0 };
	struct target target;
	struct repeat_request request = { .target = &target,
					  .argv = p->program_words.at,
					  .seed = p->seed,
					  .step_limit = RECORDING_STEPS,
					  .counts_waits = true,
					  .timeout = c->timeout,
					  .mask = c->mask,
					  .input = REPEAT_INPUT_REWOUND };
	struct repeat_shows shows = { true, finding_kind_name(f->kind), f->message };
	if (f->status != FINDING_OBSERVED) {
		plan = confirmation_plan(one);
		request.plan = &plan;
		shows.fails = one->failure != 0;
	}
	int rc = target_find(&target, p->program.at, err);
	if (!rc)
		rc = repeat_write_witness(&request, &shows, path, &is_written, err);
	target_release(&target);
	if (!rc && is_written)
		f->witness = mem_strdup(path);
	return rc;
}

int predict_result_show(struct predict_result *r, const struct predict_command *c, struct err *err)
{
	struct buf path = { 0 };
	int rc = 0;
	for (size_t i = 0;
	     i < r->told.len && !rc && !*c->is_interrupted && predict_wants_witness(c); i++) {
		const struct told *t = &r->told.at[i];
		buf_clear(&path);
		witness_name(c, r->traces.at[t->trace], i, r->told.len, &path);
		rc = show(r->traces.at[t->trace], t->finding, c, path.at, err);
	}
	buf_release(&path);
	return rc;
}

/* ---- text and JSON ---- */

/* What all traces together say goes into the finding that is told. */
static struct finding *complete(struct predict_result *r, const struct told *t)
{
	struct finding *f = &r->traces.at[t->trace]->findings.list.at[t->finding];
	f->count = t->count;
	return f;
}

static void tell_stats(const struct predict_result *r, struct buf *text)
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
static size_t tell_findings(struct predict_result *r, const struct predict_command *c)
{
	FILE *to = c->json && !strcmp(c->json, "-") ? stderr : stdout;
	struct report_style style = terminal_style(fileno(to));
	struct buf text = { 0 };
	size_t seen = 0;
	for (size_t i = 0; i < r->told.len; i++) {
		const struct told *t = &r->told.at[i];
		struct finding *f = complete(r, t);
		if (c->runs)
			finding_add_note(f, "in %llu of %llu runs", (unsigned long long)t->traces,
					 (unsigned long long)r->runs);
		struct buf command = { 0 };
		if (f->witness)
			execution_replay_command(
				&(struct execution_again){ f->witness,
							   r->traces.at[t->trace]->program.at },
				&command);
		r->traces.at[t->trace]->names.all_frames = c->all_frames;
		report_finding(f, &r->traces.at[t->trace]->names, &style, command.at, &text);
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

void predict_result_tell(struct predict_result *r, const struct predict_command *c,
			 const char *from)
{
	size_t seen = tell_findings(r, c);
	struct buf text = { 0 };
	if (c->has_stats)
		tell_stats(r, &text);
	if (r->gap)
		buf_printf(&text, "heddle: %s; there may be more\n", r->gap);
	if (r->has_untried && !c->confirms && !c->is_quiet)
		buf_str(&text, "heddle: threads can come between accesses of others in ways of "
			       "which only runs "
			       "show whether they do harm: --confirm tries them\n");
	size_t predicted = r->told.len - seen;
	if (!c->is_quiet || r->told.len) {
		buf_printf(&text, "heddle: %zu prediction%s", predicted, predicted == 1 ? "" : "s");
		if (seen)
			buf_printf(&text, " and %zu failure%s", seen, seen == 1 ? "" : "s");
		if (c->runs)
			buf_printf(&text, " from %llu run%s of %s\n", (unsigned long long)r->runs,
				   r->runs == 1 ? "" : "s", from);
		else
			buf_printf(&text, " from %s\n", from);
	}
	if (text.len)
		fwrite(text.at, 1, text.len, stderr);
	buf_release(&text);
}

int predict_result_write_json(struct predict_result *r, const struct predict_command *c,
			      struct err *err)
{
	static const struct {
		unsigned bit;
		const char *word;
	} words[] = { { HISTORY_CLOCK, "clock:ignored" },
		      { HISTORY_OUTSIDE, "outside-writes:by-reader" },
		      { HISTORY_SIGNALS, "signals:any-time" },
		      { HISTORY_BRANCHES, "branches:recorded" } };
	struct report_summary s = { .command = "predict", .executions = c->runs ? r->runs : 1 };
	struct buf text = { 0 };
	struct json j;
	s.inconclusive = r->gap;
	report_add_assumption(&s, "memory-model:sc");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (r->assumptions & words[i].bit)
			report_add_assumption(&s, "%s", words[i].word);
	json_init(&j, &text);
	report_json_begin(&j, &s);
	json_key(&j, "findings");
	json_begin_array(&j);
	for (size_t i = 0; i < r->told.len; i++)
		report_json_finding(&j, &r->traces.at[r->told.at[i].trace]->names,
				    complete(r, &r->told.at[i]));
	json_end_array(&j);
	json_end_object(&j);
	int rc = file_write(c->json, text.at, text.len, err);
	buf_release(&text);
	report_summary_release(&s);
	return rc;
}
