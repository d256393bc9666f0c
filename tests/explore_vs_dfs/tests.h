/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of several reductions have in common. */
#ifndef HEDDLE_TESTS_REDUCTION_H
#define HEDDLE_TESTS_REDUCTION_H

#include "explore_vs_dfs/reference.h"

#define EXECUTIONS_MAX 20000
#define ORDERS_MAX 60000
#define STATES_MAX 100000

struct totals {
	uint64_t programs, cut, executions, redundant, orders, questions;
	uint64_t more; /* executions, if it is not known which reads nothing depends on */
};

/* How many of the keys of one map the other has not. */
size_t missing(const struct map *all, const struct map *some);

/* Maximal causality reduction (mcr.c): by value, by several workers with interruptions, and told
 * which reads nothing depends on. */
enum mcr_test { MCR_TEST_VALUES = 1, MCR_TEST_SHARED = 2, MCR_TEST_UNUSED = 4 };
int try_mcr(enum mcr_test test, uint64_t programs, uint64_t first);
int show_mcr(enum mcr_test test, uint64_t seed);
/* One deliberate fault, by name; it must be detected within so many programs. */
int try_mcr_fault(enum mcr_test test, const char *fault, uint64_t programs);

#endif
