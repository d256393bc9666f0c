/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a part of a trace; see slice.h.  Why the result is consistent:
 *   threads   All events of creation, begin, end and join are kept.
 *   locks     Of a thread's events on a lock either all are selected, or those selected are
 *             preceded by the acquires that are added.  So owners and depths stay correct.
 *   memory    Reads are checked against the content that follows from the slice itself.
 */
#include "trace/slice.h"

#include "base/buf.h"
#include "base/settings.h"
#include "trace/known.h"

struct slicer {
	const struct slice_rules *rules;
	const struct trace_tables *tables;
	struct trace_copied copied;
	struct trace_writer *writer;
	struct known known;
	/* before the range: events of thread lifetimes, and acquires not yet released */
	VEC(struct event) early;
	VEC(unsigned char *) early_data; /* their data, to be freed */
	bool is_inside;			 /* the range has begun */
	struct event last_switch;	 /* kind 0: none yet */
	thr_id running;
};

/* Write an event, with a switch before it if the thread changes. */
static int emit(struct slicer *s, const struct event *e, struct err *err)
{
	int rc = 0;
	if (s->running != e->thread && s->running != THR_NONE && s->last_switch.kind) {
		struct event turn = { .kind = EV_SWITCH,
				      .thread = e->thread,
				      .a = s->last_switch.a,
				      .b = s->running };
		if (s->last_switch.thread == e->thread)
			turn.mode = s->last_switch.mode;
		rc = trace_writer_event(s->writer, &turn, err);
	}
	s->running = e->thread;
	return rc ? rc : trace_writer_event(s->writer, e, err);
}

/* The same, with an outside-write before a read whose source is not in the slice. */
static int emit_with_memory(struct slicer *s, const struct event *e, struct err *err)
{
	struct event outside;
	int rc = known_follow(&s->known, e, &outside) ? emit(s, &outside, err) : 0;
	return rc ? rc : emit(s, e, err);
}

static bool is_of_thread_lifetime(const struct event *e)
{
	return e->kind == EV_FORK || e->kind == EV_BEGIN || e->kind == EV_END ||
	       e->kind == EV_JOIN || e->kind == EV_THREAD_NAME;
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
	memmove(&s->early.at[i], &s->early.at[i + 1],
		(s->early.len - i - 1) * sizeof(*s->early.at));
	memmove(&s->early_data.at[i], &s->early_data.at[i + 1],
		(s->early.len - i - 1) * sizeof(*s->early_data.at));
	s->early.len--;
	s->early_data.len--;
}

/* A lock was released before the range: drop its last acquire.  After an init, drop all of them. */
static void drop_acquires(struct slicer *s, const struct event *e)
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
			rc = emit(s, &s->early.at[i], err);
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
		if (is_of_thread_lifetime(e) || (is_wanted && e->kind == EV_ACQUIRE))
			keep_early(s, e);
		else if (e->kind == EV_RELEASE || e->kind == EV_ORPHAN || e->kind == EV_SYNC_INIT)
			drop_acquires(s, e);
		return 0;
	}
	int rc = s->is_inside ? 0 : begin_range(s, err);
	if (rc || !(is_wanted || is_of_thread_lifetime(e) || e->kind == EV_FAILURE))
		return rc;
	return emit_with_memory(s, e, err);
}

/* Copy the header facts and add the fact `slice`.  A slice of a slice names both. */
static int begin_copy(struct slicer *s, struct err *err)
{
	const char *before = trace_fact(s->tables, SLICE_FACT);
	struct buf what = { 0 };
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
	struct event e = { 0 };
	const char *model = trace_fact(s.tables, "memory-model");
	int rc = begin_copy(&s, err);
	if (!rc && model && strcmp(model, memory_names[MEMORY_SC]))
		rc = err_set(
			err, ERR_SUPPORT,
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
	known_release(&s.known);
	if (!rc && is_whole)
		return trace_writer_close(w, err);
	trace_writer_abandon(w);
	return rc;
}
