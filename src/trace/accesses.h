/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading chunks of plain accesses (wire/accesses.h).  The reader needs the whole run: the
 * definitions of sites, every event outside of chunks, and the chunks, all in order.
 *
 * The bytes are untrusted: every id and length is checked, and any violation is reported as a flaw.
 */
#ifndef HEDDLE_TRACE_ACCESSES_H
#define HEDDLE_TRACE_ACCESSES_H

#include "trace/event.h"
#include "trace/memory.h"
#include "wire/accesses.h"

/* A place in the code with accesses or branches, and their common properties. */
struct trace_site {
	loc_id loc;
	uint8_t kind; /* EV_READ, EV_WRITE or EV_BRANCH */
	uint8_t size; /* 1, 2, 4 or 8; of a branch 0 */
};

/* Consecutive accesses of one thread, in compact form. */
struct access_chunk {
	const void *bytes;
	size_t len;
	uint64_t accesses; /* their number */
	loc_id last_loc;   /* location of the last access */
	uint8_t last_kind; /* kind of the last access */
};

struct access_reader {
	VEC(struct access_reader_site {
		struct access_site model;
		struct trace_site is;
	})
	sites;
	VEC(struct access_reader_thread {
		struct access_thread seen;
		uint32_t site;
		stack_id stack;
	})
	threads;
	thr_id thread; /* running */
	struct memory_image image;
	/* The current chunk. */
	const uint8_t *at, *end;
	uint64_t left; /* accesses still to come */
	uint64_t run;  /* those of them that are exactly as predicted */
};

struct access_reader *access_reader_new(void);
void access_reader_free(struct access_reader *r);
const char *site_flaw(const struct trace_site *s, uint32_t locations); /* a clause, or NULL */
void access_reader_site(struct access_reader *r, const struct trace_site *s);
void access_reader_follow(struct access_reader *r, const struct event *e);
/*
 * Begin a chunk of the running thread; the bytes must stay valid.  stacks: number of call stack
 * ids in use.
 */
const char *access_reader_begin(struct access_reader *r, const void *bytes, size_t len,
				uint64_t accesses, uint32_t stacks);
/*
 * The next access: every field except the indices.  Call it only while left is not 0.  Returns
 * NULL, or the flaw as a clause.  After the last access no bytes may be left.
 */
const char *access_reader_next(struct access_reader *r, uint32_t stacks, struct event *e);
/* Read up to max accesses and return their number; *flaw is set if the next one is malformed. */
size_t access_reader_take(struct access_reader *r, uint32_t stacks, struct event *events,
			  size_t max, const char **flaw);

#endif
