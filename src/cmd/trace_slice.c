/* SPDX-License-Identifier: Apache-2.0 */
/* heddle trace slice: a part of a trace, as a trace; what is added so that it makes sense is in
 * trace/slice.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/trace_cmd.h"
#include "cmd/trace_names.h"
#include "trace/block.h"
#include "trace/slice.h"
#include "trace/touched.h"

#define NAMED_MAX 65536u /* bytes of an access that are asked for their names */

struct slice {
	const char *threads, *location, *lock, *events, *place, *out;
	bool is_shared, is_text;
	VEC(bool) wanted_threads;
	uint64_t place_line;
	size_t place_file;	   /* length of the file's name in place */
	VEC(signed char) at_place; /* by location: 1 yes, -1 no, 0 not looked at */
	VEC(bool) holds;	   /* by thread: has the lock */
	struct trace_names names;
	struct touched touched;
	struct slice_rules rules;
};

/* ---- which cells are shared ---- */

static void note_access(struct slice *s, const struct event *e)
{
	uint64_t cell;
	for (uint64_t count = touched_cells(e, &cell); count--; cell++)
		touched_note(&s->touched, cell, e->thread);
}

static bool is_shared_access(struct slice *s, const struct event *e)
{
	uint64_t cell, count = touched_cells(e, &cell);
	if (!count)
		return true;
	for (; count--; cell++)
		if (touched_is_shared(&s->touched, touched_slot(&s->touched, cell)))
			return true;
	return false;
}

/* The first pass; initial content is not an access. */
static int find_shared(struct slice *s, const char *path, struct err *err)
{
	struct trace_reader *r;
	struct event e;
	if (!strcmp(path, "-"))
		return err_set(err, ERR_USAGE,
			       "heddle trace slice: --shared reads the trace twice, so it cannot "
			       "come from standard input");
	int rc = trace_reader_open(&r, path, err);
	if (rc)
		return rc;
	while ((rc = trace_reader_next(r, &e, err)) == 1) {
		if (event_is_of_block(e.kind))
			touched_block(&s->touched, &e);
		else if (e.kind == EV_READ || e.kind == EV_WRITE || e.kind == EV_RMW)
			note_access(s, &e);
	}
	trace_reader_close(r);
	/* Both passes see the same blocks come and go, so that a cell has the same life in both. */
	touched_restart(&s->touched);
	return rc;
}

/* ---- what is wanted ---- */

static bool is_wanted_thread(const struct slice *s, thr_id thread)
{
	return !s->threads || (thread < s->wanted_threads.len && s->wanted_threads.at[thread]);
}

static bool is_at_place(struct slice *s, const struct trace_tables *t, loc_id loc)
{
	vec_grow_zeroed(&s->at_place, loc + 1ull);
	if (s->at_place.at[loc])
		return s->at_place.at[loc] > 0;
	const struct location *l = &t->locations.at[loc];
	size_t len = loc ? strlen(l->file) : 0;
	bool fits = loc && l->line == s->place_line && len >= s->place_file &&
		    !memcmp(l->file + len - s->place_file, s->place, s->place_file) &&
		    (len == s->place_file || l->file[len - s->place_file - 1] == '/');
	s->at_place.at[loc] = fits ? 1 : -1;
	return fits;
}

/* Events of the lock, and what its holder does to anything but other locks. */
static bool is_under_lock(struct slice *s, const struct trace_tables *t, const struct event *e)
{
	vec_grow_zeroed(&s->holds, e->thread + 1ull);
	bool *holds = &s->holds.at[e->thread];
	if (event_shape(e->kind).obj != OPERAND_SYNC)
		return *holds;
	bool is_wait = e->kind == EV_WAIT || e->kind == EV_WAKE;
	if (!trace_names_match(&s->names, t, is_wait && e->a ? e->a : e->obj, s->lock))
		return false;
	if (e->kind == EV_ACQUIRE)
		*holds = true;
	else if ((e->kind == EV_RELEASE && !e->a) || e->kind == EV_ORPHAN)
		*holds = false;
	return true;
}

