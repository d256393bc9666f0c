/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When pieces of a large range last began a new life: a range of numbers is marked with a stamp, and the
 * latest stamp of one number is asked for.  What blocks of heap, reused addresses and unknown content need.
 * The zero state has no marks.
 *
 * Marking and asking cost at most about 120 and 60 steps, whatever the ranges are: marks are never moved or
 * searched.
 */
#ifndef HEDDLE_TRACE_LIVES_H
#define HEDDLE_TRACE_LIVES_H

#include <stdint.h>

#include "base/vec.h"

struct lives {
	VEC(struct lives_node {
		uint64_t stamp;		/* of the whole range below; 0: none */
		uint32_t child[2];	/* 0: none */
	}) nodes;			/* the root is the first */
	uint64_t latest;		/* stamp given last */
};

/* Mark first to last, both included; stamps must ascend from 1. */
void lives_mark(struct lives *l, uint64_t first, uint64_t last, uint64_t stamp);
/* The latest stamp of a number, 0 if it has none. */
uint64_t lives_stamp(const struct lives *l, uint64_t number);
void lives_release(struct lives *l);

#endif
