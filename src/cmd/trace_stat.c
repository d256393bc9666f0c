/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle trace stat: what is in a trace, counted in one pass.  Memory grows with the number of threads, locks
 * and locations, not with the number of events.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "cmd/trace_cmd.h"

#define HOTTEST 10

struct thread_count {
	uint64_t events;
	char *name;		/* NULL: none given */
};

struct lock_count {
	uint64_t object;
	unsigned mode;
	uint64_t acquired, contended;
	thr_id owner;		/* THR_NONE: nobody has it exclusively */
	uint64_t readers;
};

struct stat_state {
	uint64_t events;
	uint64_t by_kind[EV_LIMIT];
	VEC(struct thread_count) threads;
	VEC(struct lock_count) locks;
	struct map lock_ids;		/* object to index in locks */
	VEC(uint64_t) by_location;
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

static void count_lock(struct stat_state *s, const struct event *e)
{
	struct lock_count *l;
	switch (e->kind) {
	case EV_REQUEST:
	case EV_TRY_FAIL:
		l = lock_of(s, e->obj);
		l->contended += is_in_the_way(l, e);
		break;
	case EV_ACQUIRE:
		l = lock_of(s, e->obj);
		l->acquired++;
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

static void count(struct stat_state *s, const struct event *e)
{
	s->events++;
	s->by_kind[e->kind]++;
	while (s->threads.len <= e->thread)
		vec_add(&s->threads);
	s->threads.at[e->thread].events++;
	if (e->kind == EV_THREAD_NAME) {
		mem_free(s->threads.at[e->thread].name);
		s->threads.at[e->thread].name = mem_strndup((const char *)e->data, e->data_len);
	}
	while (s->by_location.len <= e->loc)
		vec_push(&s->by_location, 0);
	s->by_location.at[e->loc]++;
	count_lock(s, e);
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
			buf_printf(&s->out.text, "%12llu  %s\n", (unsigned long long)s->by_kind[kind],
				event_kind_name(kind));
}

static void print_threads(struct stat_state *s)
{
	struct buf *out = &s->out.text;
	buf_str(out, "\nevents by thread\n");
	for (size_t i = 0; i < s->threads.len; i++) {
		const struct thread_count *t = &s->threads.at[i];
		if (!t->events)
			continue;
		buf_printf(out, "%12llu  T%zu", (unsigned long long)t->events, i);
		if (t->name) {
			buf_char(out, ' ');
			trace_cmd_text(t->name, strlen(t->name), out);
		}
		buf_char(out, '\n');
	}
}

static int by_acquisitions(const void *x, const void *y)
{
	const struct lock_count *a = x, *b = y;
	if (a->acquired != b->acquired)
		return a->acquired < b->acquired ? 1 : -1;
	return a->object < b->object ? -1 : a->object > b->object;
}

static void print_locks(struct stat_state *s, const struct trace_tables *t)
{
	struct buf *out = &s->out.text;
	if (!s->locks.len)
		return;
	qsort(s->locks.at, s->locks.len, sizeof(*s->locks.at), by_acquisitions);
	buf_str(out, "\nlocks\n    acquired   contended\n");
	for (size_t i = 0; i < s->locks.len; i++) {
		const struct lock_count *l = &s->locks.at[i];
		const char *kind = l->mode == SYNC_RDLOCK || l->mode == SYNC_WRLOCK ? "rwlock" :
				   l->mode ? event_mode_name(EV_ACQUIRE, l->mode) : NULL;
		buf_printf(out, "%12llu%12llu  %s ", (unsigned long long)l->acquired,
			(unsigned long long)l->contended, kind ? kind : "lock");
		trace_text_address(t, l->object, out);
		buf_char(out, '\n');
	}
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
	VEC(struct hot) hot = {0};
	struct map ids = {0};
	for (size_t i = 1; i < s->by_location.len; i++) {
		struct buf text = {0};
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
		if (i < HOTTEST)
			buf_printf(out, "%12llu  %s\n", (unsigned long long)hot.at[i].events, hot.at[i].text);
		mem_free(hot.at[i].text);
	}
	vec_release(&hot);
	map_release(&ids);
}

static void print_size(struct stat_state *s, const struct trace_reader *r)
{
	uint64_t bytes = trace_reader_bytes(r);
	buf_printf(&s->out.text, "\nread          %llu events, %llu bytes", (unsigned long long)s->events,
		(unsigned long long)bytes);
	if (s->events)
		buf_printf(&s->out.text, ", %.2f bytes for each event", (double)bytes / (double)s->events);
	buf_printf(&s->out.text, "\ncomplete      %s\n", trace_reader_is_complete(r) ? "yes" : "no");
}

static void release(struct stat_state *s)
{
	for (size_t i = 0; i < s->threads.len; i++)
		mem_free(s->threads.at[i].name);
	vec_release(&s->threads);
	vec_release(&s->locks);
	map_release(&s->lock_ids);
	vec_release(&s->by_location);
	buf_release(&s->out.text);
}

int cmd_trace_stat(int argc, char **argv)
{
	const struct opt table[] = { { 0 } };
	const struct opt_spec spec = {
		.command = "trace stat",
		.operands = "TRACE",
		.summary = "Counts what is in a trace.",
		.table = table,
		.details = "TRACE is a trace in binary or text form, or - for standard input. Prints the facts about "
			   "the run, the events by kind and by thread, how often each lock was acquired and how "
			   "often it was held by another thread when it was asked for, the locations with most "
			   "events, the size of the trace, and whether it is complete.",
	};
	struct stat_state s = {0};
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
	print_locations(&s, t);
	print_size(&s, r);
	trace_cmd_write(&s.out);
	status = trace_cmd_finish(r, &s.out, rc, &err);
	trace_reader_close(r);
	release(&s);
	return status;
}
