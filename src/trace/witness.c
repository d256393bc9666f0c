/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building and printing of witnesses; see witness.h.  The parser is in witness_parse.c.
 *
 * A segment ends at a switch event of the program.  The event has the number of raw hooks so far,
 * so the length of a segment is the difference to that of the previous switch.
 */
#include "trace/witness.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/settings.h"

void witness_init(struct witness *w)
{
	*w = (struct witness){ 0 };
	buf_char(&w->places, 0);
}

void witness_release(struct witness *w)
{
	mem_free(w->program);
	mem_free(w->build_id);
	mem_free(w->kind);
	mem_free(w->message);
	for (size_t i = 0; i < w->args.len; i++)
		mem_free(w->args.at[i]);
	vec_release(&w->args);
	mem_free(w->name);
	for (size_t i = 0; i < w->environment.len; i++)
		mem_free(w->environment.at[i]);
	vec_release(&w->environment);
	vec_release(&w->segments);
	vec_release(&w->choices);
	inputs_release(&w->inputs);
	mem_free(w->inputs_name);
	buf_release(&w->places);
	map_release(&w->place_of_loc);
	*w = (struct witness){ 0 };
}

/* The text of each location is stored once, however many segments end there. */
static uint32_t place_of(struct witness *w, loc_id loc, const struct trace_tables *t)
{
	if (!loc || loc >= t->locations.len)
		return 0;
	bool is_new;
	uint64_t *slot = map_put(&w->place_of_loc, loc, &is_new);
	if (!is_new)
		return (uint32_t)*slot;
	const struct location *l = &t->locations.at[loc];
	*slot = w->places.len;
	if (l->file[0])
		buf_printf(&w->places, "%s:%u", l->file, l->line);
	else
		buf_str(&w->places, l->function);
	buf_char(&w->places, 0);
	return (uint32_t)*slot;
}

static void push_segment(struct witness *w, uint64_t hooks, unsigned why,
			 const struct trace_tables *t)
{
	struct witness_segment *s = vec_add(&w->segments);
	s->hooks = hooks;
	s->thread = w->running;
	s->why = (uint8_t)why;
	s->events = w->events;
	s->hash = w->hash;
	s->last_kind = w->last_kind;
	s->place = place_of(w, w->last_loc, t);
}

void witness_end_segment(struct witness *w, const struct event *next, const struct trace_tables *t)
{
	uint64_t hooks = next->a >= w->segment_start ? next->a - w->segment_start : 0;
	bool is_flush = next->kind == EV_FLUSH_TURN;
	bool is_blocked = is_flush && next->mode & WIRE_FLUSH_BLOCKED;
	push_segment(w, hooks,
		     is_blocked ? SWITCH_BLOCK_FLUSH
		     : is_flush ? SWITCH_FLUSH
				: next->mode,
		     t);
	if (is_flush) {
		vec_last(&w->segments).buffer = (thr_id)next->b;
		vec_last(&w->segments).store = next->mode & (WIRE_FLUSH_BLOCKED - 1);
	}
	w->segment_start = next->a;
	w->running = next->thread;
}

void witness_add_choice(struct witness *w, const struct event *e)
{
	struct witness_choice c = { .chosen = (uint32_t)e->a, .out_of = (uint32_t)e->b };
	vec_push(&w->choices, c);
}

void witness_finish(struct witness *w, const struct trace_tables *t)
{
	push_segment(w, WITNESS_TO_END, SWITCH_BLOCK, t);
}

const char *witness_place(const struct witness *w, const struct witness_segment *s)
{
	return w->places.at + s->place;
}

/*
 * While a thread was blocked, a store reached memory, and then, without a hook in between,
 * another store did or another thread ran.  Both belong to the same block, unless other events
 * happened in between: the flush of a store is two events, flush-turn and flush.
 */
static bool blocks_again(const struct witness_segment *before, const struct witness_segment *s)
{
	bool is_blocked = s->why == SWITCH_BLOCK_FLUSH || s->why == SWITCH_BLOCK;
	return before->why == SWITCH_BLOCK_FLUSH && is_blocked && !s->hooks &&
	       s->events - before->events > 2;
}

