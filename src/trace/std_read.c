/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From STD lines to events.  Each line becomes one event, with a switch before it where the
 * thread changes. Missing information (values, depths, the creator of a thread) is filled in so
 * that the trace is consistent.  A line that is inconsistent in any case is rejected.
 */
#include "trace/std.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"
#include "trace/block.h"
#include "trace/consistency.h"
#include "trace/input.h"
#include "trace/name_table.h"

#define STD_LINE_MAX (1u << 20)

struct import {
	struct input in;
	enum std_begin what;
	bool places_are_lines; /* all of several places are the same */
	struct name_table variables, locks, threads, places;
	uint64_t named; /* objects in STD_NAMED */
	thr_id named_threads;
	uint32_t locations;
	uint64_t events;
	thr_id running;
	struct trace_writer *writer;
	struct consistency *consistency;
};

/* A letter and a decimal number without leading zeroes: the number, or limit if it is something
 * else. */
static uint64_t number_after(struct word w, char letter, uint64_t limit)
{
	uint64_t n = 0;
	if (w.len < 2 || w.len > 18 || w.at[0] != letter || (w.at[1] == '0' && w.len > 2))
		return limit;
	for (size_t i = 1; i < w.len; i++) {
		if (w.at[i] < '0' || w.at[i] > '9')
			return limit;
		n = n * 10 + (uint64_t)(w.at[i] - '0');
	}
	return n < limit ? n : limit;
}

static int define_region(struct import *m, struct region r, const char *path, struct err *err)
{
	char none[] = "";
	char *copy = mem_strdup(path);
	r.path = copy;
	r.build_id = none;
	int rc = trace_writer_region(m->writer, &r, err);
	mem_free(copy);
	return rc;
}

static int find_object(struct import *m, struct name_table *n, struct word text, char letter,
		       uint64_t base, struct named **name, struct err *err)
{
	bool is_new;
	*name = name_table_find(n, text, &is_new);
	if (!is_new)
		return 0;
	uint64_t number = number_after(text, letter, STD_NUMBERS);
	(*name)->is = number < STD_NUMBERS ? base + 8 * number : STD_NAMED + 8 * m->named++;
	if (number < STD_NUMBERS)
		return 0;
	struct region r = {
		.kind = REGION_MODULE, .start = (*name)->is, .size = 8, .thread = THR_NONE
	};
	return define_region(m, r, (*name)->text, err);
}

static int find_thread(struct import *m, struct word text, struct named **name, struct err *err)
{
	bool is_new;
	*name = name_table_find(&m->threads, text, &is_new);
	if (!is_new)
		return 0;
	uint64_t number = number_after(text, 'T', STD_NAMED_THREADS);
	(*name)->is = number;
	if (number < STD_NAMED_THREADS)
		return 0;
	(*name)->is = STD_NAMED_THREADS + m->named_threads++;
	if ((*name)->is >= TRACE_THREADS_MAX)
		return err_set(err, ERR_SUPPORT, "%s, line %llu: there are too many threads",
			       m->in.path, (unsigned long long)m->in.line);
	struct region r = { .kind = REGION_STACK, .thread = (thr_id)(*name)->is };
	return define_region(m, r, (*name)->text, err);
}

static int define_place(struct import *m, const char *text, uint64_t line, loc_id *loc,
			struct err *err)
{
	char none[] = "";
	char *copy = mem_strdup(text);
	struct location l = { .function = copy,
			      .file = none,
			      .line = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX };
	int rc = trace_writer_location(m->writer, &l, err);
	*loc = ++m->locations;
	mem_free(copy);
	return rc;
}

/*
 * The location of a line's place.  If the place is missing, or the same in all lines, each line
 * is its own place, and the location has the number of the line.
 */
static int find_place(struct import *m, struct word text, loc_id *loc, struct err *err)
{
	if (!text.len)
		return define_place(m, "", m->in.line, loc, err);
	bool is_new;
	struct named *name = name_table_find(&m->places, text, &is_new);
	if (m->places_are_lines)
		return define_place(m, name->text, m->in.line, loc, err);
	int rc = 0;
	if (is_new) {
		rc = define_place(m, name->text, 0, loc, err);
		name->is = *loc;
	}
	*loc = (loc_id)name->is;
	return rc;
}

