/* SPDX-License-Identifier: Apache-2.0 */
/* heddle trace slice: selected events (trace/select.h) as a trace of their own (trace/slice.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/trace_cmd.h"
#include "cmd/trace_names.h"
#include "trace/select.h"
#include "trace/slice.h"

struct slice {
	const char *threads, *events, *place, *out; /* as given */
	bool is_text;
	struct select select;
	struct trace_names names;
	struct slice_rules rules;
	uint64_t matches; /* events that are what was asked for */
};

static bool is_named(void *context, const struct trace_tables *t, uint64_t address,
		     const char *name)
{
	return trace_names_match(context, t, address, name);
}

/* Events of locks are kept whatever line or variable was asked for. */
static bool is_wanted(void *context, const struct trace_tables *t, const struct event *e)
{
	struct slice *s = context;
	bool wanted = select_event(&s->select, t, e);
	bool is_asked_for = !(s->select.location || s->select.place) ||
			    event_shape(e->kind).obj != OPERAND_SYNC;
	if (wanted && is_asked_for && e->index >= s->rules.from && e->index <= s->rules.to)
		s->matches++;
	return wanted;
}

/* ---- options ---- */

/* "1", "1,3". */
static bool parse_threads(struct slice *s)
{
	for (const char *at = s->threads; at && *at;) {
		char *end;
		uint64_t n = strtoull(at, &end, 10);
		if (end == at || n >= TRACE_THREADS_MAX || (*end && *end != ','))
			return false;
		vec_grow_zeroed(&s->select.threads, n + 1);
		s->select.threads.at[n] = true;
		at = *end ? end + 1 : end;
	}
	return !s->threads || *s->threads;
}

/* "10..20", "10..", "..20". */
static bool parse_events(struct slice *s)
{
	s->rules.to = UINT64_MAX;
	if (!s->events)
		return true;
	char *end;
	const char *dots = strstr(s->events, "..");
	if (!dots)
		return false;
	s->rules.from = strtoull(s->events, &end, 10);
	if (end != dots)
		return false;
	if (dots[2])
		s->rules.to = strtoull(dots + 2, &end, 10);
	return !dots[2] || (!*end && s->rules.from <= s->rules.to);
}

static bool parse_place(struct slice *s)
{
	if (!s->place)
		return true;
	const char *colon = strrchr(s->place, ':');
	char *end;
	if (!colon || colon == s->place || !colon[1])
		return false;
	s->select.place = s->place;
	s->select.place_len = (size_t)(colon - s->place);
	s->select.place_line = strtoull(colon + 1, &end, 10);
	return !*end;
}

static int parse(struct slice *s, struct err *err)
{
	if (!s->threads && !s->select.location && !s->select.lock && !s->events && !s->place &&
	    !s->select.is_shared)
		return err_set(
			err, ERR_USAGE,
			"heddle trace slice: say what to keep; see 'heddle trace slice --help'");
	if (!parse_threads(s))
		return err_set(err, ERR_USAGE,
			       "heddle trace slice: --thread wants numbers with commas between "
			       "them, not '%s'",
			       s->threads);
	if (!parse_events(s))
		return err_set(err, ERR_USAGE,
			       "heddle trace slice: --events wants FIRST..LAST, not '%s'",
			       s->events);
	if (!parse_place(s))
		return err_set(err, ERR_USAGE,
			       "heddle trace slice: --place wants FILE:LINE, not '%s'", s->place);
	return 0;
}

static void describe(const struct slice *s, struct buf *out)
{
	const struct {
		const char *name, *value;
	} given[] = {
		{ "thread", s->threads },   { "location", s->select.location },
		{ "lock", s->select.lock }, { "events", s->events },
		{ "place", s->place },
	};
	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++)
		if (given[i].value)
			buf_printf(out, "%s%s=%s", out->len ? " " : "", given[i].name,
				   given[i].value);
	if (s->select.is_shared)
		buf_printf(out, "%sshared", out->len ? " " : "");
}

