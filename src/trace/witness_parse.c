/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of witness files.  Its input is untrusted: every number is bounded, every line must
 * be consumed to its end, and memory use is at most a small multiple of the input.  Every
 * rejection has the file and line.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/settings.h"
#include "trace/witness.h"
#include "trace/witness_lines.h"

#define MAGIC "heddle-witness "

/* The pool stores each text once, unless two texts have the same hash. */
static uint32_t add_place(struct witness *w, const struct buf *text)
{
	if (!text->len)
		return 0;
	uint64_t key = hash_bytes(1, text->at, text->len);
	bool is_new;
	uint64_t *slot = map_put(&w->place_of_loc, key, &is_new);
	if (!is_new && !strcmp(w->places.at + *slot, text->at))
		return (uint32_t)*slot;
	*slot = w->places.len;
	buf_add(&w->places, text->at, text->len + 1);
	return (uint32_t)*slot;
}

static int parse_last(struct line_reader *p, struct witness *w, struct witness_segment *s)
{
	char *kind = line_take_word(p);
	s->last_kind = kind ? (uint8_t)event_kind_by_name(kind, strlen(kind)) : 0;
	mem_free(kind);
	if (!s->last_kind)
		return line_reject(p, "the word after 'last' is not a kind of event");
	struct buf place = { 0 };
	int rc = 0;
	if (!line_take_text(p, " ") || !line_take_quoted(p, &place))
		rc = line_reject(p, "a place in quotes is missing after the kind of event");
	else
		s->place = add_place(w, &place);
	buf_release(&place);
	return rc;
}

/* The thread whose store reaches memory, and the position of the store. */
static bool take_store(struct line_reader *p, struct witness_segment *s)
{
	uint64_t thread, store;
	if (!line_take_text(p, " T") || !line_take_number(p, UINT32_MAX - 1, &thread) ||
	    !line_take_text(p, " ") || !line_take_number(p, WIRE_FLUSH_BLOCKED - 1, &store))
		return false;
	s->buffer = (thr_id)thread;
	s->store = (uint8_t)store;
	return true;
}

static int parse_segment(struct line_reader *p, struct witness *w)
{
	struct witness_segment s = { 0 };
	uint64_t thread;
	if (w->segments.len && vec_last(&w->segments).hooks == WITNESS_TO_END)
		return line_reject(p, "there is a segment after the one that runs to the end");
	if (!line_take_text(p, "T") || !line_take_number(p, UINT32_MAX - 1, &thread) ||
	    !line_take_text(p, " "))
		return line_reject(p, "'run' must be followed by a thread, such as T1");
	s.thread = (thr_id)thread;
	if (line_take_text(p, "end"))
		s.hooks = WITNESS_TO_END;
	else if (!line_take_number(p, (uint64_t)1 << 62, &s.hooks))
		return line_reject(
			p, "the thread must be followed by its number of hooks, or by 'end'");
	if (s.hooks != WITNESS_TO_END && line_take_text(p, " blocked-flush"))
		s.why = SWITCH_BLOCK_FLUSH;
	else if (s.hooks == WITNESS_TO_END || line_take_text(p, " blocked"))
		s.why = SWITCH_BLOCK;
	else if (line_take_text(p, " preempted"))
		s.why = SWITCH_PREEMPT;
	else if (line_take_text(p, " flush"))
		s.why = SWITCH_FLUSH;
	else
		return line_reject(p,
				   "the number of hooks must be followed by 'preempted', 'blocked' "
				   "or 'flush'");
	if (witness_is_flush(&s) && !take_store(p, &s))
		return line_reject(
			p, "'flush' must be followed by a thread and the place of a store in "
			   "its buffer, such "
			   "as T1 0");
	if (!line_take_text(p, " events ") || !line_take_number(p, (uint64_t)1 << 62, &s.events))
		return line_reject(p, "'events' and a number are missing");
	if (w->segments.len && s.events < vec_last(&w->segments).events)
		return line_reject(p, "the number of events is lower than in the segment before");
	if (!line_take_text(p, " hash ") || !line_take_hash(p, &s.hash))
		return line_reject(p, "'hash' and 16 hexadecimal digits are missing");
	if (line_take_text(p, " last ")) {
		int rc = parse_last(p, w, &s);
		if (rc)
			return rc;
	}
	vec_push(&w->segments, s);
	return 0;
}