static int reject(struct import *m, const char *line, const char *why, struct err *err)
{
	return err_set(err, ERR_FORMAT, "%s, line %llu: '%.100s' %s", m->in.path,
		       (unsigned long long)m->in.line, line, why);
}

/* ---- events ---- */

/*
 * Copy the text of a flaw, with thread numbers from STD_NAMED_THREADS on replaced by the names in
 * the file.
 */
static void name_threads(const struct import *m, const char *text, struct buf *out)
{
	while (*text) {
		char *end;
		uint64_t number = text[0] == 'T' && text[1] >= '0' && text[1] <= '9'
					  ? strtoull(text + 1, &end, 10)
					  : 0;
		const char *name = NULL;
		for (size_t i = 0; number >= STD_NAMED_THREADS && i < m->threads.list.len && !name;
		     i++)
			if (m->threads.list.at[i].is == number)
				name = m->threads.list.at[i].text;
		if (name)
			buf_str(out, name);
		else
			buf_char(out, *text);
		text = name ? end : text + 1;
	}
}

static int give(struct import *m, const char *line, const struct event *e, struct err *err)
{
	const char *wrong = consistency_event(m->consistency, e);
	if (wrong) {
		struct buf why = { 0 };
		buf_str(&why, "is inconsistent: ");
		name_threads(m, wrong, &why);
		int rc = reject(m, line, why.at, err);
		buf_release(&why);
		return rc;
	}
	m->events++;
	return trace_writer_event(m->writer, e, err);
}

static int access_event(struct import *m, struct word target, unsigned kind, struct event *e,
			struct err *err)
{
	struct named *v;
	int rc = find_object(m, &m->variables, target, 'V', STD_VARIABLES, &v, err);
	if (kind == EV_WRITE)
		v->value = m->in.line;
	e->kind = (uint8_t)kind;
	e->obj = v->is;
	e->size = 8;
	e->a = v->value;
	return rc;
}

static int lock_event(struct import *m, struct word target, unsigned kind, struct event *e,
		      struct err *err)
{
	struct named *l;
	int rc = find_object(m, &m->locks, target, 'L', STD_LOCKS, &l, err);
	if (kind == EV_ACQUIRE)
		l->value++;
	else if (kind == EV_RELEASE)
		l->value -= l->value > 0;
	e->kind = (uint8_t)kind;
	e->mode = SYNC_MUTEX;
	e->obj = l->is;
	e->a = kind == EV_REQUEST ? 0 : l->value;
	return rc;
}

static int thread_event(struct import *m, struct word target, unsigned kind, struct event *e,
			struct err *err)
{
	struct named *other;
	int rc = find_thread(m, target, &other, err);
	e->kind = (uint8_t)kind;
	e->a = other->is;
	if (kind == EV_FORK)
		other->value = (uint64_t)e->thread + 1;
	return rc;
}

/* begin and end of the thread, or of an atomic block, which is represented as a method without an
 * object. */
static void delimiter_event(struct import *m, bool is_begin, const struct named *self,
			    struct event *e)
{
	if (m->what == STD_BEGIN_BLOCKS) {
		e->kind = is_begin ? EV_METHOD_BEGIN : EV_METHOD_END;
		return;
	}
	e->kind = is_begin ? EV_BEGIN : EV_END;
	if (is_begin)
		e->a = self->value ? self->value - 1 : THR_NONE;
}

static const struct std_operation {
	const char *word;
	uint8_t kind;
	int (*make)(struct import *m, struct word target, unsigned kind, struct event *e,
		    struct err *err);
} operations[] = {
	{ "r", EV_READ, access_event },	   { "w", EV_WRITE, access_event },
	{ "acq", EV_ACQUIRE, lock_event }, { "rel", EV_RELEASE, lock_event },
	{ "req", EV_REQUEST, lock_event }, { "fork", EV_FORK, thread_event },
	{ "join", EV_JOIN, thread_event }, { NULL, 0, NULL },
};

