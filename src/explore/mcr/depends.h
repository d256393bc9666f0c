/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether what a thread does after a read may depend on what it read.
 *
 * A past (sources.h) keeps all that the earlier moves of a thread saw, because a thread does
 * again what it did only if it sees again what it saw.  A read whose value goes nowhere (into no
 * address, no branch, no store that others see, no call) is no part of that: with another value
 * the thread does the same.  Then it makes no difference from which write the value came, and
 * such a read counts as a write does: it comes in a life of what it touches, and that is all.
 * (Huang, Huang: "Speeding up maximal causality reduction with static dependency analysis", ECOOP
 * 2017, drops reads on which one later event does not depend.  Here a read is dropped if *no*
 * later event of its thread depends on it: then it is dropped for all of them, cores stay
 * beginnings of threads, and the proof of mcr.c holds as it is, with moves that see something in
 * place of all moves.)
 *
 * The caller of explore() lists these reads by the places of their hooks.  By default everything
 * after a read depends on it.
 */
#ifndef HEDDLE_EXPLORE_MCR_DEPENDS_H
#define HEDDLE_EXPLORE_MCR_DEPENDS_H

#include "explore/execution/opset.h"

struct depends {
	/* places of reads (pc of wire_op) whose values go nowhere; sorted */
	const uint64_t *unused;
	size_t unused_count;
};

/*
 * Whether something that the thread does after this move may depend on what the move saw.  Atomic
 * reads order more than their value: everything may.
 */
bool depends_on(const struct depends *d, const struct opset *move);

#endif