void witness_schedule(const struct witness *w, struct witness_schedule *out)
{
	*out = (struct witness_schedule){ 0 };
	uint64_t hooks = 0;
	for (size_t i = 0; i + 1 < w->segments.len; i++) {
		const struct witness_segment *s = &w->segments.at[i];
		hooks += s->hooks;
		struct wire_step step = { hooks, w->segments.at[i + 1].thread, s->why };
		if (witness_is_flush(s))
			step = (struct wire_step){ hooks, s->buffer,
						   s->why | WIRE_STORE(s->store) };
		if (i && blocks_again(s - 1, s))
			step.why |= WIRE_BLOCKS_AGAIN;
		vec_push(&out->steps, step);
	}
	for (size_t i = 0; i < w->choices.len; i++)
		vec_push(&out->choices, w->choices.at[i].chosen);
}

void witness_schedule_release(struct witness_schedule *s)
{
	vec_release(&s->steps);
	vec_release(&s->choices);
}

/* Bytes above 0x7f are printed as they are in text, and escaped in other data. */
static void print_bytes(struct buf *out, const void *bytes, size_t len, bool is_text)
{
	const unsigned char *s = bytes;
	buf_char(out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = s[i];
		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f || (c > 0x7f && !is_text))
			buf_printf(out, "\\x%02x", c);
		else
			buf_char(out, (char)c);
	}
	buf_char(out, '"');
}

static void print_quoted(struct buf *out, const char *s)
{
	print_bytes(out, s, strlen(s), true);
}

/* One line for each record; records of bytes follow their call on the same line. */
static void print_inputs(const struct witness *w, struct buf *out)
{
	for (const struct wire_input *r = inputs_next(&w->inputs, NULL); r;) {
		buf_printf(out, "%s T%u ", event_kind_name(r->kind), r->thread);
		if (call_name(r->call))
			buf_str(out, call_name(r->call));
		else
			buf_printf(out, "%u", r->call);
		buf_printf(out, " %lld", (long long)r->value);
		for (r = inputs_next(&w->inputs, r); r && r->kind == EV_INPUT_DATA;
		     r = inputs_next(&w->inputs, r)) {
			buf_char(out, ' ');
			print_bytes(out, r + 1, r->len, false);
		}
		buf_char(out, '\n');
	}
}

static void print_segment(const struct witness *w, const struct witness_segment *s, struct buf *out)
{
	static const char *const words[] = { [SWITCH_PREEMPT] = "preempted",
					     [SWITCH_BLOCK] = "blocked",
					     [SWITCH_FLUSH] = "flush",
					     [SWITCH_BLOCK_FLUSH] = "blocked-flush" };
	if (s->hooks == WITNESS_TO_END)
		buf_printf(out, "run T%u end", s->thread);
	else
		buf_printf(out, "run T%u %llu %s", s->thread, (unsigned long long)s->hooks,
			   words[s->why]);
	if (s->hooks != WITNESS_TO_END && witness_is_flush(s))
		buf_printf(out, " T%u %u", s->buffer, s->store);
	buf_printf(out, " events %llu hash %016llx", (unsigned long long)s->events,
		   (unsigned long long)s->hash);
	const char *kind = event_kind_name(s->last_kind);
	if (kind)
		buf_printf(out, " last %s ", kind);
	if (kind)
		print_quoted(out, witness_place(w, s));
	buf_char(out, '\n');
}

static void print_word(struct buf *out, const char *what, const char *text)
{
	buf_printf(out, "%s ", what);
	print_quoted(out, text);
	buf_char(out, '\n');
}

