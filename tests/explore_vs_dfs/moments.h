/* SPDX-License-Identifier: Apache-2.0 */
/* Random moments of searches by several workers: who is next, and who loses patience. */
#ifndef HEDDLE_TESTS_MOMENTS_H
#define HEDDLE_TESTS_MOMENTS_H

#include "explore/patience.h"

static inline uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static inline bool is_over_now(void *arg)
{
	(void)arg;
	return true;
}

/* Some are to be given up after at most `steps`: they are planned and made again, perhaps by
 * another worker. */
static inline struct patience patience_at(uint64_t random, uint64_t steps)
{
	if (random % 8)
		return (struct patience){ 0 };
	return (struct patience){ .is_over = is_over_now,
				  .steps = PATIENCE_STEPS - random / 8 % steps };
}

#endif
