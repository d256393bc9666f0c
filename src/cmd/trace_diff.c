/* SPDX-License-Identifier: Apache-2.0 */
/* heddle trace diff: prints the first difference between two traces (trace/difference.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/trace_cmd.h"
#include "cmd/trace_names.h"
#include "trace/difference.h"

#define STEPS_MAX 1000

struct side {
	const char *path;
	struct difference_side trace;
	const struct trace_tables *tables;
	VEC(char *) thread_names; /* NULL: none given */
	struct trace_names names;
};

struct diff {
	struct side sides[2];
	uint64_t steps;	    /* how many before the difference are shown */
	VEC(char *) before; /* the last ones, as lines; a ring */
	uint64_t equal;	    /* events so far */
	struct trace_output out;
};

static void learn_name(struct side *s)
{
	const struct event *e = &s->trace.event;
	if (!s->trace.has_event || e->kind != EV_THREAD_NAME || !e->data_len)
		return;
	vec_grow_zeroed(&s->thread_names, e->thread + 1ull);
	mem_free(s->thread_names.at[e->thread]);
	s->thread_names.at[e->thread] = mem_strndup((const char *)e->data, e->data_len);
}

/* "T1 'worker' write counter = 3 at add (counter.c:9)" */
static void put_event(struct side *s, struct buf *out)
{
	const struct event *e = &s->trace.event;
	buf_printf(out, "T%u", e->thread);
	if (e->thread < s->thread_names.len && s->thread_names.at[e->thread]) {
		buf_str(out, " '");
		trace_cmd_text(s->thread_names.at[e->thread], strlen(s->thread_names.at[e->thread]),
			       out);
		buf_char(out, '\'');
	}
	buf_char(out, ' ');
	trace_cmd_kind(e, out);
	size_t before = out->len;
	buf_char(out, ' ');
	trace_cmd_operands(&s->names, s->tables, e, out);
	if (out->len == before + 1)
		out->at[out->len = before] = 0;
	if (e->loc) {
		buf_str(out, " at ");
		trace_cmd_location(s->tables, e->loc, out);
	}
}

static void remember(struct diff *d)
{
	struct buf line = { 0 };
	if (!d->steps)
		return;
	buf_printf(&line, "%9llu  ", (unsigned long long)d->sides[0].trace.event.index);
	put_event(&d->sides[0], &line);
	if (d->before.len < d->steps) {
		vec_push(&d->before, buf_take(&line));
		return;
	}
	size_t slot = d->equal % d->steps;
	mem_free(d->before.at[slot]);
	d->before.at[slot] = buf_take(&line);
}

static void print_event(struct side *s, struct buf *out)
{
	buf_printf(out, "%9llu  ", (unsigned long long)s->trace.event.index);
	put_event(s, out);
	buf_char(out, '\n');
}

static void print_difference(struct diff *d)
{
	struct buf *out = &d->out.text;
	const struct side *any = &d->sides[!d->sides[0].trace.has_event];
	buf_printf(out, "the traces differ at event %llu, number %llu of T%u\n",
		   (unsigned long long)d->equal, (unsigned long long)any->trace.event.own_index,
		   any->trace.event.thread);
	if (d->before.len)
		buf_str(out, "\nboth, before it:\n");
	for (size_t i = 0; i < d->before.len; i++) {
		buf_str(out, d->before.at[(d->equal + i) % d->before.len]);
		buf_char(out, '\n');
	}
	for (int i = 0; i < 2; i++) {
		struct side *s = &d->sides[i];
		buf_printf(out, "\n%s:\n", s->path);
		if (!s->trace.has_event) {
			buf_str(out, trace_reader_is_complete(s->trace.reader)
					     ? "           ends here\n"
					     : "           is cut off here\n");
			continue;
		}
		print_event(s, out);
		/* A switch has no place in the source: what the thread does then has one. */
		if (s->trace.event.kind == EV_SWITCH &&
		    trace_reader_next(s->trace.reader, &s->trace.event, NULL) == 1)
			print_event(s, out);
	}
}

