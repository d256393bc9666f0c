/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle trace print: the events of a trace, readable, as text that can be read back, or in a
 * column for each thread.
 */
#include <string.h>

#include "cmd/trace_cmd.h"

enum format { FORMAT_READABLE, FORMAT_TEXT, FORMAT_COLUMNS };

static const char *const formats[] = { "readable", "text", "columns", NULL };

#define ANY_THREAD UINT64_MAX
#define COLUMN_WIDTH 24
#define OUTPUT_CHUNK 65536 /* bytes gathered before they are written */

struct print {
	int format;
	uint64_t from, to, thread;
	const char *kind_name;
	unsigned kind;	     /* 0: any */
	VEC(thr_id) columns; /* threads in the order in which they were met */
	struct trace_output out;
	struct trace_names names;
};

static bool is_wanted(const struct print *p, const struct event *e)
{
	return e->index >= p->from && e->index <= p->to &&
	       (p->thread == ANY_THREAD || e->thread == p->thread) &&
	       (!p->kind || e->kind == p->kind);
}

/* Pad a line that begins at start to a column; at least two blanks stand before it. */
static void pad(struct buf *out, size_t start, size_t column)
{
	size_t width = out->len - start;
	buf_fill(out, ' ', width + 2 <= column ? column - width : 2);
}

static void print_readable(struct print *p, const struct trace_tables *t, const struct event *e)
{
	struct buf *out = &p->out.text;
	size_t start = out->len;
	buf_printf(out, "%7llu T%-3u ", (unsigned long long)e->index, e->thread);
	trace_cmd_kind(e, out);
	pad(out, start, 28);
	if (e->size)
		buf_printf(out, "%llu", (unsigned long long)e->size);
	pad(out, start, 34);
	trace_cmd_operands(&p->names, t, e, out);
	if (e->loc) {
		pad(out, start, 72);
		trace_cmd_location(t, e->loc, out);
	}
	while (out->at[out->len - 1] == ' ')
		out->at[--out->len] = 0;
	buf_char(out, '\n');
}

static size_t column_of(struct print *p, thr_id thread)
{
	size_t i = 0;
	while (i < p->columns.len && p->columns.at[i] != thread)
		i++;
	if (i == p->columns.len) {
		vec_push(&p->columns, thread);
		buf_fill(&p->out.text, ' ', 9 + i * COLUMN_WIDTH);
		buf_printf(&p->out.text, "[T%u]\n", thread);
	}
	return i;
}

static void print_column(struct print *p, const struct trace_tables *t, const struct event *e)
{
	struct buf *out = &p->out.text;
	size_t column = column_of(p, e->thread);
	buf_printf(out, "%7llu  ", (unsigned long long)e->index);
	buf_fill(out, ' ', column * COLUMN_WIDTH);
	trace_cmd_kind(e, out);
	buf_char(out, ' ');
	trace_cmd_operands(&p->names, t, e, out);
	if (e->loc && t->locations.at[e->loc].line)
		buf_printf(out, "  :%u", t->locations.at[e->loc].line);
	while (out->at[out->len - 1] == ' ')
		out->at[--out->len] = 0;
	buf_char(out, '\n');
}

/* 0 at the end of the trace, 1 if it was not read that far, or an error. */
static int print_events(struct print *p, struct trace_reader *r, struct err *err)
{
	const struct trace_tables *t = trace_reader_tables(r);
	struct event e;
	int rc;
	while ((rc = trace_reader_next(r, &e, err)) == 1 && e.index <= p->to) {
		if (!is_wanted(p, &e))
			continue;
		if (p->format == FORMAT_COLUMNS)
			print_column(p, t, &e);
		else
			print_readable(p, t, &e);
		if (p->out.text.len >= OUTPUT_CHUNK && !trace_cmd_write(&p->out))
			return 1;
	}
	trace_cmd_write(&p->out);
	return rc;
}

/* The text form of what is wanted is a trace again: all definitions, the wanted events, an end
 * mark. */
static int print_text(struct print *p, struct trace_reader *r, struct err *err)
{
	const struct trace_tables *t = trace_reader_tables(r);
	struct trace_copied done = { 0 };
	struct trace_writer *w;
	struct event e;
	struct err why = { 0 };
	int rc = trace_writer_open(&w, "-", TRACE_TEXT, err);
	if (rc)
		return rc;
	rc = trace_copy_tables(t, &done, w, &why);
	while (!rc && (rc = trace_reader_next(r, &e, &why)) == 1) {
		rc = trace_copy_tables(t, &done, w, &why);
		if (!rc && is_wanted(p, &e))
			rc = trace_writer_event(w, &e, &why);
	}
	if (!rc)
		rc = trace_copy_tables(t, &done, w, &why);
	if (!rc && trace_reader_is_complete(r))
		rc = trace_writer_close(w, &why);
	else
		trace_writer_abandon(w);
	*err = why;
	return rc;
}

static int run(struct print *p, const char *path)
{
	struct trace_reader *r;
	struct err err;
	int rc = trace_reader_open(&r, path, &err);
	if (rc)
		return cmd_fail(rc, &err);
	rc = p->format == FORMAT_TEXT ? print_text(p, r, &err) : print_events(p, r, &err);
	int status = trace_cmd_finish(r, &p->out, rc, &err);
	trace_reader_close(r);
	buf_release(&p->out.text);
	trace_names_release(&p->names);
	vec_release(&p->columns);
	return status;
}

int cmd_trace_print(int argc, char **argv)
{
	struct print p = { .to = UINT64_MAX, .thread = ANY_THREAD };
	const struct opt table[] = {
		{ 0, "format", OPT_CHOICE, &p.format, NULL,
		  "How to print: readable (the default) with names and source positions; text, the "
		  "form that can be read back; columns, one for each thread.",
		  0, 0, formats },
		{ 0, "from", OPT_NUMBER, &p.from, "N",
		  "First event to print, counted from 0 (default 0).", 0, UINT64_MAX, NULL },
		{ 0, "to", OPT_NUMBER, &p.to, "N", "Last event to print (default: the last one).",
		  0, UINT64_MAX, NULL },
		{ 0, "thread", OPT_NUMBER, &p.thread, "N",
		  "Only events of this thread (default: all threads).", 0, UINT32_MAX, NULL },
		{ 0, "kind", OPT_STRING, &p.kind_name, "NAME",
		  "Only events of this kind, such as read, acquire or failure (default: all "
		  "kinds).",
		  0, 0, NULL },
		{ 0 },
	};
	const struct opt_spec spec = {
		.command = "trace print",
		.operands = "TRACE",
		.summary = "Prints the events of a trace.",
		.table = table,
		.details = "TRACE is a trace in binary or text form, or - for standard input. A "
			   "trace that was cut off is printed up to where it is complete, with a "
			   "warning.",
	};
	const char *path;
	struct err err;
	int status = trace_cmd_options(&spec, argc, argv, &path);
	if (status >= 0)
		return status;
	if (p.kind_name) {
		p.kind = event_kind_by_name(p.kind_name, strlen(p.kind_name));
		if (!p.kind) {
			int rc = err_set(&err, ERR_USAGE,
					 "heddle trace print: there is no kind of event named '%s'",
					 p.kind_name);
			return cmd_fail(rc, &err);
		}
	}
	return run(&p, path);
}
