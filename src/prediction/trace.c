/* SPDX-License-Identifier: Apache-2.0 */
/* The analysis of one trace, from reading it to findings. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "prediction/prediction.h"
#include "drive/streams.h"
#include "drive/target.h"
#include "trace/std.h"

#define CONFIRM_STEPS 10000000	  /* hooks of one run */
#define CONFIRM_STEPS_OPEN 200000 /* more than a recording that has no end has events */
/* memory for an event that can matter, in index and history (bench/predict_bench) */
#define EVENT_BYTES 150

static bool is_over(void *arg)
{
	return prediction_is_over(arg);
}

static void progress(const struct prediction_request *q, uint64_t done, uint64_t total,
		     uint64_t found)
{
	if (q->progress)
		q->progress(q->arg, done, total, found);
}

static void on_progress(void *arg, uint64_t done, uint64_t total, uint64_t found)
{
	progress(arg, done, total, found);
}

/* ---- reading ---- */

/* A trace is read several times, standard input only once. */
static int spool(struct predicted *p, struct err *err)
{
	if (strcmp(p->given, "-"))
		return 0;
	int rc = file_temporary(&p->spooled, err);
	p->trace = p->spooled.at;
	return rc ? rc : file_copy(p->given, p->trace, err);
}

/* STD becomes a trace in a temporary file, since the index is built from a file. */
static int import(struct predicted *p, struct err *err)
{
	struct trace_writer *w;
	bool is_std;
	int rc = std_detect(p->trace, &is_std, err);
	if (rc || !is_std)
		return rc;
	rc = file_temporary(&p->imported, err);
	if (rc)
		return rc;
	const char *from = p->trace;
	p->trace = p->imported.at;
	rc = trace_writer_open(&w, p->imported.at, TRACE_BINARY, err);
	return rc ? rc : std_import(from, STD_BEGIN_THREADS, w, err);
}

/* How many events the memory is enough for. */
static uint64_t events_limit(const struct prediction_request *q)
{
	uint64_t bytes = q->memory << 20;
	if (!bytes)
		bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 10 *
			8;
	uint64_t limit = bytes / (q->confirms ? 2 * EVENT_BYTES : EVENT_BYTES);
	return limit ? limit : 1;
}

/* Go on with the part of the trace that can matter. */
static int sieve(struct predicted *p, const struct prediction_request *q, struct err *err)
{
	int rc = file_temporary(&p->sieved, err);
	if (!rc)
		rc = sieve_trace(p->trace, p->sieved.at,
				 &(struct sieve_options){ .limit = events_limit(q) }, &p->sieve,
				 err);
	if (!rc && p->sieve.is_written)
		p->trace = p->sieved.at;
	return rc;
}

static void ask(struct predicted *p, struct prediction_request *q)
{
	struct predict_options o = q->options;
	o.arg = q;
	o.is_over = is_over;
	p->units.tables = trace_reader_tables(p->reader);
	o.units = q->options.kinds & PREDICT_ATOMICITY ? &p->units : NULL;
	o.progress = on_progress;
	o.jobs = (unsigned)q->jobs;
	prediction_stage(q, "asking");
	predict(&p->history.h, &p->index, &o, &p->prediction);
	prediction_keep(&p->prediction, q->claim);
	if (!q->confirms)
		return;
	o.is_generous = true;
	predict(&p->relaxed.h, &p->index, &o, &p->unproved);
	prediction_keep(&p->unproved, q->claim);
}

static bool is_proved(const struct predicted *p, const struct claim *claim)
{
	for (size_t i = 0; i < p->prediction.claims.len; i++)
		if (p->prediction.claims.at[i].key == claim->key)
			return true;
	return false;
}

/* ---- confirmation ---- */