/* Facts are no events, but show why traces may differ. */
static void print_facts(struct diff *d)
{
	const struct trace_tables *a = d->sides[0].tables, *b = d->sides[1].tables;
	for (size_t i = 1; i < a->facts.len; i++) {
		const char *mine = a->facts.at[i].value,
			   *other = trace_fact(b, a->facts.at[i].name);
		if (!other || !strcmp(mine, other))
			continue;
		buf_printf(&d->out.text, "%s: ", a->facts.at[i].name);
		trace_cmd_text(mine, strlen(mine), &d->out.text);
		buf_str(&d->out.text, " / ");
		trace_cmd_text(other, strlen(other), &d->out.text);
		buf_char(&d->out.text, '\n');
	}
}

/* 1 if they differ, 0 if not, or an error. */
static int compare(struct diff *d, struct err *err)
{
	struct difference_side *a = &d->sides[0].trace, *b = &d->sides[1].trace;
	for (;; d->equal++) {
		int rc = difference_next(a, b, err);
		if (rc < 0)
			return rc;
		learn_name(&d->sides[0]);
		learn_name(&d->sides[1]);
		if (!rc)
			return a->has_event || b->has_event;
		remember(d);
	}
}

static int run(struct diff *d)
{
	struct err err;
	int rc = 0;
	for (int i = 0; !rc && i < 2; i++) {
		rc = trace_reader_open(&d->sides[i].trace.reader, d->sides[i].path, &err);
		if (!rc)
			d->sides[i].tables = trace_reader_tables(d->sides[i].trace.reader);
	}
	if (!rc)
		rc = compare(d, &err);
	if (rc < 0)
		return cmd_fail(rc, &err);
	print_facts(d);
	if (rc)
		print_difference(d);
	else
		buf_printf(&d->out.text, "%llu event%s, no difference\n",
			   (unsigned long long)d->equal, d->equal == 1 ? "" : "s");
	if (!trace_cmd_write(&d->out))
		return trace_cmd_finish(d->sides[0].trace.reader, &d->out, 1, &err);
	for (int i = 0; !rc && i < 2; i++)
		trace_cmd_finish(d->sides[i].trace.reader, &d->out, 0, &err);
	return rc ? EXIT_FINDING : EXIT_NOTHING;
}

static void release(struct diff *d)
{
	for (int i = 0; i < 2; i++) {
		struct side *s = &d->sides[i];
		for (size_t k = 0; k < s->thread_names.len; k++)
			mem_free(s->thread_names.at[k]);
		vec_release(&s->thread_names);
		trace_names_release(&s->names);
		if (s->trace.reader)
			trace_reader_close(s->trace.reader);
	}
	for (size_t i = 0; i < d->before.len; i++)
		mem_free(d->before.at[i]);
	vec_release(&d->before);
	buf_release(&d->out.text);
}

int cmd_trace_diff(int argc, char **argv)
{
	struct diff d = { .steps = 5 };
	const struct opt table[] = {
		{ 0, "steps", OPT_NUMBER, &d.steps, "N",
		  "How many events before the difference are shown (default 5).", 0, STEPS_MAX,
		  NULL },
		{ 0 },
	};
	const struct opt_spec spec = {
		.command = "trace diff",
		.operands = "TRACE TRACE",
		.summary = "Finds the first difference between two traces.",
		.table = table,
		.details = "Each TRACE is in binary or text form. Events are compared by what they "
			   "mean, with their places in the source. The exit status is 0 if all are "
			   "equal, 1 if not. Facts about the runs that differ, such as the seed, "
			   "are shown, too, but do not count.",
	};
	const char *paths[2];
	int status = trace_cmd_operands_of(&spec, argc, argv, paths, 2);
	if (status < 0) {
		d.sides[0].path = paths[0];
		d.sides[1].path = paths[1];
		status = run(&d);
	}
	release(&d);
	return status;
}
