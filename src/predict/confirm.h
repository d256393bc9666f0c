/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Confirming predictions: the witness is run in the real program, up to the operations that are
 * about to happen, and then these.
 *
 * The program counts hooks, a witness names events of the trace.  So the recorded schedule is run
 * once, which gives the step of every operation (wire/explore.h); a witness is a plan then, whose
 * turns are these steps in the new order.  A thread that waits where it did not, or that gets a
 * signal earlier, may pass another number of hooks on its way; then the run itself shows the
 * steps, and the plan is made again.
 */
#ifndef HEDDLE_PREDICT_CONFIRM_H
#define HEDDLE_PREDICT_CONFIRM_H

#include "base/map.h"
#include "exec/worker.h"
#include "predict/predict.h"

/* What comes of an interleaving, compared with both serial orders (serial.h). */
enum effect {
	EFFECT_UNKNOWN,
	EFFECT_NONE,	      /* nothing that a serial order does not do */
	EFFECT_LOST_UPDATE,   /* another content of the variable */
	EFFECT_FAILURE,	      /* a failure that no serial order has */
	EFFECT_OTHER_FAILURE, /* a failure that a serial order has, too */
};

#define SHOWN_OPS 200 /* of a witness that are kept for the report */

struct confirmer {
	struct worker worker;
	const struct trace_index *x;
	uint64_t *recorded_of; /* by event: its step in the recorded run */
	/* and in the run of the claim that is being tried, as far as is known */
	uint64_t *step_of;
	VEC(uint32_t) choices; /* of the recorded run */
	struct map woken;      /* signal to the thread that it woke */
	struct map created;    /* fork to the thread that it created */
	/* Threads are numbered in the order of their creation, which the run that is being tried
	 * may change. */
	uint32_t *number_of; /* by thread of the trace: in the run */
	uint32_t *thread_of; /* by thread of the run: in the trace */
	bool spins;	     /* threads that spin are not held back in the run that comes next */
	/* atomicity: the accesses after the witness are planned, too, and not left to chance */
	bool plans_rest;
	/* the recorded schedule could not be run: no claim can be confirmed; "" if it could */
	char why[256];
};

/* What a run made of an operation of the trace. */
struct shown_op {
	op_id op;
	bool has_value;
	uint64_t value; /* that it read, or left (struct wire_op) */
};

struct confirmation {
	bool is_confirmed;
	char why[256]; /* not confirmed: the reason, as a clause */
	/* the execution ended with it (finding.def); 0: it did not fail */
	uint32_t failure;
	uint64_t failure_object, failure_detail, failure_pc;
	enum effect effect; /* atomicity */
	/* A lost update: what is in the variable at last; and if the first thread, or the
	 * intruder, comes first */
	uint64_t left, serial[2];
	bool is_alone[2]; /* then only the one that comes first writes */
	/* Why the accesses belong together: the second one writes the first of these, and if the
	 * intruder comes first, the other one, or nothing. */
	enum claim_tie tie;
	uint64_t made[2];
	/* Confirmed: the plan of the execution that showed it; empty if that one cannot be made
	 * again. */
	VEC(struct wire_turn) turns;
	VEC(uint32_t) choices;
	bool spins;
	/* and its operations: the last of the witness, and those after it that show what is claimed
	 */
	VEC(struct shown_op) ops;
};

/* Errors: those of reading the trace and of starting the program. */
int confirmer_start(struct confirmer *c, const struct worker_config *config, const char *trace,
		    const struct trace_index *x, struct err *err);
/* is_proved: its witness was accepted, so more is tried before it is given up. */
int confirmer_try(struct confirmer *c, const struct history *h, const struct claim *claim,
		  bool is_proved, struct confirmation *out, struct err *err);
void confirmer_release(struct confirmer *c);
/* The plan of a confirmation that has turns. */
struct plan confirmation_plan(const struct confirmation *c);
void confirmation_release(struct confirmation *c);

#endif
