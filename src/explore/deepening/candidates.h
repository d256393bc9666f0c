/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Race candidates in one execution: pairs of instructions of different threads that touch the
 * same bytes, at least one of them writing, with no common lock and without an order that the
 * program enforces ("limited happens-before" plus locksets; Blum, Soundness Proofs for Iterative
 * Deepening, definitions 6, 7 and 11).
 *
 * Orders that count are those of creation and end of threads, and of a thread that could not go
 * on until another one let it.  A lock that was free when it was taken orders nothing: its
 * critical sections might have come in the other order.  So a candidate is a suspicion, which is
 * what deepening needs: an instruction in front of which it is worth to switch.
 *
 * A plain access that fails is one, too, without a partner: it ends all output, so what others
 * have written by then is part of the outcome.
 */
#ifndef HEDDLE_CANDIDATES_H
#define HEDDLE_CANDIDATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "exec/execution.h"
#include "explore/cancellation.h"

struct candidate {
	/* instructions, in the order in which they were executed */
	uint64_t earlier, later;
	bool is_recycled; /* the two accesses were to different lives of a heap block */
	bool is_failure;  /* an access that fails: no pair, both are the same instruction */
};

struct candidates {
	VEC(struct candidate) found; /* each pair once for each order and kind */
	struct cancellation cancellation;

	/* Private, kept from execution to execution to save allocations. */
	struct map seen;
	struct candidates_state *state;
};

/*
 * Add what this execution shows.  Atomic accesses are points anyway: pairs of two of them are not
 * candidates. False: it was cancelled, and the execution has not been searched to its end.
 */
bool candidates_collect(struct candidates *c, const struct execution *x);
/* Add those that another one found, from number `first` on. */
void candidates_merge(struct candidates *c, const struct candidates *other, size_t first);
void candidates_release(struct candidates *c);

#endif
