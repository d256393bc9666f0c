/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local variables that were not written and that matter.
 *
 * The compilers' hooks do not see variables that stay in their function, so reads of them are not
 * looked for. The program's code shows what is unwritten in a frame when its function begins
 * (binary/frames.h).  This is filled with zeroes in one execution and with OTHER_FILL in another
 * one, in all functions at once and with the same schedule.  If the two do not do the same, the
 * bytes on which that depends are found by halving: first the pieces of frames, then the bytes of
 * a piece.
 *
 * Why every report is real: see check/experiment.h.  The filled bytes belong to the function, and
 * nothing of the program has written them, so the C standard gives them no value on which a
 * program could rely.
 *
 * What is missed: functions whose beginning is not understood, variables in registers, arrays of
 * variable length, a dependence that these two contents do not show, and one in an execution that
 * is not looked at. Looked at are the first execution and some in which an instruction takes
 * part, or reads a value, for the first time.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "binary/frames.h"
#include "check/experiment.h"

#define OTHER_FILL 0x41
#define PARTS_MAX (WIRE_FRAME_FILLS * 3 / 4) /* of the program at a time: they are divided later */

/* Bytes of a frame. */
struct part {
	struct wire_frame_fill fill;
	bool is_zeroed; /* they are zero in all executions from now on */
};

struct search {
	struct experiments experiments;
	struct frame_pieces pieces; /* of the program, sorted */
	VEC(struct part) parts;	    /* those that are looked at together */
	VEC(struct wire_frame_fill) fills;
	struct run_log zero;
	struct divergence divergence; /* of the last two executions */
};

/* ---- which bytes matter ---- */

/*
 * An execution with this content of some parts and zeroes in all others: a frame begins with what
 * an earlier call left in the same place, so what is not filled could carry the content of
 * another part.
 */
static int run_filled(struct search *s, const struct plan *plan, size_t first, size_t count,
		      uint8_t byte, struct run_log *out, bool *is_made, struct err *err)
{
	s->fills.len = 0;
	for (size_t i = 0; i < s->parts.len; i++) {
		struct wire_frame_fill fill = s->parts.at[i].fill;
		fill.byte = i >= first && i < first + count && !s->parts.at[i].is_zeroed ? byte : 0;
		vec_push(&s->fills, fill);
	}
	struct experiment_fill fill = { .frames = s->fills.at, .frames_count = s->fills.len };
	return experiment(&s->experiments, plan, &fill, out, is_made, err);
}

/* Whether executions with the two contents of these parts differ. */
static int try_parts(struct search *s, const struct plan *plan, size_t first, size_t count,
		     bool *matters, struct err *err)
{
	bool is_made = false;
	int rc =
		run_filled(s, plan, first, count, OTHER_FILL, &s->experiments.other, &is_made, err);
	*matters =
		!rc && is_made && run_logs_differ(&s->zero, &s->experiments.other, &s->divergence);
	return rc;
}

/* Divide a part, so that it ends at `at`. */
static void divide(struct search *s, size_t i, uint32_t at)
{
	struct part above = s->parts.at[i];
	above.fill.from = s->parts.at[i].fill.to = at;
	vec_push(&s->parts, above);
	memmove(&s->parts.at[i + 2], &s->parts.at[i + 1], (s->parts.len - i - 2) * sizeof(above));
	s->parts.at[i + 1] = above;
}

/* Of parts that matter together: one byte that does, or few parts of which none does by itself. */
static int halve(struct search *s, const struct plan *plan, size_t *first, size_t *count,
		 struct err *err)
{
	for (;;) {
		const struct wire_frame_fill *f = &s->parts.at[*first].fill;
		if (*count == 1 && (f->to - f->from == 1 || s->parts.len == WIRE_FRAME_FILLS))
			return 0;
		if (*count == 1) {
			divide(s, *first, f->from + (f->to - f->from) / 2);
			*count = 2;
		}
		size_t half = *count / 2;
		bool matters;
		int rc = try_parts(s, plan, *first, half, &matters, err);
		if (!rc && matters) {
			*count = half;
			continue;
		}
		if (!rc)
			rc = try_parts(s, plan, *first + half, *count - half, &matters, err);
		if (rc || !matters)
			return rc;
		*first += half;
		*count -= half;
	}
}

