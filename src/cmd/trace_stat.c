/* SPDX-License-Identifier: Apache-2.0 */
/* heddle trace stat: prints what is in a trace, as trace/counts.h counts it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "cmd/trace_cmd.h"
#include "cmd/trace_names.h"
#include "trace/counts.h"

struct stat_print {
	struct trace_counts counts;
	struct trace_names names;
	uint64_t top; /* lines of a table; 0: all */
	struct trace_output out;
};

static void print_facts(struct stat_print *s, const struct trace_tables *t)
{
	struct buf *out = &s->out.text;
	for (size_t i = 1; i < t->facts.len; i++) {
		const struct trace_fact *f = &t->facts.at[i];
		size_t start = out->len;
		trace_cmd_text(f->name, strlen(f->name), out);
		size_t width = out->len - start;
		buf_fill(out, ' ', width < 14 ? 14 - width : 1);
		trace_cmd_text(f->value, strlen(f->value), out);
		buf_char(out, '\n');
	}
}

static void print_kinds(struct stat_print *s)
{
	buf_str(&s->out.text, "\nevents by kind\n");
	for (unsigned kind = 1; kind < EV_LIMIT; kind++)
		if (s->counts.by_kind[kind])
			buf_printf(&s->out.text, "%12llu  %s\n",
				   (unsigned long long)s->counts.by_kind[kind],
				   event_kind_name(kind));
}

/* How many lines of a table of that length are printed. */
static size_t lines_of(const struct stat_print *s, size_t len)
{
	return s->top && s->top < len ? s->top : len;
}

static void print_rest(struct stat_print *s, size_t len, const char *what)
{
	if (lines_of(s, len) < len)
		buf_printf(&s->out.text, "         ...  and %zu more %s\n", len - lines_of(s, len),
			   what);
}

static void print_threads(struct stat_print *s)
{
	struct buf *out = &s->out.text;
	size_t used = 0;
	if (!s->counts.threads.len)
		return;
	while (used < s->counts.threads.len && s->counts.threads.at[used].events)
		used++;
	buf_str(out, "\nthreads\n      events    accesses    acquired       waits\n");
	for (size_t i = 0; i < lines_of(s, used); i++) {
		const struct thread_count *t = &s->counts.threads.at[i];
		buf_printf(out, "%12llu%12llu%12llu%12llu  T%u", (unsigned long long)t->events,
			   (unsigned long long)t->accesses, (unsigned long long)t->acquired,
			   (unsigned long long)t->waits, t->thread);
		if (t->name) {
			buf_char(out, ' ');
			trace_cmd_text(t->name, strlen(t->name), out);
		}
		buf_char(out, '\n');
	}
	print_rest(s, used, "threads");
}

static void print_locks(struct stat_print *s, const struct trace_tables *t)
{
	struct buf *out = &s->out.text;
	if (!s->counts.locks.len)
		return;
	buf_str(out, "\nlocks\n    acquired   contended     longest\n");
	for (size_t i = 0; i < lines_of(s, s->counts.locks.len); i++) {
		const struct lock_count *l = &s->counts.locks.at[i];
		const char *kind = l->mode == SYNC_RDLOCK || l->mode == SYNC_WRLOCK ? "rwlock"
				   : l->mode ? event_mode_name(EV_ACQUIRE, l->mode)
					     : NULL;
		buf_printf(out, "%12llu%12llu%12llu  %s ", (unsigned long long)l->acquired,
			   (unsigned long long)l->contended, (unsigned long long)l->longest,
			   kind ? kind : "lock");
		buf_str(out, trace_names_object(&s->names, t, l->object));
		buf_char(out, '\n');
	}
	print_rest(s, s->counts.locks.len, "locks");
}

static void print_cells(struct stat_print *s, const struct trace_tables *t)
{
	struct buf *out = &s->out.text;
	if (!s->counts.cells.len)
		return;
	buf_str(out, "\nmemory, in pieces of 8 bytes\n       reads      writes  threads\n");
	for (size_t i = 0; i < lines_of(s, s->counts.cells.len); i++) {
		const struct cell_count *c = &s->counts.cells.at[i];
		char one[16];
		snprintf(one, sizeof(one), "T%u", c->thread);
		buf_printf(out, "%12llu%12llu  %-8s ", (unsigned long long)c->reads,
			   (unsigned long long)c->writes,
			   c->thread == COUNTS_SEVERAL ? "several" : one);
		buf_str(out, trace_names_object(&s->names, t, c->number * COUNTS_CELL));
		buf_char(out, '\n');
	}
	print_rest(s, s->counts.cells.len, "pieces");
}