static int parse_choice(struct line_reader *p, struct witness *w)
{
	uint64_t chosen, out_of;
	if (!line_take_number(p, UINT32_MAX, &chosen) || !line_take_text(p, " of ") ||
	    !line_take_number(p, UINT32_MAX, &out_of))
		return line_reject(p, "a choice has the form 'choice 1 of 3'");
	if (chosen >= out_of)
		return line_reject(p, "the choice is not below the number of possibilities");
	struct witness_choice c = { (uint32_t)chosen, (uint32_t)out_of };
	vec_push(&w->choices, c);
	return 0;
}

static bool take_signed(struct line_reader *p, int64_t *out)
{
	bool is_negative = line_take_text(p, "-");
	uint64_t v;
	if (!line_take_number(p, INT64_MAX, &v))
		return false;
	*out = is_negative ? -(int64_t)v : (int64_t)v;
	return true;
}

static bool take_call(struct line_reader *p, uint16_t *out)
{
	uint64_t number = WIRE_NO_CALL;
	const char *start = p->at;
	while (p->at < p->end && ((*p->at >= 'a' && *p->at <= 'z') || *p->at == '_' ||
				  (*p->at >= '0' && *p->at <= '9')))
		p->at++;
	number = call_by_name(start, (size_t)(p->at - start));
	if (number == WIRE_NO_CALL) {
		p->at = start;
		if (!line_take_number(p, UINT16_MAX - 1, &number))
			return false;
	}
	*out = (uint16_t)number;
	return true;
}

/* The result of a call with its bytes, or a wait for one. */
static int parse_input(struct line_reader *p, struct witness *w, unsigned kind)
{
	struct wire_input r = { .kind = (uint16_t)kind };
	uint64_t thread;
	if (w->inputs_name)
		return line_reject(p, "the inputs are declared to be in a file");
	if (!line_take_text(p, "T") || !line_take_number(p, (1u << 20) - 1, &thread) ||
	    !line_take_text(p, " ") || !take_call(p, &r.call) || !line_take_text(p, " ") ||
	    !take_signed(p, &r.value))
		return line_reject(
			p,
			"an input has the form 'input T0 read 5', with bytes in quotes after it");
	r.thread = (uint32_t)thread;
	inputs_add_record(&w->inputs, &r, NULL);
	struct buf bytes = { 0 };
	int rc = 0;
	while (!rc && kind == EV_INPUT && line_take_text(p, " ")) {
		struct wire_input d = { .thread = r.thread, .kind = EV_INPUT_DATA };
		buf_clear(&bytes);
		if (!line_take_bytes(p, &bytes) || !bytes.len || bytes.len > WIRE_MAX_DATA) {
			rc = line_reject(p, "bytes of an input are written in quotes");
		} else {
			d.len = bytes.len;
			inputs_add_record(&w->inputs, &d, bytes.at);
		}
	}
	buf_release(&bytes);
	return rc;
}

static int parse_inputs(struct line_reader *p, struct witness *w)
{
	if (w->inputs_name || w->inputs.records)
		return line_reject(p, "the inputs are given twice");
	w->inputs_name = line_take_string(p);
	if (!w->inputs_name || !w->inputs_name[0] || strchr(w->inputs_name, '/'))
		return line_reject(p, "'inputs' must be followed by the name of a file beside the "
				      "witness, in quotes");
	if (!line_take_text(p, " records ") ||
	    !line_take_number(p, (uint64_t)1 << 62, &w->inputs_records) ||
	    !line_take_text(p, " hash ") || !line_take_hash(p, &w->inputs_hash))
		return line_reject(p,
				   "the name of the file must be followed by 'records N hash H'");
	return 0;
}

