/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps on ranges of numbers: a range is marked with a stamp, and the latest stamp of a number
 * can be read.  Used for lifetimes of memory: blocks of heap, reused addresses, unknown content.
 * The zero state has no marks.
 *
 * Marking takes at most about 120 steps and reading about 60, whatever the ranges are.
 */
#ifndef HEDDLE_TRACE_RANGE_STAMPS_H
#define HEDDLE_TRACE_RANGE_STAMPS_H

#include <stdint.h>

#include "base/vec.h"

struct range_stamps {
	VEC(struct range_stamps_node {
		uint64_t stamp;	   /* of the whole range below; 0: none */
		uint32_t child[2]; /* 0: none */
	})
	nodes;		 /* the root is the first */
	uint64_t latest; /* stamp given last */
};

/* Mark first to last, both included; stamps must ascend from 1. */
void range_stamps_mark(struct range_stamps *l, uint64_t first, uint64_t last, uint64_t stamp);
/* The latest stamp of a number, 0 if it has none. */
uint64_t range_stamps_get(const struct range_stamps *l, uint64_t number);
void range_stamps_release(struct range_stamps *l);

#endif
