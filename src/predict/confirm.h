/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Confirming predictions: the witness is run in the real program, up to the operations that are about to
 * happen, and then these.
 *
 * The program counts hooks, a witness names events of the trace.  So the recorded schedule is run once, which
 * gives the step of every operation (wire/explore.h); a witness is a plan then, whose turns are these steps
 * in the new order.  A thread that waits where it did not, or that gets a signal earlier, may pass another
 * number of hooks on its way; then the run itself tells the steps, and the plan is made again.
 */
#ifndef HEDDLE_PREDICT_CONFIRM_H
#define HEDDLE_PREDICT_CONFIRM_H

#include "base/map.h"
#include "exec/worker.h"
#include "predict/predict.h"

struct confirmer {
	struct worker worker;
	const struct trace_index *x;
	uint64_t *recorded_of;	/* by event: its step in the recorded run */
	uint64_t *step_of;	/* and in the run of the claim that is being tried, as far as is known */
	VEC(uint32_t) choices;		/* of the recorded run */
	struct map woken;		/* signal to the thread that it woke */
	bool spins;			/* threads that spin are not held back in the run that comes next */
	char why[256]; /* the recorded schedule could not be run: no claim can be confirmed; "" if it could */
};

struct confirmation {
	bool is_confirmed;
	char why[256];		/* not confirmed: the reason, as a clause */
	uint32_t failure;	/* the execution ended with it (failure.def); 0: it did not fail */
	uint64_t failure_object, failure_detail;
	/* Confirmed: the plan of the execution that showed it; empty if that one cannot be made again. */
	VEC(struct wire_turn) turns;
	VEC(uint32_t) choices;
	bool spins;
};

/* Errors: those of reading the trace and of starting the program. */
int confirmer_start(struct confirmer *c, const struct worker_config *config, const char *trace,
		    const struct trace_index *x, struct err *err);
/* is_proved: its witness was accepted, so more is tried before it is given up. */
int confirmer_try(struct confirmer *c, const struct history *h, const struct claim *claim, bool is_proved,
		  struct confirmation *out, struct err *err);
void confirmer_release(struct confirmer *c);
/* The plan of a confirmation that has turns. */
struct plan confirmation_plan(const struct confirmation *c);
void confirmation_release(struct confirmation *c);

#endif
