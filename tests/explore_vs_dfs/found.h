/* SPDX-License-Identifier: Apache-2.0 */
/* What a search of a simulated program found. */
#ifndef TESTS_REDUCTION_FOUND_H
#define TESTS_REDUCTION_FOUND_H

#include "explore/execution/moves.h"
#include "explore_vs_dfs/reference.h"

struct found {
	struct map outcomes, classes;
	uint64_t executions, redundant, twice, diverged, missed;
	bool is_cut;
};

/* One execution of it. */
static inline void found_note(struct found *f, const struct sim_program *p, const struct sim *sim,
			      const struct execution *x, bool is_redundant)
{
	bool is_new;
	f->diverged += sim->has_diverged;
	f->redundant += is_redundant;
	if (is_redundant)
		return;
	f->executions++;
	map_put(&f->outcomes, sim_outcome(p, &sim->last, true), NULL);
	map_put(&f->classes, reference_class(x->ops, x->ops_count), &is_new);
	/* Where a failure ends it, what others had done by then makes no class. */
	bool is_cut = x->end == EXPLORE_ASSUMED ||
		      (x->end == EXPLORE_FAILURE && !failure_is_of_all(x->failure));
	f->twice += !is_new && !is_cut;
}

/*
 * The same search by several walkers, each of which is at another place when the next one plans
 * or takes, and by others after it was saved and read again: everything as the seed says.  False:
 * it was cut at so many executions.
 */
bool reduce_shared(const struct sim_program *p, uint64_t seed, uint64_t limit, struct found *f);

/*
 * Iterative deepening by several workers, in the same way; seed 0: by one, without interruption.
 * *last becomes the number of executions of its last space.  False: it did not come to its end.
 */
bool deepen_shared(const struct sim_program *p, uint64_t seed, uint64_t limit, struct found *f,
		   uint64_t *last, size_t *rounds);

#endif
