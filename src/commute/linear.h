/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a history is linearizable (Herlihy, Wing: "Linearizability: a correctness condition for
 * concurrent objects", TOPLAS 1990): whether the calls of an object can be put into an order that
 * gives their results in the sequential model, and in which a call that returned before another one
 * began comes first.  A pending call may have taken effect or not.  Objects are looked at one by
 * one: a history is linearizable if its part for each object is.
 */
#ifndef HEDDLE_COMMUTE_LINEAR_H
#define HEDDLE_COMMUTE_LINEAR_H

#include "commute/call_history.h"
#include "commute/model.h"

enum linear_end {
	LINEAR_YES,
	LINEAR_NO,
	LINEAR_UNKNOWN, /* more states would have to be looked at, or the model has no room */
};

struct linear {
	enum linear_end end;
	/* numbers of calls: an order of all that took effect; if there is none, the longest one
	 * that was found, after which no call gives its results */
	VEC(uint32_t) order;
	struct model_state state; /* after it */
	uint64_t states;	  /* that were looked at */
};

/* Of one instance, as far as the first `moments` of the history.  `limit`: of states. */
void linear_check(const struct call_history *h, uint32_t instance, uint32_t moments, uint64_t limit,
		  struct linear *out);
/* The length of the shortest beginning of the history that is not linearizable, of one that is not.
 */
uint32_t linear_shortest(const struct call_history *h, uint32_t instance, uint64_t limit);
void linear_release(struct linear *l);

#endif
