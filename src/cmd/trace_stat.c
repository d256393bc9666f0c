/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle trace stat: what is in a trace, counted in one pass.  Memory grows with the number of
 * threads, locks, places and touched bytes, not with the number of events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "cmd/trace_cmd.h"
#include "cmd/trace_names.h"

#define CELL 8u		   /* bytes that are counted together */
#define SEVERAL UINT32_MAX /* in place of a thread */

struct thread_count {
	thr_id thread;
	uint64_t events, accesses, acquired, waits;
	char *name;	    /* NULL: none given */
	uint64_t waits_for; /* index of a lock plus one; 0: none */
};

/* A piece of memory of CELL bytes. */
struct cell_count {
	uint64_t number; /* address / CELL */
	uint64_t reads, writes;
	thr_id thread; /* that touches it, or SEVERAL */
};

struct lock_count {
	uint64_t object;
	unsigned mode;
	uint64_t acquired, contended;
	thr_id owner; /* THR_NONE: no thread has it exclusively */
	uint64_t readers;
	uint64_t waiting, longest; /* threads that wait now, and at most */
};

struct stat_state {
	uint64_t events;
	uint64_t by_kind[EV_LIMIT];
	VEC(struct thread_count) threads;
	VEC(struct lock_count) locks;
	struct map lock_ids; /* object to index in locks */
	VEC(uint64_t) by_location;
	VEC(struct cell_count) cells;
	struct map cell_ids; /* address / CELL to index in cells */
	struct trace_names names;
	uint64_t top; /* lines of a table; 0: all */
	struct trace_output out;
};

static struct lock_count *lock_of(struct stat_state *s, uint64_t object)
{
	bool is_new;
	uint64_t *id = map_put(&s->lock_ids, object, &is_new);
	if (is_new) {
		*id = s->locks.len;
		vec_push(&s->locks, ((struct lock_count){ .object = object, .owner = THR_NONE }));
	}
	return &s->locks.at[*id];
}

/* A request, or a failed try, is contended if the lock is held in a way that stands against it. */
static bool is_in_the_way(const struct lock_count *l, const struct event *e)
{
	if (l->owner != THR_NONE)
		return l->owner != e->thread;
	return l->readers && e->mode != SYNC_RDLOCK;
}

static void give_up(struct lock_count *l, thr_id thread)
{
	if (l->owner == thread)
		l->owner = THR_NONE;
	else if (l->readers)
		l->readers--;
}

/* The thread does not wait any more. */
static void end_wait(struct stat_state *s, struct thread_count *t)
{
	if (t->waits_for)
		s->locks.at[t->waits_for - 1].waiting--;
	t->waits_for = 0;
}

static void begin_wait(struct stat_state *s, struct lock_count *l, struct thread_count *t)
{
	t->waits++;
	t->waits_for = (uint64_t)(l - s->locks.at) + 1;
	l->waiting++;
	l->longest = l->waiting > l->longest ? l->waiting : l->longest;
}

static void count_lock(struct stat_state *s, const struct event *e)
{
	struct thread_count *t = &s->threads.at[e->thread];
	struct lock_count *l;
	switch (e->kind) {
	case EV_REQUEST:
	case EV_TRY_FAIL:
		end_wait(s, t);
		l = lock_of(s, e->obj);
		if (!is_in_the_way(l, e))
			break;
		l->contended++;
		if (e->kind == EV_REQUEST)
			begin_wait(s, l, t);
		break;
	case EV_TIMEOUT:
		end_wait(s, t);
		break;
	case EV_ACQUIRE:
		end_wait(s, t);
		l = lock_of(s, e->obj);
		l->acquired++;
		t->acquired++;
		l->mode = e->mode;
		if (e->mode == SYNC_RDLOCK)
			l->readers++;
		else
			l->owner = e->thread;
		break;
	case EV_RELEASE:
		if (!e->a)
			give_up(lock_of(s, e->obj), e->thread);
		break;
	case EV_ORPHAN:
		give_up(lock_of(s, e->obj), e->thread);
		break;
	}
}