/* Both executions once more: a program that does not repeat itself shows nothing. */
static int confirm(struct search *s, const struct plan *plan, size_t first, size_t count,
		   bool *is_confirmed, struct err *err)
{
	struct experiment_fill fill;
	int rc = try_parts(s, plan, first, count, is_confirmed, err);
	fill = (struct experiment_fill){ .frames = s->fills.at, .frames_count = s->fills.len };
	if (!rc && *is_confirmed)
		rc = experiment_confirm(&s->experiments, plan, &fill, &s->experiments.other,
					is_confirmed, err);
	for (size_t i = 0; i < s->fills.len; i++)
		s->fills.at[i].byte = 0;
	if (!rc && *is_confirmed)
		rc = experiment_confirm(&s->experiments, plan, &fill, &s->zero, is_confirmed, err);
	if (!rc && *is_confirmed)
		rc = experiment_usual(&s->experiments, plan, is_confirmed, err);
	return rc;
}

/* ---- findings ---- */

/* Where the executions part, as an event of the usual one; or its last event. */
struct watched {
	struct divergence divergence;
	struct scene_place at;
	bool is_exact;
};

static bool is_at(struct observer *o, uint64_t address, uint64_t pc)
{
	return pc && address == decode_address(o->decoder, pc);
}

static void watch_event(void *arg, struct observer *o, const struct event *e)
{
	struct watched *w = arg;
	if (!e) {
		w->at = (struct scene_place){ 0 };
		w->is_exact = false;
		return;
	}
	if (w->is_exact || !e->loc)
		return;
	const struct location *l = names_location(&o->names, e->loc);
	uint64_t address = o->decoder->tables.regions.at[l->region].start + l->offset;
	w->at = scene_place_of(e);
	w->is_exact = l->region && (is_at(o, address, w->divergence.first) ||
				    is_at(o, address, w->divergence.second));
}

/* The variable, and the bytes of the frame that are its. */
static bool find_variable(struct search *s, struct check_repeat *r,
			  const struct wire_frame_fill *piece, struct local *out)
{
	const struct trace_tables *t = &r->made.observer.decoder->tables;
	uint64_t address = decode_address(r->made.observer.decoder, piece->pc);
	uint32_t region = trace_region_of(t, address);
	for (size_t i = 0; i < s->pieces.list.len && region; i++) {
		const struct frame_piece *p = &s->pieces.list.at[i];
		if (p->pc == piece->pc)
			return source_local(r->made.observer.source, &t->regions.at[region],
					    address - t->regions.at[region].start,
					    (int64_t)piece->from - p->size, p->size, out) &&
			       (out->from += p->size, out->to += p->size, true);
	}
	return false;
}

/* What the program does with each of the two contents. */
static void add_ways(struct finding *f, struct observer *o, const struct search *s)
{
	const struct {
		const struct run_log *log, *other;
		uint64_t pc;
		uint8_t byte;
	} ways[] = {
		{ &s->zero, &s->experiments.other, s->divergence.first, 0 },
		{ &s->experiments.other, &s->zero, s->divergence.second, OTHER_FILL },
	};
	for (size_t i = 0; i < 2; i++) {
		struct buf text = { 0 }, place = { 0 };
		experiment_place(o, ways[i].pc, &place);
		buf_printf(&text, "with bytes 0x%02x in it the program goes on%s", ways[i].byte,
			   place.len ? place.at : " to its end");
		experiment_end(ways[i].log, ways[i].other, &text);
		finding_add_note(f, "%s", text.at);
		buf_release(&text);
		buf_release(&place);
	}
}

static void report(struct search *s, struct check_repeat *r, const struct watched *w,
		   const struct wire_frame_fill *piece, const struct local *variable, uint64_t key)
{
	struct check *c = s->experiments.c;
	struct buf text = { 0 };
	if (variable->name)
		buf_str(&text, variable->name);
	else
		buf_printf(&text, "%u byte%s of the frame", piece->to - piece->from,
			   piece->to - piece->from == 1 ? "" : "s");
	experiment_place(&r->made.observer, piece->pc, &text);
	const struct finding_part place = { w->is_exact ? ROLE_TAKES_TWO_WAYS : ROLE_DOES_LAST,
					    w->at,
					    { 0 } };
	struct finding f =
		finding_make(&(struct finding_input){ .sentence = SENTENCE_UNSET_VARIABLE,
						      .about = { .text = text.at },
						      .places = &place,
						      .place_count = 1,
						      .event = w->at.event },
			     &r->made.observer.names);
	buf_release(&text);
	add_ways(&f, &r->made.observer, s);
	check_add_uninitialised(c, r, f, key);
}