static int parse_found(struct line_reader *p, struct witness *w)
{
	if (w->kind)
		return line_reject(p, "there is a second 'found' line");
	w->kind = line_take_word(p);
	if (!w->kind || !line_take_text(p, " "))
		return line_reject(p, "'found' must be followed by the kind of finding");
	w->message = line_take_string(p);
	return w->message
		       ? 0
		       : line_reject(p,
				     "the kind of finding must be followed by a message in quotes");
}

/* The two accesses, by their events. */
static int parse_race(struct line_reader *p, struct witness *w)
{
	if (witness_has_race(w))
		return line_reject(p, "there is a second 'race' line");
	if (!line_take_number(p, (uint64_t)1 << 62, &w->race[0]) || !line_take_text(p, " ") ||
	    !line_take_number(p, (uint64_t)1 << 62, &w->race[1]) || w->race[0] >= w->race[1])
		return line_reject(p, "'race' must be followed by the numbers of two events, the "
				      "earlier one first");
	return 0;
}

/* One name of a table, as its index. */
static int parse_name(struct line_reader *p, const char *const *names, const char *keyword)
{
	char *word = line_take_word(p);
	int index = word ? name_index(names, word, strlen(word)) : -1;
	mem_free(word);
	if (index >= 0)
		return index;
	struct buf what = { 0 };
	buf_printf(&what, "'%s' must be followed by ", keyword);
	name_list(names, &what);
	int rc = line_reject(p, what.at);
	buf_release(&what);
	return rc;
}

/* A line with a setting of the execution.  1: it is another kind of line. */
static int parse_setting(struct line_reader *p, struct witness *w)
{
	if (line_take_text(p, "steps "))
		return line_take_number(p, (uint64_t)1 << 62, &w->step_limit)
			       ? 0
			       : line_reject(p, "'steps' must be followed by a number");
	if (line_take_text(p, "branches full")) {
		w->has_branches = true;
		return 0;
	}
	if (line_take_text(p, "memory ")) {
		int rc = parse_name(p, memory_names, "memory");
		w->memory = rc < 0 ? MEMORY_SC : (enum wire_memory)rc;
		return rc < 0 ? rc : 0;
	}
	if (line_take_text(p, "heap ")) {
		int rc = parse_name(p, heap_names, "heap");
		w->heap = rc < 0 ? HEAP_FRESH : (enum wire_heap)rc;
		return rc < 0 ? rc : 0;
	}
	if (line_take_text(p, "spurious "))
		return line_take_number(p, SPURIOUS_MAX, &w->spurious_wakeups)
			       ? 0
			       : line_reject(p, "'spurious' must be followed by a number");
	if (line_take_text(p, "signals "))
		return line_take_hash(p, &w->divided.signals)
			       ? 0
			       : line_reject(p, "'signals' must be followed by threads");
	if (line_take_text(p, "cancels "))
		return line_take_hash(p, &w->divided.cancels)
			       ? 0
			       : line_reject(p, "'cancels' must be followed by threads");
	if (line_take_text(p, "exposed "))
		return line_take_hash(p, &w->divided.exposed)
			       ? 0
			       : line_reject(p, "'exposed' must be followed by words of stacks");
	if (line_take_text(p, "divided "))
		return w->divided.count < WIRE_DIVIDED_MAX &&
				       line_take_hash(p, &w->divided.places[w->divided.count])
			       ? (w->divided.count++, 0)
			       : line_reject(p,
					     "'divided' must be followed by an address, at most 64 "
					     "times");
	if (line_take_text(p, "stores awaited")) {
		w->waits_for_stores = true;
		return 0;
	}
	if (line_take_text(p, "awaits told")) {
		w->awaits = true;
		return 0;
	}
	return 1;
}

