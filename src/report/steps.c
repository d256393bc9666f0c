/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last steps of a run, one column for each thread, read from top to bottom in the order in
 * which they happened.
 *
 * Only steps that help are shown: those of synchronisation and of the life of threads, and
 * accesses to the objects that the finding is about (to everything shared if it names none).  A
 * request that is granted at once says nothing that its acquisition does not say.  Accesses of
 * one thread to one object in one source line that follow each other are shown once, by the last
 * one that changed it, with their number.
 */
#include <string.h>

#include "base/file.h"

#include "report/report.h"

#define MIN_COLUMN 22
#define NUMBER_WIDTH 10

struct step {
	const struct event *e; /* the one that is shown */
	uint64_t count;	       /* of those folded into it */
};
typedef VEC(struct step) step_list;

static bool touches(const struct event *e, const uint64_t *objects, size_t count)
{
	uint64_t size = e->size ? e->size : 1;
	for (size_t i = 0; i < count; i++)
		if (objects[i] - e->obj < size || e->obj == objects[i])
			return true;
	return false;
}

static bool is_shown(const struct event *e, const uint64_t *objects, size_t count)
{
	switch (e->kind) {
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
		return touches(e, objects, count);
	case EV_ALLOC:
	case EV_FREE:
	case EV_RESIZE:
	case EV_HIDDEN:
	case EV_INITIAL:
	case EV_OUTSIDE_WRITE:
	case EV_FLUSH:
		return count && touches(e, objects, count);
	case EV_ACQUIRE:
	case EV_RELEASE:
		/* Every function of a stream takes its lock. */
		return e->mode != SYNC_STREAM || touches(e, objects, count);
	case EV_BRANCH:
	case EV_SWITCH:
	case EV_FLUSH_TURN:
	case EV_FENCE:
	case EV_CLOCK:
	case EV_INPUT:
	case EV_INPUT_DATA:
	case EV_IO_TIME:
	case EV_THREAD_NAME:
	case EV_FAILURE:
	case EV_OPEN:
	case EV_USE:
	case EV_CLOSE:
	case EV_PROCESS_END:
		return false;
	default:
		return true;
	}
}

static bool is_access(const struct event *e)
{
	return e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW;
}

static bool can_fold(const struct names *n, const struct event *x, const struct event *y)
{
	const struct location *lx = names_location(n, names_own(n, x->loc, x->stack)),
			      *ly = names_location(n, names_own(n, y->loc, y->stack));
	return x->thread == y->thread && x->obj == y->obj && lx->line == ly->line &&
	       !strcmp(lx->file, ly->file) &&
	       ((x->kind == y->kind && x->a == y->a) || (is_access(x) && is_access(y)));
}

/* Whether the thread's next step after i takes the lock that step i asked for. */
static bool is_granted_at_once(const struct scene_steps *s, size_t i)
{
	const struct event *e = &s->events.at[i];
	if (e->kind != EV_REQUEST || i + 1 == s->events.len)
		return false;
	const struct event *next = &s->events.at[i + 1];
	return next->kind == EV_ACQUIRE && next->thread == e->thread && next->obj == e->obj;
}

static void select_steps(const struct scene_steps *s, const struct report_choice *choice,
			 const struct names *n, step_list *out)
{
	bool any_access = false;
	for (size_t i = 0; i < s->events.len; i++)
		any_access |= s->events.at[i].obj &&
			      touches(&s->events.at[i], choice->objects, choice->object_count);
	for (size_t i = 0; i < s->events.len; i++) {
		const struct event *e = &s->events.at[i];
		if (e->index < choice->from || is_granted_at_once(s, i))
			continue;
		if (!is_shown(e, choice->objects, choice->object_count) &&
		    (!is_access(e) || any_access))
			continue;
		if (out->len && can_fold(n, vec_last(out).e, e)) {
			if (e->kind != EV_READ || vec_last(out).e->kind == EV_READ)
				vec_last(out).e = e;
			vec_last(out).count++;
			continue;
		}
		struct step step = { e, 1 };
		vec_push(out, step);
	}
}

