/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text report of one finding: what happened in one line, then every place that takes part,
 * with the source line itself and the calls that led there, then the last steps by thread, then
 * how to see it again.
 */
#include "report/report.h"

#include <string.h>

#include "report/frames.h"

#define STEP_LINES 25
#define MAX_CALLS 8
#define MAX_PAIRS 12
#define BOLD "\033[1m"
#define RED "\033[1;31m"
#define DIM "\033[2m"
#define CYAN "\033[36m"
#define PLAIN "\033[0m"

static void colored(struct buf *out, const struct report_style *style, const char *color,
		    const char *text)
{
	if (style->has_color)
		buf_str(out, color);
	buf_str(out, text);
	if (style->has_color)
		buf_str(out, PLAIN);
}

static void add_function(struct buf *out, const struct location *l)
{
	if (l->function[0] && (l->file[0] || l->region))
		buf_printf(out, "%s() ", l->function);
}

/* A line of source, cut to the width. */
static void add_source(struct buf *out, struct names *n, const struct report_style *style,
		       loc_id loc, unsigned indent)
{
	const char *text = names_source_line(n, loc);
	if (!text)
		return;
	size_t room = style->width > indent + 10 ? style->width - indent : 10, len = strlen(text);
	while (len && (text[len - 1] == ' ' || text[len - 1] == '\t' || text[len - 1] == '\r'))
		len--;
	struct buf line = { 0 };
	buf_add(&line, text, len < room ? len : room);
	for (size_t i = 0; i < line.len; i++)
		if ((unsigned char)line.at[i] < 0x20)
			line.at[i] = ' ';
	buf_fill(out, ' ', indent);
	colored(out, style, CYAN, line.at);
	buf_char(out, '\n');
	buf_release(&line);
}

static void add_frame(struct buf *out, struct names *n, const struct report_style *style,
		      const char *how, loc_id loc)
{
	struct buf line = { 0 };
	buf_str(&line, how);
	add_function(&line, names_location(n, loc));
	names_place(n, loc, &line);
	buf_str(out, "      ");
	colored(out, style, DIM, line.at);
	buf_char(out, '\n');
	buf_release(&line);
}

/* The callers of a place, innermost first; of those in headers of the library only if all are
 * asked for. */
static void add_calls(struct buf *out, struct names *n, const struct report_style *style,
		      struct frame_walk at)
{
	size_t shown = 0, more = 0;
	while (frames_outward(n->tables, &at)) {
		const struct location *l = names_location(n, at.loc);
		/* The outermost call of a thread comes from a library that has no sources. */
		if (!l->file[0] || (!n->all_frames && !frames_is_own(l)))
			continue;
		if (shown++ >= MAX_CALLS && !n->all_frames)
			more++;
		else
			add_frame(out, n, style, "called by ", at.loc);
	}
	if (more)
		buf_printf(out, "      ... and %zu more calls\n", more);
}

static void add_place(struct buf *out, struct names *n, const struct report_style *style,
		      const char *role, loc_id loc, stack_id stack)
{
	struct frame_walk at = { loc, stack, 0 };
	if (!n->all_frames)
		at = frames_own(n->tables, loc, stack);
	buf_printf(out, "\n  %s\n      ", role);
	add_function(out, names_location(n, at.loc));
	struct buf where = { 0 };
	names_place(n, at.loc, &where);
	colored(out, style, BOLD, where.at);
	buf_release(&where);
	buf_char(out, '\n');
	add_source(out, n, style, at.loc, 10);
	if (at.inside)
		add_frame(out, n, style, "in ", at.inside);
	add_calls(out, n, style, at);
}

static void add_side(struct buf *out, const struct finding_side *s)
{
	if (s->function)
		buf_printf(out, "%s() ", s->function);
	if (s->file)
		buf_printf(out, "%s:%u ", s->file, s->line);
	else
		buf_printf(out, "at +0x%llx ", (unsigned long long)s->offset);
	buf_str(out, finding_act_word(s->act));
}

/* The first pair is that of the places. */
static void add_pairs(struct buf *out, const struct finding *f)
{
	if (f->pairs.len < 2)
		return;
	buf_printf(out, "\n  %zu more pair%s of places that race on it\n", f->pairs.len - 1,
		   f->pairs.len == 2 ? "" : "s");
	for (size_t i = 1; i < f->pairs.len && i <= MAX_PAIRS; i++) {
		buf_str(out, "      ");
		add_side(out, &f->pairs.at[i].sides[0]);
		buf_str(out, ", ");
		add_side(out, &f->pairs.at[i].sides[1]);
		buf_char(out, '\n');
	}
	if (f->pairs.len - 1 > MAX_PAIRS)
		buf_printf(out, "      ... and %zu more (JSON has all)\n",
			   f->pairs.len - 1 - MAX_PAIRS);
}

void report_finding(const struct finding *f, struct names *n, const struct report_style *style,
		    const char *replay, struct buf *out)
{
	colored(out, style, RED, finding_kind_name(f->kind));
	buf_str(out, ": ");
	colored(out, style, BOLD, f->message);
	if (f->count > 1)
		buf_printf(out, " (%llu times)", (unsigned long long)f->count);
	buf_char(out, '\n');
	for (size_t i = 0; i < f->places.len; i++) {
		const struct finding_place *p = &f->places.at[i];
		add_place(out, n, style, p->role, p->loc, p->stack);
	}
	if (f->notes.len)
		buf_char(out, '\n');
	for (size_t i = 0; i < f->notes.len; i++)
		buf_printf(out, "  %s\n", f->notes.at[i]);
	add_pairs(out, f);
	struct buf steps = { 0 };
	struct report_choice choice = { f->objects.at, f->objects.len, f->story_start, STEP_LINES };
	report_steps(&f->steps, &choice, n, style, &steps);
	if (steps.len) {
		buf_str(out, "\n  last steps\n");
		buf_add(out, steps.at, steps.len);
	}
	buf_release(&steps);
	if (replay) {
		buf_str(out, "\n  see it again: ");
		colored(out, style, BOLD, replay);
		buf_char(out, '\n');
	}
}

static void add_doing(struct buf *out, const struct scene *scene, struct names *n,
		      const struct scene_thread *t)
{
	bool waits = scene_awaited(t) || t->doing == DOING_JOIN || t->doing == DOING_IO ||
		     t->doing == DOING_BLOCK;
	buf_char(out, ' ');
	if (waits)
		finding_add_wait(scene, n, t, out);
	else
		buf_str(out, t->doing == DOING_END ? "has ended" : "can run");
	for (size_t i = 0; i < t->held.len; i++) {
		buf_printf(out, "%s%s", i ? ", " : ", holds ", names_sync_mode(t->held.at[i].mode));
		names_object(n, t->held.at[i].obj, out);
		buf_str(out, finding_hold_words(&t->held.at[i]));
	}
}

void report_threads(const struct scene *scene, struct names *n, const struct report_style *style,
		    struct buf *out)
{
	for (thr_id t = 0; t < scene->threads.len; t++) {
		const struct scene_thread *thread = &scene->threads.at[t];
		if (thread->doing == DOING_NOTHING)
			continue;
		struct buf role = { 0 };
		names_thread(n, t, &role);
		add_doing(&role, scene, n, thread);
		if (thread->doing == DOING_END)
			buf_printf(out, "\n  %s\n", role.at);
		else
			add_place(out, n, style, role.at, thread->last.loc, thread->last.stack);
		buf_release(&role);
	}
}
