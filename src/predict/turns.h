/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans of an execution in terms of the events of a trace, and running them (wire/explore.h has
 * the words). Private to src/predict.
 */
#ifndef HEDDLE_PREDICT_TURNS_H
#define HEDDLE_PREDICT_TURNS_H

#include "predict/confirm.h"

#define STEP_UNKNOWN UINT64_MAX

/* A plan that is being made. */
struct turns {
	VEC(struct wire_turn) list;
	VEC(uint64_t) last; /* by thread: the step of its last turn */
};

void turns_release(struct turns *t);
/* A thread that waits in a step needs another turn to continue in it. */
void turns_add(struct turns *t, uint32_t thread, uint64_t step, bool goes_on);
/* The turn or turns in which a thread makes an event that it makes in this step. */
void turns_add_event(const struct confirmer *c, struct turns *t, const struct index_event *e,
		     uint64_t step);
/* Learn the steps of events from a run of another order; false if there is nothing new. */
bool turns_learn(struct confirmer *c, const struct execution *run);
struct plan turns_plan(const struct wire_turn *turns, size_t count, const uint32_t *choices,
		       size_t choices_count);
/*
 * Run a plan.  A thread that sleeps on its way needs a turn of its own to wake up, which the
 * events of the trace do not show; where the plan ends for that reason it gets one.
 */
int turns_run(struct confirmer *c, struct turns *turns, const uint32_t *choices,
	      size_t choices_count, struct execution *run, struct err *err);

/* By event: the operation of a run that it is, NULL if the run does not list it; the caller
 * frees it. */
const struct wire_op **turns_match(const struct confirmer *c, const struct execution *run);
/* Whether an operation of the program is this event of its thread. */
bool turns_is_same(const struct wire_op *op, const struct index_event *e);

/*
 * Signals wake the first thread in a queue, unless a choice names another one; there is a choice
 * if several wait.
 */
struct waiting {
	uint64_t object;
	uint32_t thread;
};

struct queues {
	VEC(struct waiting) list; /* in the order in which they began to wait */
	VEC(uint32_t) choices;	  /* of signals */
};

/* The next event of a plan. */
void queues_follow(const struct confirmer *c, struct queues *q, ev_id id);
void queues_release(struct queues *q);

#endif