/* One line after the header.  *is_last becomes true for the end line. */
static int parse_line(struct line_reader *p, struct witness *w, bool *is_last)
{
	if (line_take_text(p, "run "))
		return parse_segment(p, w);
	if (line_take_text(p, "choice "))
		return parse_choice(p, w);
	if (line_take_text(p, "input "))
		return parse_input(p, w, EV_INPUT);
	if (line_take_text(p, "io-wait "))
		return parse_input(p, w, EV_IO_WAIT);
	if (line_take_text(p, "io-time "))
		return parse_input(p, w, EV_IO_TIME);
	if (line_take_text(p, "inputs "))
		return parse_inputs(p, w);
	if (line_take_text(p, "arg ")) {
		char *arg = line_take_string(p);
		if (!arg)
			return line_reject(p, "'arg' must be followed by text in quotes");
		vec_push(&w->args, arg);
		return 0;
	}
	if (line_take_text(p, "env ")) {
		char *variable = line_take_string(p);
		if (!variable)
			return line_reject(p, "'env' must be followed by text in quotes");
		vec_push(&w->environment, variable);
		return 0;
	}
	if (!w->name && line_take_text(p, "name ")) {
		w->name = line_take_string(p);
		return w->name ? 0 : line_reject(p, "'name' must be followed by text in quotes");
	}
	if (line_take_text(p, "found "))
		return parse_found(p, w);
	if (line_take_text(p, "race "))
		return parse_race(p, w);
	int rc = parse_setting(p, w);
	if (rc <= 0)
		return rc;
	if (line_take_text(p, "end events ")) {
		*is_last = true;
		if (!line_take_number(p, (uint64_t)1 << 62, &w->events) ||
		    !line_take_text(p, " hash ") || !line_take_hash(p, &w->hash))
			return line_reject(p, "the end line has the form 'end events N hash H'");
		return 0;
	}
	return line_reject(p, "this line is not part of a witness");
}

static int parse_header(struct line_reader *p, struct witness *w)
{
	uint64_t version;
	if (!line_next(p) || !line_take_text(p, MAGIC) ||
	    !line_take_number(p, UINT32_MAX, &version) || p->at != p->end)
		return line_reject(
			p, "this is not a witness: the first line must be 'heddle-witness 1'");
	if (version != WITNESS_VERSION)
		return err_set(p->err, ERR_VERSION,
			       "%s is a witness of version %llu; this heddle reads version %d",
			       p->name, (unsigned long long)version, WITNESS_VERSION);
	if (!line_next(p) || !line_take_text(p, "program ") ||
	    !(w->program = line_take_string(p)) || p->at != p->end)
		return line_reject(p, "the second line must be 'program' and a path in quotes");
	if (!line_next(p) || !line_take_text(p, "build-id ") ||
	    !(w->build_id = line_take_word(p)) || p->at != p->end)
		return line_reject(
			p, "the third line must be 'build-id' and hexadecimal digits, or 'none'");
	if (!strcmp(w->build_id, "none"))
		w->build_id[0] = 0;
	return 0;
}

int witness_parse(struct witness *w, const char *name, const char *text, size_t len,
		  struct err *err)
{
	struct line_reader p = { .name = name, .rest = text, .stop = text + len, .err = err };
	int rc = parse_header(&p, w);
	bool is_last = false;
	while (!rc && !is_last && line_next(&p)) {
		rc = parse_line(&p, w, &is_last);
		if (!rc && p.at != p.end)
			rc = line_reject(&p, "there is something left at the end of the line");
	}
	if (!rc && !is_last)
		rc = line_reject(&p,
				 "the witness is cut off: there is no 'end' line after this one");
	if (!rc && p.rest != p.stop)
		rc = line_next(&p) ? line_reject(&p, "there is text after the end line") : 0;
	if (!rc && (!w->segments.len || vec_last(&w->segments).hooks != WITNESS_TO_END))
		rc = line_reject(&p, "the last segment must run to the end");
	if (!rc && w->race[1] && w->race[1] >= w->events)
		rc = line_reject(&p, "the events of the race are not among those of the witness");
	return rc;
}

bool witness_is(const char *text, size_t len)
{
	return len >= strlen(MAGIC) && !memcmp(text, MAGIC, strlen(MAGIC));
}