/* A line of the source: several locations look the same to a reader. */
struct hot {
	uint64_t events;
	char *text;
};

static int by_events(const void *x, const void *y)
{
	const struct hot *a = x, *b = y;
	if (a->events != b->events)
		return a->events < b->events ? 1 : -1;
	return strcmp(a->text, b->text);
}

static void print_locations(struct stat_print *s, const struct trace_tables *t)
{
	struct buf *out = &s->out.text;
	VEC(struct hot) hot = { 0 };
	struct map ids = { 0 };
	for (size_t i = 1; i < s->counts.by_location.len; i++) {
		struct buf text = { 0 };
		bool is_new;
		if (!s->counts.by_location.at[i])
			continue;
		trace_cmd_location(t, (loc_id)i, &text);
		uint64_t *id = map_put(&ids, hash_bytes(0, text.at, text.len), &is_new);
		if (is_new) {
			*id = hot.len;
			vec_push(&hot, ((struct hot){ .text = buf_take(&text) }));
		}
		hot.at[*id].events += s->counts.by_location.at[i];
		buf_release(&text);
	}
	if (hot.len) {
		qsort(hot.at, hot.len, sizeof(*hot.at), by_events);
		buf_str(out, "\nhottest locations\n");
	}
	for (size_t i = 0; i < hot.len; i++) {
		if (i < lines_of(s, hot.len))
			buf_printf(out, "%12llu  %s\n", (unsigned long long)hot.at[i].events,
				   hot.at[i].text);
		mem_free(hot.at[i].text);
	}
	print_rest(s, hot.len, "locations");
	vec_release(&hot);
	map_release(&ids);
}

static void print_size(struct stat_print *s, const struct trace_reader *r)
{
	uint64_t bytes = trace_reader_bytes(r);
	buf_printf(&s->out.text, "\nread          %llu events, %llu bytes",
		   (unsigned long long)s->counts.events, (unsigned long long)bytes);
	if (s->counts.events)
		buf_printf(&s->out.text, ", %.2f bytes for each event",
			   (double)bytes / (double)s->counts.events);
	buf_printf(&s->out.text, "\ncomplete      %s\n",
		   trace_reader_is_complete(r) ? "yes" : "no");
}

static void release(struct stat_print *s)
{
	trace_counts_release(&s->counts);
	trace_names_release(&s->names);
	buf_release(&s->out.text);
}

int cmd_trace_stat(int argc, char **argv)
{
	struct stat_print s = { .top = 10 };
	const struct opt table[] = {
		{ 0, "top", OPT_NUMBER, &s.top, "N",
		  "How many lines a table has at most, 0 for all (default 10).", 0, UINT64_MAX,
		  NULL },
		{ 0 },
	};
	const struct opt_spec spec = {
		.command = "trace stat",
		.operands = "TRACE",
		.summary = "Counts what is in a trace.",
		.table = table,
		.details = "TRACE is a trace in binary or text form, or - for standard input. "
			   "Prints the facts about the run, the events by kind and by thread; how "
			   "often each lock was acquired, how often it was held by another thread "
			   "when it was requested, and how many threads waited for it at most; the "
			   "memory with most accesses and the threads that touch it; the locations "
			   "with most events, the size of the trace, and whether it is complete. "
			   "Names of variables are known if the program's file is where it was.",
	};
	struct trace_reader *r;
	struct event e;
	struct err err;
	const char *path;
	int status = trace_cmd_options(&spec, argc, argv, &path);
	if (status >= 0)
		return status;
	int rc = trace_reader_open(&r, path, &err);
	if (rc)
		return cmd_fail(rc, &err);
	while ((rc = trace_reader_next(r, &e, &err)) == 1)
		trace_counts_add(&s.counts, &e);
	const struct trace_tables *t = trace_reader_tables(r);
	trace_counts_sort(&s.counts);
	print_facts(&s, t);
	print_kinds(&s);
	print_threads(&s);
	print_locks(&s, t);
	print_cells(&s, t);
	print_locations(&s, t);
	print_size(&s, r);
	trace_cmd_write(&s.out);
	status = trace_cmd_finish(r, &s.out, rc, &err);
	trace_reader_close(r);
	release(&s);
	return status;
}
