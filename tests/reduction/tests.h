/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of several reductions have in common. */
#ifndef HEDDLE_TESTS_REDUCTION_H
#define HEDDLE_TESTS_REDUCTION_H

#include "reduction/reference.h"

#define EXECUTIONS_MAX 20000
#define ORDERS_MAX 60000
#define STATES_MAX 100000

struct totals {
	uint64_t programs, cut, executions, redundant, orders, questions;
};

/* How many of the keys of one map the other has not. */
size_t missing(const struct map *all, const struct map *some);

/* Maximal causality reduction (mcr.c). */
int try_mcr(uint64_t programs, uint64_t first);
int show_mcr(uint64_t seed);
/* One deliberate fault; it must be seen within so many programs. */
int try_mcr_fault(int fault, uint64_t programs);

#endif