/* Text cut to its column; a byte that continues a UTF-8 character needs no room of its own. */
static void add_cell(struct buf *out, const char *text, size_t width)
{
	size_t columns = 0;
	for (const char *p = text; *p; p++) {
		bool is_start = ((unsigned char)*p & 0xc0) != 0x80;
		if (is_start && columns == width)
			break;
		columns += is_start;
		buf_char(out, *p);
	}
	buf_fill(out, ' ', width - columns);
}

static void add_step(struct buf *out, const struct step *s, struct names *n, size_t width)
{
	struct buf what = { 0 }, where = { 0 };
	names_event(n, s->e, &what);
	if (s->count > 1 && what.len + 16 < width)
		buf_printf(&what, " (%llux)", (unsigned long long)s->count);
	if (s->e->loc)
		names_place(n, names_own(n, s->e->loc, s->e->stack), &where);
	else
		buf_str(&where, "");
	/* If there is no room for all of it the place loses its directories, then its file; then
	 * the words are cut. */
	const char *place = where.at, *line = strrchr(place, ':');
	if (what.len + 2 + strlen(place) > width)
		place = file_base_name(place);
	if (what.len + 2 + strlen(place) > width && line)
		place = line;
	size_t tail = *place ? strlen(place) + 2 : 0;
	if (what.len + tail > width && width > tail + 1) {
		add_cell(out, what.at, width - tail - 1);
		buf_char(out, '~');
	} else {
		buf_str(out, what.at);
	}
	if (tail)
		buf_printf(out, "  %s", place);
	buf_release(&what);
	buf_release(&where);
}

static void trim_and_end_line(struct buf *out)
{
	while (out->len && out->at[out->len - 1] == ' ')
		out->len--;
	buf_char(out, '\n');
}

/* Threads in the order of their numbers; returns how many. */
static size_t list_threads(const step_list *steps, size_t from, thr_id *threads, size_t limit)
{
	size_t count = 0;
	for (size_t i = from; i < steps->len; i++) {
		thr_id t = steps->at[i].e->thread;
		size_t at = 0;
		while (at < count && threads[at] < t)
			at++;
		if (at < count && threads[at] == t)
			continue;
		if (count == limit)
			return limit + 1;
		memmove(threads + at + 1, threads + at, (count - at) * sizeof(*threads));
		threads[at] = t;
		count++;
	}
	return count;
}

static void add_header(struct buf *out, struct names *n, const thr_id *threads, size_t count,
		       size_t width)
{
	buf_fill(out, ' ', NUMBER_WIDTH);
	for (size_t c = 0; c < count; c++) {
		struct buf name = { 0 };
		names_thread(n, threads[c], &name);
		add_cell(out, name.at, width);
		buf_str(out, c + 1 < count ? "  " : "");
		buf_release(&name);
	}
	trim_and_end_line(out);
}

void report_steps(const struct scene_steps *steps, const struct report_choice *choice,
		  struct names *n, const struct report_style *style, struct buf *out)
{
	step_list list = { 0 };
	select_steps(steps, choice, n, &list);
	size_t from = list.len > choice->limit ? list.len - choice->limit : 0;
	size_t room =
		style->width > NUMBER_WIDTH + MIN_COLUMN ? style->width - NUMBER_WIDTH : MIN_COLUMN;
	thr_id threads[16];
	size_t most = room / (MIN_COLUMN + 2) < 16 ? room / (MIN_COLUMN + 2) : 16;
	size_t count = list_threads(&list, from, threads, most ? most : 1);
	bool in_columns = count <= most;
	size_t width = in_columns && count ? (room - 2 * (count - 1)) / count : room - 6;
	if (in_columns && count)
		add_header(out, n, threads, count, width);
	for (size_t i = from; i < list.len; i++) {
		const struct step *s = &list.at[i];
		buf_printf(out, "%*llu  ", NUMBER_WIDTH - 2, (unsigned long long)s->e->index);
		for (size_t c = 0; in_columns && c < count && threads[c] != s->e->thread; c++)
			buf_fill(out, ' ', width + 2);
		/* too many threads for the width: name the thread in each line */
		if (!in_columns)
			buf_printf(out, "T%-4u ", s->e->thread);
		add_step(out, s, n, width);
		trim_and_end_line(out);
	}
	vec_release(&list);
}
