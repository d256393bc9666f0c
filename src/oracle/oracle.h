/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracle: can these operations happen in this way?  Two engines answer the same question (question.h).
 *
 *   closure   SeqCheck with its gaps repaired: polynomial; a feasible answer always has a witness; infeasible
 *             is proved if necessary orders contradict each other, or if only two threads are concerned.
 *             Otherwise it does not know.
 *   solver    Boolean order constraints with acyclicity on a SAT solver: decides every question, within its
 *             budget.
 *
 * Every witness has been accepted by the checker (witness_flaw) before it gets out; one that is not is an
 * internal error and ends the process.  Answers depend on question, history and limits alone, not on time or
 * addresses.
 */
#ifndef HEDDLE_ORACLE_H
#define HEDDLE_ORACLE_H

#include "oracle/question.h"

/* 0 for each: the default. */
struct oracle_limits {
	uint32_t attempts;	/* closure: sets that are tried */
	uint64_t sweeps;	/* closure: times that all rules are applied to a set */
	uint64_t work;		/* closure: reads and writes that are looked at, in all of them */
	uint64_t operations;	/* solver: operations that it looks at */
	uint64_t clauses;	/* solver: how large the problem may be */
	uint64_t rounds;	/* solver: models that are looked at */
	uint64_t propagations;	/* solver: work in all of them, and in the search for cycles */
	/* oracle_ask_near: a history of so many operations is asked as a whole; how many more count at
	 * first, */
	uint64_t whole, margin;
	uint64_t largest;	/* and when it gives up; by default it does not */
};

/* Closure, and the solver if that does not know; NULL for limits: the defaults. */
void oracle_ask(const struct history *h, const struct question *q, const struct oracle_limits *limits,
		struct answer *a);
/* The same, for long histories: asks about a part around the operations of the question first, as long as it
 * can. */
void oracle_ask_near(const struct history *h, const struct question *q, const struct oracle_limits *limits,
		     struct answer *a);
/* One engine alone. */
void closure_ask(const struct history *h, const struct question *q, const struct oracle_limits *limits,
		 struct answer *a);
void solver_ask(const struct history *h, const struct question *q, const struct oracle_limits *limits,
		struct answer *a);

#endif
