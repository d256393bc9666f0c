/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of operations of an execution: for each thread a prefix of its operations.  They are
 * closed under causes and the sources of frozen reads.  Private to src/oracle.
 */
#ifndef HEDDLE_ORACLE_SET_H
#define HEDDLE_ORACLE_SET_H

#include "oracle/question.h"

/* The source chosen for a read that may see any write of one value. */
struct op_choice {
	op_id read;
	uint32_t variable;
	op_id write;
};

struct op_set {
	const struct history *h;
	const struct question *q;
	VEC(struct op_choice) choices; /* made so far */
	uint32_t *done;		       /* by thread: number of operations in the set */
	uint32_t *wanted;	       /* by thread: number that must be in it; not closed yet */
	/*
	 * by thread: largest possible number, because of pending operations and reads that must
	 * see another value
	 */
	uint32_t *ceiling;
	/* by thread: position reached, done or pending; lower guards are frozen */
	uint32_t *reached;
	struct {
		VEC(op_id) open;
	} * unfrozen; /* reads in the set that are not frozen */
	/* operations beyond the ceiling are left out, and are no contradiction */
	bool is_optional;
	/*
	 * reads without a choice may see any write of their value; otherwise they see the write
	 * that they saw
	 */
	bool has_choice;
	bool is_cut_off; /* op_set_largest: it exceeds the limit, or a stop is requested */
	bool has_twins;	 /* a frozen read may see several writes, and no choice was made */
};

/*
 * The smallest set that contains the operations of the question, not closed yet.  False if the
 * question contradicts itself.
 */
bool op_set_init(struct op_set *s, const struct history *h, const struct question *q);
void op_set_release(struct op_set *s);
/* False if the operation cannot be in the set. */
bool op_set_want(struct op_set *s, op_id op);
/* Close the set; false if that is impossible. */
bool op_set_close(struct op_set *s);
/* Number of operations. */
uint64_t op_set_size(const struct op_set *s);

static inline bool op_set_has(const struct op_set *s, op_id op)
{
	return s->h->ops.at[op].own < s->done[s->h->ops.at[op].thread];
}

/* The guard of an operation's reads; GUARD_NEVER for loose reads of the question. */
uint32_t question_guard(const struct question *q, const struct history *h, op_id op);
const struct question_sight *question_sight(const struct question *q, op_id read,
					    uint32_t variable);
/* Whether a read of the set must see one specific write, and which. */
bool op_set_is_bound(const struct op_set *s, const struct op_access *a, op_id *write);
/* Whether it must see a value with several possible sources, and none was chosen. */
bool op_set_may_choose(const struct op_set *s, const struct op_access *a);
/*
 * The smallest closed set that contains the operations of a question, and the largest one that
 * can be useful (see set.c).
 */
bool op_set_smallest(struct op_set *s, const struct history *h, const struct question *q);
bool op_set_largest(struct op_set *s, const struct history *h, const struct question *q,
		    uint64_t limit);

#endif