/* The program and its arguments, from the command line or from the trace. */
static int find_program(struct predicted *p, const struct prediction_request *q, struct err *err)
{
	const struct trace_tables *t = trace_reader_tables(p->reader);
	const char *program = q->program_argv ? q->program_argv[0] : trace_fact(t, "program");
	if (!program)
		return err_set(
			err, ERR_USAGE,
			"heddle predict: the trace does not name a program; give one after it");
	struct target target;
	int rc = target_find(&target, program, err);
	if (!rc)
		buf_str(&p->program, target.path.at);
	target_release(&target);
	const char *name = trace_fact(t, "name");
	vec_push(&p->program_words, mem_strdup(name ? name : program));
	for (char **arg = q->program_argv ? q->program_argv + 1 : NULL; arg && *arg; arg++)
		vec_push(&p->program_words, mem_strdup(*arg));
	char fact[32];
	for (size_t i = 0; !q->program_argv || !q->program_argv[1]; i++) {
		snprintf(fact, sizeof(fact), "arg.%zu", i);
		const char *word = trace_fact(t, fact);
		if (!word)
			break;
		vec_push(&p->program_words, mem_strdup(word));
	}
	vec_push(&p->program_words, NULL);
	return rc;
}

static int confirm_one(struct predicted *p, struct prediction_request *q, const struct claim *claim,
		       bool is_unproved, struct confirmation *out, struct err *err)
{
	if (is_unproved && is_proved(p, claim))
		return 0;
	if (prediction_is_over(q)) {
		snprintf(out->why, sizeof(out->why), "there was no time left to run the program");
		return 0;
	}
	int rc = confirmer_try(&p->confirmer, &p->history.h, claim, !is_unproved, out, err);
	return rc;
}

static int confirm(struct predicted *p, struct prediction_request *q, struct err *err)
{
	const struct prediction *both[] = { &p->prediction, &p->unproved };
	uint64_t total = p->prediction.claims.len + p->unproved.claims.len, confirmed = 0;
	int rc = find_program(p, q, err);
	if (rc)
		return rc;
	uint64_t end_by = q->end_ns;
	/* A run that did not end need not end now, either. */
	bool has_end = !p->sieve.is_cut_off && !p->sieve.is_incomplete && !p->has_little_time;
	uint64_t steps = has_end ? CONFIRM_STEPS : 2 * p->index.count + CONFIRM_STEPS_OPEN;
	struct worker_config config = { .path = p->program.at,
					.argv = p->program_words.at,
					.restart = RESTART_FORK,
					.counts_waits = true,
					.step_limit = steps < CONFIRM_STEPS ? steps : CONFIRM_STEPS,
					.end_by = &end_by,
					.mask = q->mask,
					.stop = q->is_interrupted };
	struct streams streams;
	prediction_stage(q, "confirming");
	streams_init(&streams);
	streams_rewind_input(&streams);
	if (total)
		rc = confirmer_start(&p->confirmer, &config, p->trace, &p->index, err);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < both[k]->claims.len && !rc; i++) {
			struct confirmation *one = vec_add(&p->confirmations);
			rc = confirm_one(p, q, &both[k]->claims.at[i], k, one, err);
			confirmed += one->is_confirmed;
			progress(q, p->confirmations.len, total, confirmed);
		}
	if (total)
		confirmer_release(&p->confirmer);
	streams_restore(&streams);
	return rc;
}

/* ---- findings ---- */

/* Read the trace once more, for the events that findings mention, and for failures of the run
 * itself.
 */
static int read_again(struct predicted *p, struct err *err)
{
	struct event e;
	trace_reader_close(p->reader);
	p->reader = NULL;
	int rc = trace_reader_open(&p->reader, p->trace, err);
	if (rc)
		return rc;
	p->names =
		(struct names){ .tables = trace_reader_tables(p->reader),
				.scene = &p->scene,
				.source = source_new(),
				.program = trace_fact(trace_reader_tables(p->reader), "program") };
	while ((rc = trace_reader_next(p->reader, &e, err)) > 0) {
		scene_follow(&p->scene, &e);
		claim_events_take(&p->events, &e);
		/* That the run was to be short is no failure of the program. */
		if (e.kind == EV_FAILURE && e.a == FAILURE_STEP_LIMIT && p->has_little_time) {
			p->is_cut_for_time = true;
			continue;
		}
		if (e.kind == EV_FAILURE && e.a != FAILURE_REFUSED && p->shows_failures)
			findings_add_failure(&p->findings, &e, &p->scene, &p->names);
	}
	return rc;
}

