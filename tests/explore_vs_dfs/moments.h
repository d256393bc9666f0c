/* SPDX-License-Identifier: Apache-2.0 */
/* Random moments of searches by several workers: which worker is next, and which analysis is cancelled. */
#ifndef HEDDLE_TESTS_MOMENTS_H
#define HEDDLE_TESTS_MOMENTS_H

#include "explore/cancellation.h"

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
static inline struct cancellation cancellation_at(uint64_t random, uint64_t steps)
{
	if (random % 8)
		return (struct cancellation){ 0 };
	return (struct cancellation){ .is_requested = is_over_now,
				      .steps = CANCELLATION_STEPS - random / 8 % steps };
}

#endif
