/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON form of a command's result.  doc/JSON.md is its description and changes with this file.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "report/frames.h"
#include "report/report.h"

static const char *const assumptions[] = {
#define ASSUMPTION(NAME, word, detail, meaning) word,
#include "report/words.def"
};

static void add_assumption(struct report_summary *s, const char *text)
{
	for (size_t i = 0; i < s->assumptions.len; i++)
		if (!strcmp(s->assumptions.at[i], text))
			return;
	vec_push(&s->assumptions, mem_strdup(text));
}

void report_assume(struct report_summary *s, enum report_assumption word)
{
	add_assumption(s, assumptions[word]);
}

void report_assume_of(struct report_summary *s, enum report_assumption word, const char *fmt, ...)
{
	char detail[1024], text[1024 + 64];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	snprintf(text, sizeof(text), "%s:%s", assumptions[word], detail);
	add_assumption(s, text);
}

void report_summary_release(struct report_summary *s)
{
	for (size_t i = 0; i < s->assumptions.len; i++)
		mem_free(s->assumptions.at[i]);
	vec_release(&s->assumptions);
}

static void add_position(struct json *j, struct names *n, loc_id loc)
{
	const struct location *l = names_location(n, loc);
	json_key(j, "file");
	json_string(j, l->file[0] ? names_path(n, l->file) : NULL);
	json_key(j, "line");
	json_number(j, l->line);
	json_key(j, "function");
	json_string(j, l->function[0] ? l->function : NULL);
}

static void add_frame(struct json *j, struct names *n, loc_id loc)
{
	json_begin_object(j);
	add_position(j, n, loc);
	json_end_object(j);
}

/* The position is in the user's own code; what it called to get to the place itself stands beside
 * it. */
static void add_place(struct json *j, struct names *n, const struct finding_place *p)
{
	struct frame_walk own = frames_own(n->tables, p->loc, p->stack),
			  at = { p->loc, p->stack, 0 };
	json_begin_object(j);
	add_position(j, n, own.loc);
	json_key(j, "thread");
	json_number(j, p->thread);
	json_key(j, "role");
	json_string(j, p->role);
	json_key(j, "inside");
	json_begin_array(j);
	while (own.inside && at.inside != own.inside) {
		add_frame(j, n, at.loc);
		if (!frames_outward(n->tables, &at))
			break;
	}
	json_end_array(j);
	json_key(j, "stack");
	json_begin_array(j);
	while (frames_outward(n->tables, &own))
		add_frame(j, n, own.loc);
	json_end_array(j);
	json_end_object(j);
}

static void add_side(struct json *j, const struct finding_side *s)
{
	json_begin_object(j);
	json_key(j, "file");
	json_string(j, s->file);
	json_key(j, "line");
	json_number(j, s->line);
	json_key(j, "function");
	json_string(j, s->function);
	json_key(j, "thread");
	json_number(j, s->thread);
	json_key(j, "access");
	json_string(j, finding_act_word(s->act));
	json_end_object(j);
}

static void add_pairs(struct json *j, const struct finding *f)
{
	json_key(j, "pairs");
	json_begin_array(j);
	for (size_t i = 0; i < f->pairs.len; i++) {
		json_begin_array(j);
		add_side(j, &f->pairs.at[i].sides[0]);
		add_side(j, &f->pairs.at[i].sides[1]);
		json_end_array(j);
	}
	json_end_array(j);
}

void report_json_finding(struct json *j, struct names *n, const struct finding *f)
{
	json_begin_object(j);
	json_key(j, "kind");
	json_string(j, finding_kind_name(f->kind));
	json_key(j, "status");
	json_string(j, finding_status_name(f->status));
	json_key(j, "message");
	json_string(j, f->message);
	json_key(j, "count");
	json_number(j, f->count);
	json_key(j, "places");
	json_begin_array(j);
	for (size_t i = 0; i < f->places.len; i++)
		add_place(j, n, &f->places.at[i]);
	json_end_array(j);
	json_key(j, "notes");
	json_begin_array(j);
	for (size_t i = 0; i < f->notes.len; i++)
		json_string(j, f->notes.at[i]);
	json_end_array(j);
	if (f->pairs.len)
		add_pairs(j, f);
	json_key(j, "witness");
	json_string(j, f->witness);
	json_end_object(j);
}

void report_json_begin(struct json *j, const struct report_summary *s)
{
	json_begin_object(j);
	json_key(j, "command");
	json_string(j, s->command);
	json_key(j, "complete");
	json_bool(j, s->is_complete);
	json_key(j, "assumptions");
	json_begin_array(j);
	for (size_t i = 0; i < s->assumptions.len; i++)
		json_string(j, s->assumptions.at[i]);
	json_end_array(j);
	json_key(j, "executions");
	json_number(j, s->executions);
	json_key(j, "inconclusive");
	json_string(j, s->inconclusive);
}

void report_json(const struct report_summary *s, const struct findings *findings, struct names *n,
		 struct buf *out)
{
	struct json j;
	json_init(&j, out);
	report_json_begin(&j, s);
	json_key(&j, "findings");
	json_begin_array(&j);
	for (size_t i = 0; i < findings->list.len; i++)
		report_json_finding(&j, n, &findings->list.at[i]);
	json_end_array(&j);
	json_end_object(&j);
}
