/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether an interleaving of two units of work does what no serial order of them does.  The
 * program runs them one after the other, in both orders, and what comes of that is compared with
 * what came of the interleaving. Private to src/predict.
 */
#ifndef HEDDLE_PREDICT_SERIAL_H
#define HEDDLE_PREDICT_SERIAL_H

#include "predict/turns.h"

/* What a run shows of the accesses of a claim of atomicity. */
struct serial_view {
	/* Places in the run, from 1; 0: not there.  second: the thread's first write to the
	 * variable after its first access; update: that of the intruder's thread, which is the
	 * intruder if that writes. */
	size_t first, intruder, second, update;
	/* The writes do not look at the variable, nor do their threads after the intruder. */
	bool is_blind;
	/* a third thread writes the variable meanwhile, or a part of it is written */
	bool is_disturbed;
	uint64_t left;		/* in the variable by the later write */
	uint64_t made, updated; /* what the second access writes, and the other thread */
};

struct serial_view serial_look(const struct confirmer *c, const struct history *h,
			       const struct claim *claim, const struct execution *run);
/* Whether a run shows both writes, each by a thread that has not looked since the other one's part.
 */
bool serial_shows_update(const struct serial_view *v);

/* The end of the sections that an operation is in: that of its thread, or the operation itself. */
op_id serial_section_end(const struct history *h, op_id op);
/*
 * After a run that shows the accesses in the claimed order (out->left and out->failure are what
 * came of it): make both serial orders, and set the effect.  Errors: those of worker_run.
 */
int serial_compare(struct confirmer *c, const struct history *h, const struct claim *claim,
		   const struct serial_view *shown, struct confirmation *out, struct err *err);

#endif
