/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders that hold in every execution (must.c says which).  Operations are passed in the order of
 * the trace; then clock[t] is how many operations of thread t must precede the current one.  An
 * operation that is about to happen needs what its predecessor in the thread needs, and the reads
 * that are frozen there.
 */
#ifndef HEDDLE_PREDICT_MUST_H
#define HEDDLE_PREDICT_MUST_H

#include "oracle/history.h"

#define MUST_RECENT 8 /* points of a run that are kept */

/* A write, or a section of a lock that is over, with what must precede its end. */
struct must_point {
	uint32_t own; /* position of the write, or of the acquire */
	bool is_shared;
	uint64_t value; /* that was written */
	uint32_t *clock;
};

/* The last points of one thread at one variable or lock. */
struct must_recent {
	struct must_point points[MUST_RECENT]; /* the n-th is at n % MUST_RECENT */
	uint64_t count;
	uint32_t forgotten; /* points at positions below this one are not kept any more */
};

struct must {
	const struct history *h;
	uint32_t **clock;    /* by thread, from its first operation to its last; else NULL */
	uint32_t *nothing;   /* the clock before the first */
	uint32_t ended;	     /* a thread that has made its last operation; NO_THREAD */
	uint32_t **written;  /* by variable: of its last write; NULL: none */
	uint32_t **snapshot; /* by operation: of causes, until their last effect */
	uint32_t *effects;   /* by operation: those that are still to come */
	struct must_recent **recent; /* by run of the history; NULL: none yet */
	uint32_t *common; /* scratch: what all writes that a read may see have in common */
	struct must_thread {
		VEC(struct must_debt {
			uint32_t guard;
			uint32_t *clock;
		})
		debts;
		VEC(op_id) held; /* acquires of sections that are open */
		uint32_t made;	 /* operations */
		/* its clock, or what it holds, since sections were looked at */
		bool has_grown;
	} * threads;
};

void must_init(struct must *m, const struct history *h);
const uint32_t *must_step(struct must *m, op_id op);
/* The clock of a thread that has operations left; valid until its next one. */
static inline const uint32_t *must_clock(const struct must *m, uint32_t thread)
{
	return m->clock[thread] ? m->clock[thread] : m->nothing;
}
void must_release(struct must *m);

#endif
