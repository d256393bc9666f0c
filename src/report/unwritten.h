/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of heap bytes that were not written since their block was allocated, found in the
 * events of one execution.  Blocks that are allocated with defined content (EVF_ZERO: calloc, and
 * large blocks) have none.
 *
 * That such bytes are read is no error yet: a copy of a structure reads its padding.
 */
#ifndef HEDDLE_REPORT_UNWRITTEN_H
#define HEDDLE_REPORT_UNWRITTEN_H

#include "report/scene.h"

#define UNWRITTEN_READS 64  /* that are kept */
#define UNWRITTEN_RANGES 16 /* of one of them */

struct unwritten_range {
	uint64_t from, to; /* from the first unwritten byte to behind the last one */
};

/* All reads of one block by one instruction. */
struct unwritten_read {
	struct event event; /* the first of them; its data is not kept */
	struct scene_block block;
	struct unwritten_range all;
	struct unwritten_range ranges[UNWRITTEN_RANGES]; /* the first ones, each once */
	size_t count;					 /* of ranges */
	bool has_more;
};

/* The zero state knows no block. */
struct unwritten {
	struct map pages;     /* number of a page -> index plus one in maps */
	VEC(uint64_t *) maps; /* a bit for each byte of a page: it has not been written */
	VEC(struct unwritten_read) reads;
	struct map read_of; /* place and block -> index plus one in reads */
};

/* The scene has followed the run up to the event, without it. */
void unwritten_follow(struct unwritten *u, const struct event *e, const struct scene *scene);
void unwritten_clear(struct unwritten *u); /* the run begins again */
void unwritten_release(struct unwritten *u);

#endif
