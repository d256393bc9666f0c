/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Witnesses of predictions.
 *
 * The execution of a confirmed one is repeated and recorded as any other witness.  Of one that no
 * run has confirmed there is no schedule in the program's own steps, so the file names the trace
 * and the claim.  `heddle replay` finds the order of the claim from the trace again, which always
 * gives the same, and runs the program by it (doc/WITNESS.md).
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "drive/recording.h"
#include "drive/repeat.h"
#include "prediction/prediction.h"

#define FIRST_LINE "heddle-prediction 1\n"

static bool wants_witness(const struct prediction_request *q)
{
	return !q->output || strcmp(q->output, "none");
}

/* ---- predicted only ---- */

/* TRACE.predicted.witness, or with a number if there are several. */
static void name_file(const struct prediction_request *q, const char *trace, size_t number,
		      size_t count, struct buf *out)
{
	buf_str(out, q->output ? q->output : trace);
	buf_str(out, q->output ? "" : ".predicted");
	if (count > 1)
		buf_printf(out, ".%zu", number + 1);
	buf_str(out, ".witness");
}

static bool write_one(const struct finding *f, const char *trace, uint64_t key, const char *path)
{
	struct buf text = { 0 };
	struct err err;
	buf_str(&text, FIRST_LINE "status predicted, not confirmed\n");
	buf_printf(&text, "kind %s\nmessage %s\nclaim %016llx\ntrace %s\n",
		   finding_kind_name(f->kind), f->message, (unsigned long long)key, trace);
	bool is_written = !file_write(path, text.at, text.len, &err);
	buf_release(&text);
	return is_written;
}

static void note_predictions(struct prediction_result *r, const struct prediction_request *q,
			     const char *trace)
{
	char absolute[PATH_MAX];
	if (!wants_witness(q) || !realpath(trace, absolute))
		return;
	for (size_t i = 0; i < r->bugs.len; i++) {
		const struct predicted_bug *t = &r->bugs.at[i];
		struct predicted *p = r->traces.at[t->trace];
		const char *program = trace_fact(p->names.tables, "program");
		if (!program || t->finding >= p->keys.len)
			continue;
		struct buf path = { 0 };
		name_file(q, trace, i, r->bugs.len, &path);
		if (!p->program.len)
			buf_str(&p->program, program);
		struct finding *f = &p->findings.list.at[t->finding];
		if (write_one(f, absolute, p->keys.at[t->finding], path.at))
			f->witness = mem_strdup(path.at);
		buf_release(&path);
	}
}

/* ---- confirmed ---- */

/* PREFIX.witness, or with a number if there are several; as heddle check names them. */
static void witness_name(const struct prediction_request *q, const struct predicted *p,
			 size_t number, size_t count, struct buf *out)
{
	buf_str(out, q->output ? q->output : file_base_name(p->program.at));
	if (count > 1)
		buf_printf(out, ".%zu", number + 1);
	buf_str(out, ".witness");
}

static int record_witness(struct predicted *p, size_t number, const struct prediction_request *q,
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
					  .timeout = q->timeout,
					  .mask = q->mask,
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

static int record_witnesses(struct prediction_result *r, const struct prediction_request *q,
			    struct err *err)
{
	struct buf path = { 0 };
	int rc = 0;
	for (size_t i = 0; i < r->bugs.len && !rc && !*q->is_interrupted && wants_witness(q); i++) {
		const struct predicted_bug *t = &r->bugs.at[i];
		buf_clear(&path);
		witness_name(q, r->traces.at[t->trace], i, r->bugs.len, &path);
		rc = record_witness(r->traces.at[t->trace], t->finding, q, path.at, err);
	}
	buf_release(&path);
	return rc;
}

int prediction_write_witnesses(struct prediction_result *r, const struct prediction_request *q,
			       const char *trace, struct err *err)
{
	if (q->confirms)
		return record_witnesses(r, q, err);
	note_predictions(r, q, trace);
	return 0;
}

/* ---- reading ---- */

/* The rest of the line that begins with a word; the caller frees it.  NULL: there is none. */
static char *line_of(const char *text, const char *word)
{
	for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (!strncmp(at, word, strlen(word)) && at[strlen(word)] == ' ') {
			at += strlen(word) + 1;
			size_t len = strcspn(at, "\n");
			char *line = mem_zero(len + 1, 1);
			memcpy(line, at, len);
			return line;
		}
	return NULL;
}

bool prediction_read(const char *path, char **trace, uint64_t *key)
{
	struct buf text = { 0 };
	struct err err;
	FILE *file = fopen(path, "r");
	char first[sizeof(FIRST_LINE)] = "";
	bool is_one =
		file && fread(first, 1, sizeof(first) - 1, file) && !strcmp(first, FIRST_LINE);
	if (file)
		fclose(file);
	if (!is_one || file_read(path, &text, &err)) {
		buf_release(&text);
		return false;
	}
	char *claim = line_of(text.at, "claim");
	*trace = line_of(text.at, "trace");
	*key = claim ? strtoull(claim, NULL, 16) : 0;
	mem_free(claim);
	buf_release(&text);
	return *trace != NULL;
}