static int run(struct slice *s, const char *path)
{
	struct trace_output none = { 0 };
	struct trace_reader *r;
	struct trace_writer *w;
	struct buf what = { 0 };
	struct err err;
	int rc = 0;
	if (s->select.is_shared && !strcmp(path, "-"))
		rc = err_set(&err, ERR_USAGE,
			     "heddle trace slice: --shared reads the trace twice, so it cannot "
			     "come from standard input");
	else if (s->select.is_shared)
		rc = select_find_shared(&s->select, path, &err);
	if (!rc)
		rc = trace_reader_open(&r, path, &err);
	if (rc)
		return cmd_fail(rc, &err);
	describe(s, &what);
	s->rules.what = what.at;
	s->rules.is_wanted = is_wanted;
	s->rules.context = s;
	rc = trace_writer_open(&w, s->out, s->is_text ? TRACE_TEXT : TRACE_BINARY, &err);
	if (!rc)
		rc = slice_copy(r, &s->rules, w, &err);
	struct event e;
	bool is_cut = !rc && trace_reader_next(r, &e, &err) == 0 && !trace_reader_is_complete(r);
	int status = trace_cmd_finish(r, &none, rc ? rc : !is_cut, &err);
	/* That no memory is shared is an answer; a name that nothing has is a mistake. */
	bool names_something =
		s->threads || s->select.location || s->select.lock || s->events || s->place;
	if (status == EXIT_NOTHING && names_something && !s->matches) {
		rc = err_set(&err, ERR_IO, "no event of %s matches %s", path, what.at);
		status = cmd_fail(rc, &err);
	}
	trace_reader_close(r);
	buf_release(&what);
	return status;
}

int cmd_trace_slice(int argc, char **argv)
{
	struct slice s = { .out = "-", .select.match = is_named };
	const struct opt table[] = {
		{ 0, "thread", OPT_STRING, &s.threads, "N[,N...]",
		  "Events of these threads (default: all).", 0, 0, NULL },
		{ 0, "location", OPT_STRING, &s.select.location, "NAME",
		  "Accesses to a variable, by its name or address (default: all accesses).", 0, 0,
		  NULL },
		{ 0, "lock", OPT_STRING, &s.select.lock, "NAME",
		  "Events of a lock, by its name or address, and what threads do while they hold "
		  "it (default: any).",
		  0, 0, NULL },
		{ 0, "events", OPT_STRING, &s.events, "A..B",
		  "Events from number A to B; either may be left out (default: all).", 0, 0, NULL },
		{ 0, "place", OPT_STRING, &s.place, "FILE:LINE",
		  "Events at a line of the source (default: any).", 0, 0, NULL },
		{ 0, "shared", OPT_FLAG, &s.select.is_shared, NULL,
		  "Of accesses only those to memory that more than one thread touches, in pieces "
		  "of 8 bytes.",
		  0, 0, NULL },
		{ 'o', "output", OPT_STRING, &s.out, "FILE",
		  "Where to write (default: standard output).", 0, 0, NULL },
		{ 0, "text", OPT_FLAG, &s.is_text, NULL,
		  "Write the text form (default: the binary form).", 0, 0, NULL },
		{ 0 },
	};
	const struct opt_spec spec = {
		.command = "trace slice",
		.operands = "TRACE",
		.summary = "Takes a part out of a trace; the result is a trace again.",
		.table = table,
		.details =
			"TRACE is a trace in binary or text form, or - for standard input. If "
			"several options are given, events must satisfy all of them. "
			"--location, --place and --shared choose among events that are not "
			"about locks and other objects of synchronisation; those are all kept. "
			"So that the result is consistent, creation, begin, end and join of all "
			"threads stay, acquires of locks that are held where a range begins "
			"stand before it, and a read of something whose write was left out has "
			"an outside-write before it. The fact 'slice' has the options. If no event "
			"is what was asked for, a sentence says so, and the status is 3.",
	};
	struct err err;
	const char *path;
	int status = trace_cmd_options(&spec, argc, argv, &path);
	s.select.match_context = &s.names;
	if (status < 0) {
		int rc = parse(&s, &err);
		status = rc ? cmd_fail(rc, &err) : run(&s, path);
	}
	select_release(&s.select);
	trace_names_release(&s.names);
	return status;
}
