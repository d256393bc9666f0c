/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A question as a Boolean formula.  Variables: whether an optional operation happens; whether one
 * operation precedes another, for pairs that occur in a rule; which write a read with a choice
 * sees.  Acyclicity is not in the formula: the solver adds clauses for the cycles of its models
 * (solver.c).  Private to src/oracle.
 */
#ifndef HEDDLE_ORACLE_ENCODING_H
#define HEDDLE_ORACLE_ENCODING_H

#include "base/map.h"
#include "oracle/set.h"

/* A literal is a variable or its negation; two numbers beyond all variables are the constants. */
#define LITERAL_TRUE 0x40000000
#define LITERAL_FALSE (-LITERAL_TRUE)

struct order_variable {
	op_id before, after; /* if it is true */
};

struct encoding {
	const struct history *h;
	const struct question *q;
	/* operations that must happen; operations that may happen */
	struct op_set least, most;
	/* by number; a variable that is not an order has before == after */
	VEC(struct order_variable) variables;
	VEC(int) clauses; /* each ends with 0 */
	uint64_t clause_count, clause_limit;
	struct map order_of;	  /* pair of operations to variable */
	uint32_t *first_optional; /* by thread: variable of its first optional operation */
	bool is_contradiction;	  /* a clause without literals */
	/* Private: the clause under construction. */
	size_t start;
	bool is_true;
	uint32_t rounds; /* for stop_is_requested_sampled() */
};

/* False if the question is infeasible for every order.  *why is set if the formula is too large. */
bool encoding_init(struct encoding *e, const struct history *h, const struct question *q,
		   uint64_t operations, uint64_t clauses, const char **why);
void encoding_release(struct encoding *e);
/* Whether the operation happens. */
int encoding_happens(const struct encoding *e, op_id op);
/* Whether x precedes y. */
int encoding_precedes(struct encoding *e, op_id x, op_id y);
void encoding_begin(struct encoding *e);
void encoding_add(struct encoding *e, int literal);
void encoding_end(struct encoding *e);

#endif
