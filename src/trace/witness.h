/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Witnesses: everything that is needed to repeat one schedule, and to verify that it was repeated.
 * doc/WITNESS.md describes the file.
 *
 * A witness is filled either event by event while a program runs, or by the parser.  It has the
 * program, its arguments and the schedule as segments: a thread and the number of raw hooks that
 * it passes before another thread runs.  Each segment has the hash of all events up to its end,
 * so that a divergence is detected in the segment where it begins, without the trace.
 */
#ifndef HEDDLE_WITNESS_H
#define HEDDLE_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/accesses.h"
#include "trace/event.h"
#include "trace/inputs.h"
#include "trace/trace.h"

#define WITNESS_VERSION 1
#define WITNESS_TO_END UINT64_MAX /* hooks of a segment that no switch ended */

struct witness_segment {
	uint64_t hooks;
	uint64_t events; /* in all segments up to the end of this one */
	uint64_t hash;	 /* of all of them */
	uint32_t place;	 /* of the last event: offset in the pool `places` */
	thr_id thread;
	thr_id buffer;	   /* of a flush: the thread whose store reaches memory */
	uint8_t store;	   /* of a flush: position of the store in its buffer */
	uint8_t why;	   /* enum switch_why: what ended it */
	uint8_t last_kind; /* kind of the last event, 0 if there is none */
};

static inline bool witness_is_flush(const struct witness_segment *s)
{
	return s->why == SWITCH_FLUSH || s->why == SWITCH_BLOCK_FLUSH;
}

struct witness_choice {
	uint32_t chosen, out_of;
};

struct witness {
	char *program; /* path */
	char *build_id;
	char *name;		 /* argv[0], if it is not the path */
	VEC(char *) args;	 /* without the program's name */
	VEC(char *) environment; /* "NAME=VALUE" */
	char *kind;		 /* what was found; NULL: nothing */
	char *message;
	/* events of the two accesses of a race; both 0: there is no race */
	uint64_t race[2];
	uint64_t step_limit; /* 0: none */
	bool has_branches;   /* every branch is an event */
	enum wire_memory memory;
	enum wire_heap heap;
	uint64_t spurious_wakeups; /* of each thread */
	/* copies that are made word by word, by canonical addresses */
	struct wire_divided divided;
	bool awaits;	       /* there are events of threads that spin */
	bool waits_for_stores; /* threads waited for their own stores to reach memory */
	VEC(struct witness_segment) segments;
	VEC(struct witness_choice) choices;
	struct inputs inputs;
	/* file next to the witness that has them; NULL: they are in the witness */
	char *inputs_name;
	uint64_t inputs_records, inputs_hash; /* expected in that file */
	uint64_t events;
	uint64_t hash;

	/* Private. */
	struct buf places;
	struct map place_of_loc;
	uint64_t segment_start; /* raw hooks */
	thr_id running;
	loc_id last_loc;
	uint8_t last_kind;
};

void witness_init(struct witness *w);
void witness_release(struct witness *w);

/*
 * Hash of one event: every field except the two indices.  Locations and stacks are represented by
 * their ids, which are assigned in order of first use and thus equal in equal runs.  Each field
 * is multiplied by a key of its own, so that equal changes in two fields do not cancel out.  The
 * multiplications are independent, so the processor can overlap them: this runs for every event.
 * See doc/WITNESS.md.
 */
static inline uint64_t witness_hash_fields(uint64_t head, uint64_t place, uint64_t obj,
					   uint64_t size, uint64_t a, uint64_t b)
{
	return head * 0xa0761d6478bd642full ^ place * 0xe7037ed1a0b428dbull ^
	       obj * 0x8ebc6af09c88c6e3ull ^ size * 0x589965cc75374cc3ull ^
	       a * 0x1d8e4e27c47d124full ^ b * 0xeb44accab455d165ull;
}

static inline uint64_t witness_event_hash(const struct event *e)
{
	uint64_t head = (uint64_t)e->thread << 32 | (uint64_t)e->flags << 16 |
			(uint64_t)e->mode << 8 | e->kind;
	uint64_t place = (uint64_t)e->loc << 32 | e->stack;
	uint64_t h = witness_hash_fields(head, place, e->obj, e->size, e->a, e->b);
	return e->data_len ? hash_bytes(h, e->data, e->data_len) : h;
}

/* Add the next event.  The tables give the place where a segment ends. */
void witness_end_segment(struct witness *w, const struct event *next, const struct trace_tables *t);
void witness_add_choice(struct witness *w, const struct event *e);
static inline void witness_add(struct witness *w, const struct event *e,
			       const struct trace_tables *t)
{
	if (e->kind == EV_SWITCH || e->kind == EV_FLUSH_TURN)
		witness_end_segment(w, e, t);
	else if (e->kind == EV_CHOICE)
		witness_add_choice(w, e);
	else if (e->kind == EV_AWAIT)
		w->awaits = true;
	else if (inputs_has(e->kind))
		inputs_add(&w->inputs, e);
	w->hash = hash_mix(w->hash, witness_event_hash(e));
	w->last_loc = e->loc;
	w->last_kind = e->kind;
	w->events++;
}
/* Add a chunk of accesses.  Its bytes are hashed, which are equal in equal runs. */
static inline void witness_add_chunk(struct witness *w, const struct access_chunk *c)
{
	w->hash = hash_bytes(hash_mix(w->hash, c->accesses), c->bytes, c->len);
	if (c->accesses) {
		w->last_loc = c->last_loc;
		w->last_kind = c->last_kind;
	}
	w->events += c->accesses;
}
/* The run is over: close the last segment. */
void witness_finish(struct witness *w, const struct trace_tables *t);

static inline bool witness_has_race(const struct witness *w)
{
	return w->race[1] > 0;
}

/* The text after "last" in the file: the place of a segment's last event; "" if unknown. */
const char *witness_place(const struct witness *w, const struct witness_segment *s);

/* The schedule in the form that the runtime needs; the caller releases it. */
struct witness_schedule {
	VEC(struct wire_step) steps;
	VEC(uint32_t) choices;
};
void witness_schedule(const struct witness *w, struct witness_schedule *out);
void witness_schedule_release(struct witness_schedule *s);

/* More bytes of inputs than this go to a separate file. */
#define WITNESS_INPUTS_INSIDE 16384
/* The inputs are in the text unless inputs_name is set. */
void witness_print(const struct witness *w, struct buf *out);
/*
 * Write the file, and a file of inputs next to it if there are many.  Otherwise the file of
 * inputs of an earlier witness of that name is removed.  Errors: ERR_IO.
 */
int witness_save(struct witness *w, const char *path, struct err *err);
/* Remove it, with its inputs. */
void witness_remove(const char *path);
/* Read both.  Errors: ERR_IO and those of witness_parse. */
int witness_load(struct witness *w, const char *path, struct err *err);
/* Errors: ERR_FORMAT with name and line, ERR_VERSION. */
int witness_parse(struct witness *w, const char *name, const char *text, size_t len,
		  struct err *err);
/* Whether a file with these first bytes is a witness. */
bool witness_is(const char *text, size_t len);

#endif