static void count_access(struct stat_state *s, const struct event *e)
{
	bool is_new;
	uint64_t number = e->obj / CELL;
	if (e->kind != EV_READ && e->kind != EV_WRITE && e->kind != EV_RMW)
		return;
	uint64_t *id = map_put(&s->cell_ids, number, &is_new);
	if (is_new) {
		*id = s->cells.len;
		vec_push(&s->cells, ((struct cell_count){ .number = number, .thread = e->thread }));
	}
	struct cell_count *c = &s->cells.at[*id];
	c->reads += e->kind != EV_WRITE;
	c->writes += e->kind == EV_WRITE || (e->kind == EV_RMW && !(e->flags & EVF_FAILED));
	if (c->thread != e->thread)
		c->thread = SEVERAL;
	s->threads.at[e->thread].accesses++;
}

static void count(struct stat_state *s, const struct event *e)
{
	s->events++;
	s->by_kind[e->kind]++;
	while (s->threads.len <= e->thread) {
		vec_add(&s->threads);
		vec_last(&s->threads).thread = (thr_id)(s->threads.len - 1);
	}
	s->threads.at[e->thread].events++;
	if (e->kind == EV_THREAD_NAME) {
		mem_free(s->threads.at[e->thread].name);
		s->threads.at[e->thread].name = mem_strndup((const char *)e->data, e->data_len);
	}
	while (s->by_location.len <= e->loc)
		vec_push(&s->by_location, 0);
	s->by_location.at[e->loc]++;
	count_lock(s, e);
	count_access(s, e);
}

/* ---- printing ---- */

static void print_facts(struct stat_state *s, const struct trace_tables *t)
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

static void print_kinds(struct stat_state *s)
{
	buf_str(&s->out.text, "\nevents by kind\n");
	for (unsigned kind = 1; kind < EV_LIMIT; kind++)
		if (s->by_kind[kind])
			buf_printf(&s->out.text, "%12llu  %s\n",
				   (unsigned long long)s->by_kind[kind], event_kind_name(kind));
}

/* How many lines of a table of that length are printed. */
static size_t lines_of(const struct stat_state *s, size_t len)
{
	return s->top && s->top < len ? s->top : len;
}

static void print_rest(struct stat_state *s, size_t len, const char *what)
{
	if (lines_of(s, len) < len)
		buf_printf(&s->out.text, "         ...  and %zu more %s\n", len - lines_of(s, len),
			   what);
}

