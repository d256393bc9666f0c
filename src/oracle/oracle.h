/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracle decides whether a reordering of a trace is feasible.  Two engines answer the same
 * question (question.h).
 *
 *   closure   SeqCheck with its gaps repaired; polynomial.  A feasible answer always has a
 *             witness. Infeasible is proved if necessary orders contradict each other, or if only
 *             two threads take part. Otherwise the verdict is unknown.
 *   solver    Boolean order constraints with acyclicity on a SAT solver: decides every question
 *             within its budget.
 *
 * Every witness is accepted by the checker (witness_flaw()) before it is returned.  A rejected
 * one is an internal error and ends the process.  Answers depend on question, history and limits
 * alone, not on time or addresses.
 */
#ifndef HEDDLE_ORACLE_H
#define HEDDLE_ORACLE_H

#include "oracle/question.h"

/* 0 for each: the default. */
struct oracle_limits {
	uint32_t attempts;     /* closure: number of sets */
	uint64_t sweeps;       /* closure: number of sweeps over all rules */
	uint64_t work;	       /* closure: reads and writes examined, in all sweeps */
	uint64_t operations;   /* solver: size of the largest set */
	uint64_t clauses;      /* solver: size of the formula */
	uint64_t rounds;       /* solver: number of models */
	uint64_t propagations; /* solver: work for all models, and in the search for cycles */
	/*
	 * oracle_ask_near: histories with up to `whole` operations need no window; margin of the
	 * first window
	 */
	uint64_t whole, margin;
	/* oracle_ask_near: size of the largest window; by default unlimited */
	uint64_t largest;
};

/* The closure engine, and the solver if the verdict is unknown; NULL for limits: the defaults. */
void oracle_ask(const struct history *h, const struct question *q,
		const struct oracle_limits *limits, struct answer *a);
/* The same for long histories: tries windows around the operations of the question first. */
void oracle_ask_near(const struct history *h, const struct question *q,
		     const struct oracle_limits *limits, struct answer *a);
/* One engine alone. */
void closure_ask(const struct history *h, const struct question *q,
		 const struct oracle_limits *limits, struct answer *a);
void solver_ask(const struct history *h, const struct question *q,
		const struct oracle_limits *limits, struct answer *a);

#endif