void witness_print(const struct witness *w, struct buf *out)
{
	buf_printf(out, "heddle-witness %d\nprogram ", WITNESS_VERSION);
	print_quoted(out, w->program ? w->program : "");
	buf_printf(out, "\nbuild-id %s\n", w->build_id && w->build_id[0] ? w->build_id : "none");
	if (w->name)
		print_word(out, "name", w->name);
	for (size_t i = 0; i < w->args.len; i++)
		print_word(out, "arg", w->args.at[i]);
	for (size_t i = 0; i < w->environment.len; i++)
		print_word(out, "env", w->environment.at[i]);
	if (w->kind) {
		buf_printf(out, "found %s ", w->kind);
		print_quoted(out, w->message ? w->message : "");
		buf_char(out, '\n');
	}
	if (witness_has_race(w))
		buf_printf(out, "race %llu %llu\n", (unsigned long long)w->race[0],
			   (unsigned long long)w->race[1]);
	if (w->step_limit)
		buf_printf(out, "steps %llu\n", (unsigned long long)w->step_limit);
	if (w->has_branches)
		buf_str(out, "branches full\n");
	if (w->memory)
		buf_printf(out, "memory %s\n", memory_names[w->memory]);
	if (w->heap)
		buf_printf(out, "heap %s\n", heap_names[w->heap]);
	if (w->spurious_wakeups)
		buf_printf(out, "spurious %llu\n", (unsigned long long)w->spurious_wakeups);
	if (w->divided.signals)
		buf_printf(out, "signals %016llx\n", (unsigned long long)w->divided.signals);
	if (w->divided.cancels)
		buf_printf(out, "cancels %016llx\n", (unsigned long long)w->divided.cancels);
	if (w->divided.exposed)
		buf_printf(out, "exposed %016llx\n", (unsigned long long)w->divided.exposed);
	for (uint64_t i = 0; i < w->divided.count; i++)
		buf_printf(out, "divided %016llx\n", (unsigned long long)w->divided.places[i]);
	if (w->awaits)
		buf_str(out, "awaits told\n");
	if (w->waits_for_stores)
		buf_str(out, "stores awaited\n");
	for (size_t i = 0; i < w->choices.len; i++)
		buf_printf(out, "choice %u of %u\n", w->choices.at[i].chosen,
			   w->choices.at[i].out_of);
	if (w->inputs_name) {
		buf_str(out, "inputs ");
		print_quoted(out, w->inputs_name);
		buf_printf(out, " records %llu hash %016llx\n",
			   (unsigned long long)w->inputs.records,
			   (unsigned long long)w->inputs.hash);
	} else {
		print_inputs(w, out);
	}
	for (size_t i = 0; i < w->segments.len; i++)
		print_segment(w, &w->segments.at[i], out);
	buf_printf(out, "end events %llu hash %016llx\n", (unsigned long long)w->events,
		   (unsigned long long)w->hash);
}

/* ---- files ---- */

static void inputs_path(struct buf *out, const char *witness)
{
	buf_printf(out, "%s.inputs", witness);
}

static bool is_inputs_file(const char *path)
{
	char start[WIRE_INPUTS_START];
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(start, 1, sizeof(start), f) : 0;
	if (f)
		fclose(f);
	return n == sizeof(start) && !memcmp(start, WIRE_INPUTS_MAGIC, n);
}

int witness_save(struct witness *w, const char *path, struct err *err)
{
	struct buf beside = { 0 }, text = { 0 };
	int rc = 0;
	inputs_path(&beside, path);
	if (w->inputs.size > WITNESS_INPUTS_INSIDE && strcmp(path, "-")) {
		mem_free(w->inputs_name);
		w->inputs_name = mem_strdup(file_base_name(beside.at));
		rc = inputs_save(&w->inputs, beside.at, err);
	} else if (is_inputs_file(beside.at)) {
		unlink(beside.at);
	}
	witness_print(w, &text);
	if (!rc)
		rc = file_write(path, text.at, text.len, err);
	buf_release(&beside);
	buf_release(&text);
	return rc;
}

/* The file of inputs is in the directory of the witness, so both can be moved together. */
static int load_inputs(struct witness *w, const char *path, struct err *err)
{
	struct buf file = { 0 };
	buf_add(&file, path, (size_t)(file_base_name(path) - path));
	buf_str(&file, w->inputs_name);
	int rc = inputs_open(&w->inputs, file.at, err);
	if (!rc && (w->inputs.records != w->inputs_records || w->inputs.hash != w->inputs_hash))
		rc = err_set(
			err, ERR_FORMAT,
			"%s does not belong to %s: it has %llu records and the hash %016llx, not "
			"%llu and %016llx",
			file.at, path, (unsigned long long)w->inputs.records,
			(unsigned long long)w->inputs.hash, (unsigned long long)w->inputs_records,
			(unsigned long long)w->inputs_hash);
	buf_release(&file);
	return rc;
}

int witness_load(struct witness *w, const char *path, struct err *err)
{
	struct buf text = { 0 };
	int rc = file_read(path, &text, err);
	if (!rc)
		rc = witness_parse(w, path, text.at, text.len, err);
	if (!rc && w->inputs_name)
		rc = load_inputs(w, path, err);
	buf_release(&text);
	return rc;
}

void witness_remove(const char *path)
{
	struct buf beside = { 0 };
	inputs_path(&beside, path);
	unlink(path);
	if (is_inputs_file(beside.at))
		unlink(beside.at);
	buf_release(&beside);
}
