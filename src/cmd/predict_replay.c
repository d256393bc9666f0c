/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Witnesses of predictions that no run has confirmed yet.  The program has not been run, so there
 * is no schedule in its own steps; the file names the trace and the claim.  `heddle replay` finds
 * the order of the claim from the trace again, which always gives the same, and runs the program
 * by it (doc/WITNESS.md).
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cmd/predict.h"

#define FIRST_LINE "heddle-prediction 1\n"

bool predict_wants_witness(const struct predict_command *c)
{
	return !c->output || strcmp(c->output, "none");
}

/* TRACE.predicted.witness, or with a number if there are several. */
static void name_file(const struct predict_command *c, const char *trace, size_t number,
		      size_t count, struct buf *out)
{
	buf_str(out, c->output ? c->output : trace);
	buf_str(out, c->output ? "" : ".predicted");
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

void predict_result_note_predictions(struct predict_result *r, const struct predict_command *c,
				     const char *trace)
{
	char absolute[PATH_MAX];
	if (!predict_wants_witness(c) || !realpath(trace, absolute))
		return;
	for (size_t i = 0; i < r->told.len; i++) {
		const struct told *t = &r->told.at[i];
		struct predicted *p = r->traces.at[t->trace];
		const char *program = trace_fact(p->names.tables, "program");
		if (!program || t->finding >= p->keys.len)
			continue;
		struct buf path = { 0 };
		name_file(c, trace, i, r->told.len, &path);
		if (!p->program.len)
			buf_str(&p->program, program);
		struct finding *f = &p->findings.list.at[t->finding];
		if (write_one(f, absolute, p->keys.at[t->finding], path.at))
			f->witness = mem_strdup(path.at);
		buf_release(&path);
	}
}

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
