/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preemption points: classes of places in front of which the explorer may change threads (Blum,
 * definition 2).  The classes of synchronisation have fixed numbers; each racing instruction gets
 * one when it is first seen.  A state space is named by a set of points.
 */
#ifndef HEDDLE_POINTS_H
#define HEDDLE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

typedef uint32_t point_id;

enum {
	POINT_FORCED, /* where a thread cannot go on or yields: always in a set */
	POINT_LOCK,   /* in front of an acquisition */
	POINT_UNLOCK, /* behind a release */
	/* at every other synchronisation, atomic accesses, heap functions and output included */
	POINT_SYNC,
	POINT_FIRST_RACE, /* instructions have numbers from here */
};

/* How urgent it is to explore a point, the most urgent first. */
enum point_rank {
	RANK_MINIMAL,
	RANK_BOTH_ORDERS,
	RANK_ONE_ORDER,
	RANK_LOCK,
	RANK_UNLOCK,
	RANK_SYNC
};

struct point {
	uint64_t pc;		      /* of a racing instruction; 0: a class of synchronisation */
	bool seen_first, seen_second; /* as the earlier, as the later access of a pair */
	bool is_recycled;	      /* only between different lives of a heap block so far */
};

struct points {
	VEC(struct point) all;
	struct map of_pc;
};

void points_init(struct points *p);
void points_release(struct points *p);
/* The point of an instruction, new if it had none; a recycled one becomes a real one when it is
 * seen without that. */
point_id points_add(struct points *p, uint64_t pc, bool is_earlier, bool is_recycled, bool *is_new);
/* POINT_FORCED if the instruction has none. */
point_id points_find(const struct points *p, uint64_t pc);
enum point_rank points_rank(const struct points *p, point_id id);

struct point_set {
	VEC(uint64_t) words;
};

void point_set_add(struct point_set *s, point_id id);
void point_set_copy(struct point_set *to, const struct point_set *from);
void point_set_release(struct point_set *s);
bool point_set_has(const struct point_set *s, point_id id);
/* equal ones too */
bool point_set_within(const struct point_set *small, const struct point_set *large);
bool point_set_equal(const struct point_set *a, const struct point_set *b);
size_t point_set_count(const struct point_set *s);

#endif
