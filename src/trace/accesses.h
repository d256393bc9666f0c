/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading chunks of plain accesses (wire/accesses.h).  The reader follows the whole run: it is given the
 * definitions of sites, every event that is not in a chunk, and the chunks, all in order.
 *
 * The bytes may be anything: every id is looked up, every length checked, and what does not fit is a flaw.
 */
#ifndef HEDDLE_TRACE_ACCESSES_H
#define HEDDLE_TRACE_ACCESSES_H

#include "trace/event.h"
#include "trace/memory.h"
#include "wire/accesses.h"

/* Where accesses or branches happen: a place, and what they are like there. */
struct trace_site {
	loc_id loc;
	uint8_t kind;	/* EV_READ, EV_WRITE or EV_BRANCH */
	uint8_t size;	/* 1, 2, 4 or 8; of a branch 0 */
};

/* Accesses of one thread that follow each other, in compact form. */
struct access_chunk {
	const void *bytes;
	size_t len;
	uint64_t accesses;	/* how many */
	loc_id last_loc;	/* of the last one: place */
	uint8_t last_kind;	/* and kind */
};

struct access_reader {
	VEC(struct access_reader_site {
		struct access_site model;
		struct trace_site is;
	}) sites;
	VEC(struct access_reader_thread {
		struct access_thread seen;
		uint32_t site;
		stack_id stack;
	}) threads;
	thr_id thread;		/* running */
	struct memory_image image;
	/* The current chunk. */
	const uint8_t *at, *end;
	uint64_t left;		/* accesses still to come */
	uint64_t run;		/* of them, as expected */
};

struct access_reader *access_reader_new(void);
void access_reader_free(struct access_reader *r);
const char *site_flaw(const struct trace_site *s, uint32_t locations);	/* a clause, or NULL */
void access_reader_site(struct access_reader *r, const struct trace_site *s);
void access_reader_follow(struct access_reader *r, const struct event *e);
/* Begin a chunk of the running thread; the bytes must stay.  stacks: how many ids of call stacks are in
 * use. */
const char *access_reader_begin(struct access_reader *r, const void *bytes, size_t len, uint64_t accesses,
				uint32_t stacks);
/*
 * The next access: every field but the indices; only while left is not 0.  Gives what is wrong, as a clause,
 * or NULL.  The last one must have used up all bytes.
 */
const char *access_reader_next(struct access_reader *r, uint32_t stacks, struct event *e);
/* Up to max of them; how many, and *flaw if the next one is wrong. */
size_t access_reader_take(struct access_reader *r, uint32_t stacks, struct event *events, size_t max,
			  const char **flaw);

#endif