/* Split "op(target)"; an operation without a target has target.at NULL. */
static bool split_operation(struct word text, struct word *op, struct word *target)
{
	const char *open = memchr(text.at, '(', text.len);
	*op = text;
	*target = (struct word){ 0 };
	if (!open)
		return true;
	op->len = (size_t)(open - text.at);
	*target = (struct word){ open + 1, text.len - op->len - 1 };
	if (!target->len || target->at[target->len - 1] != ')')
		return false;
	target->len--;
	return true;
}

static int make_event(struct import *m, const char *line, struct word operation,
		      const struct named *self, struct event *e, struct err *err)
{
	struct word op, target;
	if (!split_operation(operation, &op, &target))
		return reject(m, line, "has an operation without a closing parenthesis", err);
	bool is_begin = word_is(op, "begin");
	if (!target.len) {
		if (is_begin || word_is(op, "end"))
			delimiter_event(m, is_begin, self, e);
		else if (word_is(op, "br"))
			e->kind = EV_BRANCH;
		else
			return reject(m, line,
				      "is none of r, w, acq, rel, fork, join and req with a name, "
				      "begin, end, br",
				      err);
		return 0;
	}
	for (const struct std_operation *o = operations; o->word; o++)
		if (word_is(op, o->word))
			return o->make(m, target, o->kind, e, err);
	return reject(m, line, "has an unknown operation", err);
}

/* Split "thread|operation|place"; the place may be empty, or missing with its bar. */
static bool split_line(const char *line, size_t len, struct word *thread, struct word *operation,
		       struct word *place)
{
	const char *end = line + len, *first = memchr(line, '|', len);
	const char *second = first ? memchr(first + 1, '|', (size_t)(end - first - 1)) : NULL;
	if (!first || first == line)
		return false;
	const char *stop = second ? second : end;
	*thread = (struct word){ line, (size_t)(first - line) };
	*operation = (struct word){ first + 1, (size_t)(stop - first - 1) };
	*place = second ? (struct word){ second + 1, (size_t)(end - second - 1) }
			: (struct word){ end, 0 };
	return operation->len;
}

/* Insert the switch to a thread, and the begin of a created thread whose lines have none. */
static int prepare(struct import *m, const char *line, const struct named *self, bool is_first,
		   const struct event *e, struct err *err)
{
	struct event begin = { .kind = EV_BEGIN, .thread = e->thread, .a = self->value - 1 };
	int rc = 0;
	if (m->running != e->thread && m->running != THR_NONE)
		rc = give(m, line,
			  &(struct event){ .kind = EV_SWITCH,
					   .thread = e->thread,
					   .a = m->events,
					   .b = m->running },
			  err);
	m->running = e->thread;
	if (!rc && is_first && self->value && e->kind != EV_BEGIN)
		rc = give(m, line, &begin, err);
	return rc;
}

static int import_line(struct import *m, const char *line, size_t len, struct err *err)
{
	struct word thread, operation, place;
	if (!split_line(line, len, &thread, &operation, &place))
		return reject(m, line, "is not thread|operation|place", err);
	struct named *self;
	struct event e = { 0 };
	int rc = find_thread(m, thread, &self, err);
	if (!rc)
		rc = find_place(m, place, &e.loc, err);
	if (rc)
		return rc;
	e.thread = (thr_id)self->is;
	struct named copy = *self; /* names move when another one is added */
	self->has_begun = true;
	rc = make_event(m, line, operation, &copy, &e, err);
	if (!rc)
		rc = prepare(m, line, &copy, !copy.has_begun, &e, err);
	return rc ? rc : give(m, line, &e, err);
}

/* The next line without blanks at its end; 0 if it is the last one. */
static int take_line(struct input *in, char **line, size_t *len, struct err *err)
{
	int rc = input_line(in, STD_LINE_MAX, line, len, err);
	if (rc < 0)
		return rc;
	in->line += !rc && *len; /* the last line may have no newline */
	while (*len && strchr("\r \t", (*line)[*len - 1]) && (*line)[*len - 1])
		(*line)[--*len] = 0;
	return rc;
}

