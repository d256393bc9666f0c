/* SPDX-License-Identifier: Apache-2.0 */
/* What a program of the interpreter can do, found without any reduction. */
#ifndef HEDDLE_TESTS_REFERENCE_H
#define HEDDLE_TESTS_REFERENCE_H

#include "base/map.h"
#include "explore_vs_dfs/sim.h"

/*
 * Every order of moves is tried; false if there are more than `limit`.  *classes gets a key for
 * each equivalence class of complete executions.
 */
bool reference_classes(const struct sim_program *p, uint64_t limit, struct map *classes);
/* Every reachable state is visited once; false if there are more than `limit`.  *outcomes gets
 * their hashes. */
bool reference_outcomes(const struct sim_program *p, uint64_t limit, bool with_memory,
			struct map *outcomes);

/* The class of an execution, from the list that the interpreter tells. */
uint64_t reference_class(const struct wire_op *ops, size_t count);

#endif