static int by_own_events(const void *x, const void *y)
{
	const struct thread_count *a = x, *b = y;
	if (a->events != b->events)
		return a->events < b->events ? 1 : -1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static void print_threads(struct stat_state *s)
{
	struct buf *out = &s->out.text;
	size_t used = 0;
	if (!s->threads.len)
		return;
	qsort(s->threads.at, s->threads.len, sizeof(*s->threads.at), by_own_events);
	while (used < s->threads.len && s->threads.at[used].events)
		used++;
	buf_str(out, "\nthreads\n      events    accesses    acquired       waits\n");
	for (size_t i = 0; i < lines_of(s, used); i++) {
		const struct thread_count *t = &s->threads.at[i];
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

static int by_contention(const void *x, const void *y)
{
	const struct lock_count *a = x, *b = y;
	if (a->contended != b->contended)
		return a->contended < b->contended ? 1 : -1;
	if (a->acquired != b->acquired)
		return a->acquired < b->acquired ? 1 : -1;
	return a->object < b->object ? -1 : a->object > b->object;
}

static void print_locks(struct stat_state *s, const struct trace_tables *t)
{
	struct buf *out = &s->out.text;
	if (!s->locks.len)
		return;
	qsort(s->locks.at, s->locks.len, sizeof(*s->locks.at), by_contention);
	buf_str(out, "\nlocks\n    acquired   contended     longest\n");
	for (size_t i = 0; i < lines_of(s, s->locks.len); i++) {
		const struct lock_count *l = &s->locks.at[i];
		const char *kind = l->mode == SYNC_RDLOCK || l->mode == SYNC_WRLOCK ? "rwlock"
				   : l->mode ? event_mode_name(EV_ACQUIRE, l->mode)
					     : NULL;
		buf_printf(out, "%12llu%12llu%12llu  %s ", (unsigned long long)l->acquired,
			   (unsigned long long)l->contended, (unsigned long long)l->longest,
			   kind ? kind : "lock");
		buf_str(out, trace_names_object(&s->names, t, l->object));
		buf_char(out, '\n');
	}
	print_rest(s, s->locks.len, "locks");
}

static int by_accesses(const void *x, const void *y)
{
	const struct cell_count *a = x, *b = y;
	if (a->reads + a->writes != b->reads + b->writes)
		return a->reads + a->writes < b->reads + b->writes ? 1 : -1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void print_cells(struct stat_state *s, const struct trace_tables *t)
{
	struct buf *out = &s->out.text;
	if (!s->cells.len)
		return;
	qsort(s->cells.at, s->cells.len, sizeof(*s->cells.at), by_accesses);
	buf_str(out, "\nmemory, in pieces of 8 bytes\n       reads      writes  threads\n");
	for (size_t i = 0; i < lines_of(s, s->cells.len); i++) {
		const struct cell_count *c = &s->cells.at[i];
		char one[16];
		snprintf(one, sizeof(one), "T%u", c->thread);
		buf_printf(out, "%12llu%12llu  %-8s ", (unsigned long long)c->reads,
			   (unsigned long long)c->writes, c->thread == SEVERAL ? "several" : one);
		buf_str(out, trace_names_object(&s->names, t, c->number * CELL));
		buf_char(out, '\n');
	}
	print_rest(s, s->cells.len, "pieces");
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

static void print_locations(struct stat_state *s, const struct trace_tables *t)
{
	struct buf *out = &s->out.text;
	VEC(struct hot) hot = { 0 };
	struct map ids = { 0 };
	for (size_t i = 1; i < s->by_location.len; i++) {
		struct buf text = { 0 };
		bool is_new;
		if (!s->by_location.at[i])
			continue;
		trace_cmd_location(t, (loc_id)i, &text);
		uint64_t *id = map_put(&ids, hash_bytes(0, text.at, text.len), &is_new);
		if (is_new) {
			*id = hot.len;
			vec_push(&hot, ((struct hot){ .text = buf_take(&text) }));
		}
		hot.at[*id].events += s->by_location.at[i];
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

static void print_size(struct stat_state *s, const struct trace_reader *r)
{
	uint64_t bytes = trace_reader_bytes(r);
	buf_printf(&s->out.text, "\nread          %llu events, %llu bytes",
		   (unsigned long long)s->events, (unsigned long long)bytes);
	if (s->events)
		buf_printf(&s->out.text, ", %.2f bytes for each event",
			   (double)bytes / (double)s->events);
	buf_printf(&s->out.text, "\ncomplete      %s\n",
		   trace_reader_is_complete(r) ? "yes" : "no");
}

static void release(struct stat_state *s)
{
	for (size_t i = 0; i < s->threads.len; i++)
		mem_free(s->threads.at[i].name);
	vec_release(&s->threads);
	vec_release(&s->locks);
	map_release(&s->lock_ids);
	vec_release(&s->by_location);
	vec_release(&s->cells);
	map_release(&s->cell_ids);
	trace_names_release(&s->names);
	buf_release(&s->out.text);
}

int cmd_trace_stat(int argc, char **argv)
{
	struct stat_state s = { .top = 10 };
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
		count(&s, &e);
	const struct trace_tables *t = trace_reader_tables(r);
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