static int show(struct search *s, const struct plan *plan, const struct wire_frame_fill *piece,
		struct local *variable, struct err *err)
{
	struct check *c = s->experiments.c;
	struct watched watched = { .divergence = s->divergence };
	size_t index;
	int rc = check_repeat(c, plan, watch_event, &watched, &index, err);
	if (rc == -ERR_SUPPORT)
		return 0; /* it is too long to be recorded */
	if (rc || !c->repeats.at[index]->is_whole)
		return rc;
	struct check_repeat *r = c->repeats.at[index];
	if (!find_variable(s, r, piece, variable))
		*variable = (struct local){ 0 };
	uint64_t key = hash_mix(hash_mix(FINDING_UNINITIALISED, piece->pc),
				variable->name ? (uint64_t)variable->from : piece->from);
	for (size_t i = 0; i < c->findings.len; i++)
		if (c->findings.at[i].key == key)
			return 0;
	report(s, r, &watched, piece, variable, key);
	return 0;
}

/* ---- all of them ---- */

/* What has been reported has one content from now on. */
static void settle(struct search *s, uint64_t pc, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < s->parts.len; i++) {
		struct wire_frame_fill *f = &s->parts.at[i].fill;
		if (f->pc != pc || f->from >= to || f->to <= from)
			continue;
		if (f->from < from && s->parts.len < WIRE_FRAME_FILLS) {
			divide(s, i, from);
			continue; /* the next one begins there */
		}
		if (f->to > to && s->parts.len < WIRE_FRAME_FILLS)
			divide(s, i, to);
		s->parts.at[i].is_zeroed = true;
	}
}

/* One variable after the other, until nothing depends on those that are left. */
static int examine_parts(struct search *s, const struct plan *plan, struct err *err)
{
	bool is_made, matters, is_confirmed;
	int rc = run_filled(s, plan, 0, 0, 0, &s->zero, &is_made, err);
	while (!rc && is_made) {
		size_t first = 0, count = s->parts.len;
		rc = try_parts(s, plan, first, count, &matters, err);
		if (rc || !matters)
			break;
		rc = halve(s, plan, &first, &count, err);
		if (!rc)
			rc = confirm(s, plan, first, count, &is_confirmed, err);
		if (rc || !is_confirmed)
			break;
		struct wire_frame_fill at = s->parts.at[first].fill;
		struct local variable = { 0 };
		rc = show(s, plan, &at, &variable, err);
		if (!rc && variable.name)
			settle(s, at.pc, (uint32_t)variable.from, (uint32_t)variable.to);
		settle(s, at.pc, at.from & ~7u, (at.to + 7) & ~7u);
	}
	return rc;
}

static int examine(struct search *s, const struct plan *plan, struct err *err)
{
	int rc = 0;
	for (size_t first = 0; first < s->pieces.list.len && !rc; first += PARTS_MAX) {
		s->parts.len = 0;
		for (size_t i = first; i < s->pieces.list.len && i < first + PARTS_MAX; i++) {
			const struct frame_piece *p = &s->pieces.list.at[i];
			struct part part = { .fill = {
						     .pc = p->pc, .from = p->from, .to = p->to } };
			vec_push(&s->parts, part);
		}
		rc = examine_parts(s, plan, err);
	}
	return rc;
}

/* The pieces with the addresses that they have in the running program; none if these are not known.
 */
static int read_pieces(struct search *s, struct err *err)
{
	struct buf bytes = { 0 };
	struct image img;
	const char *reason;
	uint64_t base;
	int rc = file_read(s->experiments.c->program.path.at, &bytes, err);
	if (rc)
		return rc;
	if (!image_open(&img, bytes.at, bytes.len, &reason) && !check_program_base(&img, &base))
		rc = frames_unwritten(&img, &s->pieces, err);
	for (size_t i = 0; i < s->pieces.list.len; i++)
		s->pieces.list.at[i].pc += base;
	image_close(&img);
	buf_release(&bytes);
	return rc;
}

static int examine_schedules(struct search *s, const struct check_schedules *list, struct err *err)
{
	int rc = 0;
	for (size_t i = 0; i < list->at.len && !rc && !check_is_enough(s->experiments.c); i++) {
		struct plan plan = schedule_plan(&list->at.at[i], list->at.at[i].turns.len);
		rc = examine(s, &plan, err);
	}
	return rc;
}

int check_show_variables(struct check *c, struct err *err)
{
	struct search s = { .experiments = { .c = c } };
	int rc = 0;
	if (c->result.executions && !check_is_enough(c))
		rc = read_pieces(&s, err);
	if (!rc && s.pieces.list.len) {
		rc = examine(&s, &(struct plan){ 0 }, err);
		rc = rc ? rc : examine_schedules(&s, &c->suspects.code, err);
		rc = rc ? rc : examine_schedules(&s, &c->suspects.value, err);
	}
	experiments_release(&s.experiments);
	vec_release(&s.pieces.list);
	vec_release(&s.parts);
	vec_release(&s.fills);
	vec_release(&s.zero.ops);
	return rc;
}
