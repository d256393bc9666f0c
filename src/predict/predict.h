/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prediction: what can go wrong in other executions that one trace proves possible.
 *
 * Each kind of bug has a finder that goes through the history and proposes candidates, cheaply
 * and generously.  A candidate becomes a question to the oracle, and a claim only if the answer
 * is feasible: then it has a witness that the checker has accepted.  One claim for each set of
 * source places, with the shortest witness found and the number of its instances.
 *
 * All questions have the same form: certain threads are about to do certain operations (pending),
 * after certain others have happened.  So a witness ends right before the damage, in an execution
 * that is in order up to there.
 */
#ifndef HEDDLE_PREDICT_H
#define HEDDLE_PREDICT_H

#include "oracle/oracle.h"
#include "predict/units.h"
#include "trace/index.h"
#include "wire/finding.h"

/*
 * Claims have kinds of findings (wire/finding.h).  What the operations of a claim are:
 *   RACE            two threads are about to access a variable, at least one of them to write
 *   DEADLOCK        each is about to wait for a lock, or for the end of a thread, that the next one
 *                   holds up
 *   LOST_SIGNAL     a thread is about to wait for a signal that was the last one
 *   ATOMICITY       the first access, the intruder, and the second access is about to happen; if
 *                   the intruder reads, its thread's next write may be the fourth
 *   USE_AFTER_FREE  the block is freed and about to be used
 *   LOCK_MISUSE     the same for a synchronisation object that is destroyed
 *   ORDER           it is about to be used, and only about to be initialised
 */

/* What can be asked for, as a set.  ORDER includes the two kinds before it, DEADLOCK lost signals.
 */
enum predict_kind {
	PREDICT_RACE = 1 << FINDING_RACE,
	PREDICT_DEADLOCK = 1 << FINDING_DEADLOCK,
	PREDICT_ATOMICITY = 1 << FINDING_ATOMICITY,
	PREDICT_ORDER = 1 << FINDING_ORDER,
	PREDICT_ALL = PREDICT_RACE | PREDICT_DEADLOCK | PREDICT_ATOMICITY | PREDICT_ORDER
};

/* Why two accesses belong together, as far as the trace shows it. */
enum claim_tie {
	TIE_NONE,    /* it does not */
	TIE_DATA,    /* what is written depends on what was read */
	TIE_CONTROL, /* whether it is written does */
};

struct claim {
	enum finding_kind kind;
	VEC(op_id) ops;	    /* that it is about, in the order in which the kind names them */
	uint64_t key;	    /* of kind and places */
	uint64_t instances; /* candidates with these places */
	unsigned witnesses; /* that were found; the shortest is kept */
	enum claim_tie tie; /* atomicity */
	op_id tie_from;	    /* a read at the first place that shows it, by another value */
	struct question question;
	struct answer answer;
};

struct predict_options {
	unsigned kinds; /* enum predict_kind */
	struct oracle_limits limits;
	uint64_t instances; /* questions for one set of places; 0: the default */
	/* claims are to be confirmed: also ask for what may be harmless */
	bool is_generous;
	unsigned jobs; /* processes that ask; 0 or 1: only this one */
	/* whether to stop, asked before each question; NULL: never */
	bool (*is_over)(void *arg);
	/* How many sets of places have been asked, of how many, and how many claims there are;
	 * NULL: not reported. */
	void (*progress)(void *arg, uint64_t done, uint64_t total, uint64_t found);
	const struct units *units; /* accesses that may belong together; NULL: none do */
	void *arg;
};

struct prediction {
	VEC(struct claim) claims;
	uint64_t candidates, questions, infeasible, unknown;
	/* instances that were not asked about, of places without a claim */
	uint64_t left_out;
	/* accesses that only a run can show to be a violation of atomicity */
	bool has_untried;
	bool is_cut_off; /* is_over said so: there may be more */
};

/* Places are those of the index. */
void predict(const struct history *h, const struct trace_index *x, const struct predict_options *o,
	     struct prediction *out);
/* Drop all claims but those with this key; 0: none. */
void prediction_keep(struct prediction *p, uint64_t key);
void prediction_release(struct prediction *p);

#endif