/* Any part of an access counts; of a long one, its first pages. */
static bool is_at_location(struct slice *s, const struct trace_tables *t, const struct event *e)
{
	char *end;
	uint64_t number = strtoull(s->location, &end, 0);
	if (end != s->location && !*end)
		return number - e->obj < (e->size ? e->size : 1);
	uint64_t size = e->size < NAMED_MAX ? e->size : NAMED_MAX;
	for (uint64_t at = 0; at == 0 || at < size; at = (e->obj + at + 8) / 8 * 8 - e->obj)
		if (trace_names_match(&s->names, t, e->obj + at, s->location))
			return true;
	return false;
}

static bool is_wanted(void *context, const struct trace_tables *t, const struct event *e)
{
	struct slice *s = context;
	bool is_memory = event_touches_memory(e->kind),
	     is_sync = event_shape(e->kind).obj == OPERAND_SYNC;
	if (s->is_shared && event_is_of_block(e->kind))
		touched_block(&s->touched, e);
	/* Asked first, because it keeps track. */
	if (s->lock && !is_under_lock(s, t, e))
		return false;
	if (!is_wanted_thread(s, e->thread))
		return false;
	if (is_sync)
		return true;
	if (s->place && !is_at_place(s, t, e->loc))
		return false;
	if (s->location && !(is_memory && is_at_location(s, t, e)))
		return false;
	return !s->is_shared || !is_memory || is_shared_access(s, e);
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
		while (s->wanted_threads.len <= n)
			vec_push(&s->wanted_threads, false);
		s->wanted_threads.at[n] = true;
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
	s->place_file = (size_t)(colon - s->place);
	s->place_line = strtoull(colon + 1, &end, 10);
	return !*end;
}

static int parse(struct slice *s, struct err *err)
{
	if (!s->threads && !s->location && !s->lock && !s->events && !s->place && !s->is_shared)
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
		{ "thread", s->threads }, { "location", s->location }, { "lock", s->lock },
		{ "events", s->events },  { "place", s->place },
	};
	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++)
		if (given[i].value)
			buf_printf(out, "%s%s=%s", out->len ? " " : "", given[i].name,
				   given[i].value);
	if (s->is_shared)
		buf_printf(out, "%sshared", out->len ? " " : "");
}

static int run(struct slice *s, const char *path)
{
	struct trace_output none = { 0 };
	struct trace_reader *r;
	struct trace_writer *w;
	struct buf what = { 0 };
	struct err err;
	int rc = s->is_shared ? find_shared(s, path, &err) : 0;
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
	trace_reader_close(r);
	buf_release(&what);
	return status;
}

static void release(struct slice *s)
{
	vec_release(&s->wanted_threads);
	vec_release(&s->at_place);
	vec_release(&s->holds);
	trace_names_release(&s->names);
	touched_release(&s->touched);
}

int cmd_trace_slice(int argc, char **argv)
{
	struct slice s = { .out = "-" };
	const struct opt table[] = {
		{ 0, "thread", OPT_STRING, &s.threads, "N[,N...]",
		  "Events of these threads (default: all).", 0, 0, NULL },
		{ 0, "location", OPT_STRING, &s.location, "NAME",
		  "Accesses to a variable, by its name or address (default: all accesses).", 0, 0,
		  NULL },
		{ 0, "lock", OPT_STRING, &s.lock, "NAME",
		  "Events of a lock, by its name or address, and what threads do while they hold "
		  "it (default: any).",
		  0, 0, NULL },
		{ 0, "events", OPT_STRING, &s.events, "A..B",
		  "Events from number A to B; either may be left out (default: all).", 0, 0, NULL },
		{ 0, "place", OPT_STRING, &s.place, "FILE:LINE",
		  "Events at a line of the source (default: any).", 0, 0, NULL },
		{ 0, "shared", OPT_FLAG, &s.is_shared, NULL,
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
		.details = "TRACE is a trace in binary or text form, or - for standard input. If "
			   "several options are given, events must satisfy all of them. "
			   "--location, --place and --shared choose among events that are not "
			   "about locks and other objects of synchronisation; those are all kept. "
			   "So that the result is consistent, creation, begin, end and join of all "
			   "threads stay, acquires of locks that are held where a range begins "
			   "stand before it, and a read of something whose write was left out has "
			   "an outside-write before it. The fact 'slice' has the options.",
	};
	struct err err;
	const char *path;
	int status = trace_cmd_options(&spec, argc, argv, &path);
	if (status < 0) {
		int rc = parse(&s, &err);
		status = rc ? cmd_fail(rc, &err) : run(&s, path);
	}
	release(&s);
	return status;
}
