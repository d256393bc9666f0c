/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a part of a trace; see slice.h.  Why the result makes sense: threads keep all events that give them
 * a life.  Of a thread's events on one lock either all are wanted or the wanted ones begin with acquires that
 * are added, so owners and depths stay right.  Values are compared with what the slice itself has told.
 */
#include "trace/slice.h"

#include "base/buf.h"
#include "base/settings.h"
#include "trace/told.h"

struct slicer {
	const struct slice_rules *rules;
	const struct trace_tables *tables;
	struct trace_copied copied;
	struct trace_writer *writer;
	struct told told;
	/* before the range: lives of threads, and acquires not yet released */
	VEC(struct event) early;
	VEC(unsigned char *) early_data;	/* their data, to be freed */
	bool is_inside;			/* the range has begun */
	struct event last_switch;	/* kind 0: none yet */
	thr_id running;
};

static int give(struct slicer *s, const struct event *e, struct err *err)
{
	int rc = 0;
	if (s->running != e->thread && s->running != THR_NONE && s->last_switch.kind) {
		struct event turn = {
			.kind = EV_SWITCH, .thread = e->thread, .a = s->last_switch.a, .b = s->running
		};
		if (s->last_switch.thread == e->thread)
			turn.mode = s->last_switch.mode;
		rc = trace_writer_event(s->writer, &turn, err);
	}
	s->running = e->thread;
	return rc ? rc : trace_writer_event(s->writer, e, err);
}

static int give_with_memory(struct slicer *s, const struct event *e, struct err *err)
{
	struct event outside;
	int rc = told_follow(&s->told, e, &outside) ? give(s, &outside, err) : 0;
	return rc ? rc : give(s, e, err);
}

static bool gives_life(const struct event *e)
{
	return e->kind == EV_FORK || e->kind == EV_BEGIN || e->kind == EV_END || e->kind == EV_JOIN ||
	       e->kind == EV_THREAD_NAME;
}

static void keep_early(struct slicer *s, const struct event *e)
{
	struct event copy = *e;
	unsigned char *data = NULL;
	if (e->data_len) {
		data = mem_alloc(e->data_len);
		memcpy(data, e->data, e->data_len);
		copy.data = data;
	}
	vec_push(&s->early, copy);
	vec_push(&s->early_data, data);
}

static void drop_early(struct slicer *s, size_t i)
{
	mem_free(s->early_data.at[i]);
	memmove(&s->early.at[i], &s->early.at[i + 1], (s->early.len - i - 1) * sizeof(*s->early.at));
	memmove(&s->early_data.at[i], &s->early_data.at[i + 1],
		(s->early.len - i - 1) * sizeof(*s->early_data.at));
	s->early.len--;
	s->early_data.len--;
}

/* A lock was given back before the range: its last acquire is not needed.  init: none is. */
static void forget_acquires(struct slicer *s, const struct event *e)
{
	bool is_all = e->kind == EV_SYNC_INIT;
	thr_id only = THR_NONE;
	for (size_t i = s->early.len; i-- > 0;)
		if (s->early.at[i].kind == EV_ACQUIRE && s->early.at[i].obj == e->obj &&
		    s->early.at[i].thread == e->thread)
			only = e->thread;
	for (size_t i = s->early.len; i-- > 0;) {
		const struct event *had = &s->early.at[i];
		if (had->kind != EV_ACQUIRE || had->obj != e->obj ||
		    (only != THR_NONE && had->thread != only && !is_all))
			continue;
		drop_early(s, i);
		if (!is_all && e->kind != EV_ORPHAN)
			return;
	}
}

static int begin_range(struct slicer *s, struct err *err)
{
	int rc = 0;
	s->is_inside = true;
	for (size_t i = 0; i < s->early.len; i++) {
		if (!rc)
			rc = give(s, &s->early.at[i], err);
		mem_free(s->early_data.at[i]);
	}
	vec_release(&s->early);
	vec_release(&s->early_data);
	return rc;
}

static int take(struct slicer *s, const struct event *e, struct err *err)
{
	bool is_wanted = s->rules->is_wanted(s->rules->context, s->tables, e);
	if (e->kind == EV_SWITCH) {
		s->last_switch = *e;
		return 0;
	}
	if (e->index < s->rules->from) {
		if (gives_life(e) || (is_wanted && e->kind == EV_ACQUIRE))
			keep_early(s, e);
		else if (e->kind == EV_RELEASE || e->kind == EV_ORPHAN || e->kind == EV_SYNC_INIT)
			forget_acquires(s, e);
		return 0;
	}
	int rc = s->is_inside ? 0 : begin_range(s, err);
	if (rc || !(is_wanted || gives_life(e) || e->kind == EV_FAILURE))
		return rc;
	return give_with_memory(s, e, err);
}

/* The header facts, and that this is a slice; of a slice of a slice, both are told. */
static int begin_copy(struct slicer *s, struct err *err)
{
	const char *before = trace_fact(s->tables, SLICE_FACT);
	struct buf what = {0};
	int rc = trace_copy_tables(s->tables, &s->copied, s->writer, err);
	if (before)
		buf_printf(&what, "%s, then ", before);
	buf_str(&what, s->rules->what);
	trace_writer_fact(s->writer, SLICE_FACT, what.at);
	buf_release(&what);
	return rc;
}

int slice_copy(struct trace_reader *r, const struct slice_rules *rules, struct trace_writer *w,
	       struct err *err)
{
	struct slicer s = {
		.rules = rules, .tables = trace_reader_tables(r), .writer = w, .running = THR_NONE
	};
	struct event e = {0};
	const char *model = trace_fact(s.tables, "memory-model");
	int rc = begin_copy(&s, err);
	if (!rc && model && strcmp(model, memory_names[MEMORY_SC]))
		rc = err_set(err, ERR_SUPPORT,
			     "a trace under %s cannot be sliced: its stores and flushes belong together",
			     model);
	while (!rc && (rc = trace_reader_next(r, &e, err)) == 1) {
		if (e.index > rules->to)
			break;
		rc = trace_copy_tables(s.tables, &s.copied, w, err);
		if (!rc)
			rc = take(&s, &e, err);
	}
	bool is_whole = rc == 1 || (!rc && trace_reader_is_complete(r));
	rc = rc == 1 ? 0 : rc;
	if (!rc && !s.is_inside)
		rc = begin_range(&s, err);
	if (!rc)
		rc = trace_copy_tables(s.tables, &s.copied, w, err);
	for (size_t i = 0; i < s.early_data.len; i++)
		mem_free(s.early_data.at[i]);
	vec_release(&s.early);
	vec_release(&s.early_data);
	told_release(&s.told);
	if (!rc && is_whole)
		return trace_writer_close(w, err);
	trace_writer_abandon(w);
	return rc;
}
