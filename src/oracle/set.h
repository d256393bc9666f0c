/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of operations that an execution may have done: for each thread a number of its first operations,
 * closed under what an execution that does them must also have done: causes, and the writes that frozen reads
 * saw.  Private to src/oracle.
 */
#ifndef HEDDLE_ORACLE_SET_H
#define HEDDLE_ORACLE_SET_H

#include "oracle/question.h"

/* A read that may see any write of one value, and which one it is to see. */
struct op_choice {
	op_id read;
	uint32_t variable;
	op_id write;
};

struct op_set {
	const struct history *h;
	const struct question *q;
	VEC(struct op_choice) choices;	/* that have been made */
	uint32_t *done;		/* by thread: how many operations are in the set */
	uint32_t *wanted;	/* how many must be, not yet closed under causes */
	uint32_t *
		ceiling; /* how many can be at most: pending operations, reads that must see something else */
	uint32_t *reached; /* what the thread got to, done or pending: reads with a lower guard are frozen */
	struct { VEC(op_id) open; } *unfrozen;	/* reads that are in the set and not frozen */
	bool is_optional;	/* what cannot be had is left out, instead of making the set impossible */
	/* reads for which no choice was made may see any write of their value; otherwise what they saw */
	bool has_choice;
	bool is_cut_off;	/* largest: it has more than the limit, or it should stop */
	bool has_twins;		/* there was such a read, frozen */
};

/*
 * The smallest set that contains what the question asks for, not closed yet.  False if it asks for what
 * cannot be.
 */
bool op_set_init(struct op_set *s, const struct history *h, const struct question *q);
void op_set_release(struct op_set *s);
/* False if the operation cannot be in the set. */
bool op_set_want(struct op_set *s, op_id op);
/* Close it; false if that is impossible. */
bool op_set_close(struct op_set *s);
/* How many operations it has. */
uint64_t op_set_size(const struct op_set *s);

static inline bool op_set_has(const struct op_set *s, op_id op)
{
	return s->h->ops.at[op].own < s->done[s->h->ops.at[op].thread];
}

/* The guard of an operation's reads, as far as the question does not loosen it. */
uint32_t question_guard(const struct question *q, const struct history *h, op_id op);
const struct question_sight *question_sight(const struct question *q, op_id read, uint32_t variable);
/* Whether a read of the set must see one certain write, and which. */
bool op_set_is_bound(const struct op_set *s, const struct op_access *a, op_id *write);
/* Whether it must see a certain value, of which several writes may be the source, and none has been
 * chosen. */
bool op_set_may_choose(const struct op_set *s, const struct op_access *a);
/*
 * The smallest set that contains what a question asks for, and the largest that can be of use; set.c says why
 * it is.
 */
bool op_set_smallest(struct op_set *s, const struct history *h, const struct question *q);
bool op_set_largest(struct op_set *s, const struct history *h, const struct question *q, uint64_t limit);

#endif