static int make_findings(struct predicted *p, const struct prediction_request *q, struct err *err)
{
	const struct prediction *both[] = { &p->prediction, &p->unproved };
	size_t number = 0;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < both[k]->claims.len; i++, number++)
			claim_events_want(&p->events, &p->history.h, &both[k]->claims.at[i],
					  q->confirms ? &p->confirmations.at[number] : NULL);
	int rc = read_again(p, err);
	number = 0;
	while (p->confirmed_by.len < p->findings.list.len) {
		vec_push(&p->confirmed_by, SIZE_MAX);
		vec_push(&p->keys, 0);
	}
	for (int k = 0; k < 2 && !rc; k++)
		for (size_t i = 0; i < both[k]->claims.len; i++, number++) {
			const struct confirmation *one =
				q->confirms ? &p->confirmations.at[number] : NULL;
			/* Runs have shown that nothing comes of it. */
			bool is_harmless = one && !one->is_confirmed && one->effect == EFFECT_NONE;
			if ((k && !one->is_confirmed) || is_harmless)
				continue;
			findings_add_claim(&p->findings, &both[k]->claims.at[i], one, &p->history.h,
					   &p->events, &p->names);
			vec_push(&p->keys, both[k]->claims.at[i].key);
			vec_push(&p->confirmed_by, one && one->is_confirmed ? number : SIZE_MAX);
		}
	return rc;
}

/* ---- all of it ---- */

/* Errors name what the user has given. */
static int name_input(const struct predicted *p, int rc, struct err *err)
{
	char *name = rc && p->spooled.len ? strstr(err->text, p->spooled.at) : NULL;
	if (!name)
		return rc;
	struct err inner = *err;
	return err_set(err, -rc, "%.*sstandard input%s", (int)(name - err->text), inner.text,
		       inner.text + (name - err->text) + p->spooled.len);
}

/* Everything up to the histories. */
static int read_trace(struct predicted *p, struct prediction_request *q, struct err *err)
{
	prediction_stage(q, "reading the trace");
	int rc = spool(p, err);
	if (!rc)
		rc = import(p, err);
	if (!rc)
		rc = sieve(p, q, err);
	if (!rc)
		rc = index_build(&p->index, p->trace, NULL, err);
	if (!rc)
		rc = history_from_trace(&p->history, p->trace, &p->index, GUARDS_ALL, err);
	if (!rc && q->confirms)
		rc = history_from_trace(&p->relaxed, p->trace, &p->index, GUARDS_BRANCHES, err);
	return rc ? name_input(p, rc, err) : 0;
}

int predicted_make(struct predicted *p, struct prediction_request *q, const char *trace,
		   struct err *err)
{
	p->given = p->trace = trace;
	scene_init(&p->scene);
	prediction_is_over(q); /* from here on it is watched */
	int rc = read_trace(p, q, err);
	if (rc == -ERR_STOPPED) {
		p->prediction.is_cut_off = true;
		return 0;
	}
	if (rc)
		return rc;
	p->reader = p->history.reader;
	p->history.reader = NULL;
	if (q->options.kinds & PREDICT_ATOMICITY)
		rc = units_read(&p->units, p->trace, err);
	if (rc)
		return rc;
	ask(p, q);
	if (q->confirms)
		rc = confirm(p, q, err);
	return rc ? rc : make_findings(p, q, err);
}

void predicted_shrink(struct predicted *p)
{
	units_release(&p->units);
	prediction_release(&p->unproved);
	history_source_release(&p->relaxed);
	claim_events_release(&p->events);
	prediction_release(&p->prediction);
	history_source_release(&p->history);
	index_close(&p->index);
	struct buf *copies[] = { &p->spooled, &p->imported, &p->sieved };
	for (size_t i = 0; i < sizeof(copies) / sizeof(*copies); i++) {
		if (copies[i]->len)
			unlink(copies[i]->at);
		buf_release(copies[i]);
	}
}

void predicted_release(struct predicted *p)
{
	predicted_shrink(p);
	for (size_t i = 0; i < p->program_words.len; i++)
		mem_free(p->program_words.at[i]);
	vec_release(&p->program_words);
	for (size_t i = 0; i < p->confirmations.len; i++)
		confirmation_release(&p->confirmations.at[i]);
	vec_release(&p->confirmations);
	vec_release(&p->confirmed_by);
	vec_release(&p->keys);
	buf_release(&p->program);
	findings_release(&p->findings);
	names_release(&p->names);
	if (p->names.source)
		source_free(p->names.source);
	scene_release(&p->scene);
	if (p->reader)
		trace_reader_close(p->reader);
	*p = (struct predicted){ 0 };
}
