/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON form of a command's result.  doc/JSON.md is its description and changes with this file. */
#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"
#include "report/report.h"

void report_add_assumption(struct report_summary *s, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	vec_push(&s->assumptions, mem_strdup(text));
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

static void add_stack(struct json *j, struct names *n, stack_id stack)
{
	json_key(j, "stack");
	json_begin_array(j);
	for (; stack && stack < n->tables->stacks.len; stack = n->tables->stacks.at[stack].parent) {
		json_begin_object(j);
		add_position(j, n, n->tables->stacks.at[stack].loc);
		json_end_object(j);
	}
	json_end_array(j);
}

static void add_place(struct json *j, struct names *n, const struct finding_place *p)
{
	json_begin_object(j);
	add_position(j, n, p->loc);
	json_key(j, "thread");
	json_number(j, p->thread);
	json_key(j, "role");
	json_string(j, p->role);
	add_stack(j, n, p->stack);
	json_end_object(j);
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