static int import_all(struct import *m, struct err *err)
{
	uint32_t rounds = 0;
	for (;;) {
		char *line;
		size_t len;
		int rc = take_line(&m->in, &line, &len, err);
		if (rc < 0)
			return rc;
		bool is_last = !rc;
		if (stop_is_requested_sampled(&rounds))
			return err_set(err, ERR_STOPPED, "stopped while the trace was read");
		if (len && strlen(line) != len)
			return reject(m, line, "has a zero byte after that", err);
		rc = len ? import_line(m, line, len, err) : 0;
		if (rc || is_last)
			return rc;
	}
}

/* Whether several lines have a place and all places are equal.  Reads up to the first different
 * one. */
static int survey_places(const char *path, bool *are_lines, struct err *err)
{
	struct input in;
	struct buf first = { 0 };
	bool are_equal = true;
	uint64_t placed = 0;
	int rc = input_open(&in, path, err);
	if (rc)
		return rc;
	for (rc = 1; rc > 0 && are_equal;) {
		char *line;
		size_t len;
		struct word thread, operation, place;
		rc = take_line(&in, &line, &len, err);
		if (rc < 0 || !split_line(line, len, &thread, &operation, &place) || !place.len)
			continue;
		if (!placed++)
			buf_add(&first, place.at, place.len);
		are_equal = word_is(place, first.at);
	}
	*are_lines = are_equal && placed > 1;
	buf_release(&first);
	input_close(&in);
	return rc < 0 ? rc : 0;
}

/* name: the name of the file in messages */
static int import_file(const char *path, const char *name, enum std_begin what,
		       bool places_are_lines, struct trace_writer *w, struct err *err)
{
	struct import m = {
		.what = what, .places_are_lines = places_are_lines, .running = THR_NONE, .writer = w
	};
	struct region variables = { .kind = REGION_MODULE,
				    .start = STD_VARIABLES,
				    .size = 8 * STD_NUMBERS,
				    .thread = THR_NONE };
	struct region locks = variables;
	locks.start = STD_LOCKS;
	int rc = input_open(&m.in, path, err);
	if (rc) {
		trace_writer_abandon(w);
		return rc;
	}
	mem_free(m.in.path);
	m.in.path = mem_strdup(name);
	m.consistency = consistency_new();
	consistency_allow_missing_ends(m.consistency);
	trace_writer_fact(w, STD_FACT, STD_FACT_VALUE);
	rc = define_region(&m, variables, "V", err);
	if (!rc)
		rc = define_region(&m, locks, "L", err);
	if (!rc)
		rc = import_all(&m, err);
	name_table_release(&m.variables);
	name_table_release(&m.locks);
	name_table_release(&m.threads);
	name_table_release(&m.places);
	consistency_free(m.consistency);
	input_close(&m.in);
	if (!rc)
		return trace_writer_close(w, err);
	trace_writer_abandon(w);
	return rc;
}

/* The file is read twice, standard input through a copy. */
int std_import(const char *path, enum std_begin what, struct trace_writer *w, struct err *err)
{
	struct buf copy = { 0 };
	const char *from = path;
	bool are_lines = false;
	int rc = 0;
	if (!strcmp(path, "-")) {
		rc = file_temporary(&copy, err);
		from = copy.at;
		if (!rc)
			rc = file_copy(path, from, err);
	}
	if (!rc)
		rc = survey_places(from, &are_lines, err);
	if (rc)
		trace_writer_abandon(w);
	else
		rc = import_file(from, copy.len ? "standard input" : path, what, are_lines, w, err);
	if (copy.len)
		unlink(copy.at);
	buf_release(&copy);
	return rc;
}

int std_detect(const char *path, bool *is_std, struct err *err)
{
	struct input in;
	const char *bytes;
	size_t got = 0;
	int rc = input_open(&in, path, err);
	*is_std = false;
	if (rc)
		return rc;
	rc = input_peek(&in, 64, &bytes, &got, err);
	if (!rc && got) {
		/* A binary trace begins with a byte that is no letter, a text trace with a word
		 * and a blank. */
		size_t word = 0;
		while (word < got && bytes[word] > ' ' && bytes[word] < 0x7f && bytes[word] != '|')
			word++;
		*is_std = word && word < got && bytes[word] == '|';
	}
	input_close(&in);
	return rc;
}
