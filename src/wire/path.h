/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of a thread: a hash of all branches that it has passed, in order.  A branch counts by
 * the canonical address (canonical.h) to which the compiler's callback returns, so the same path
 * has the same hash in every run.  The runtime counts; the tool counts again where a trace has
 * the branches themselves.
 *
 * A step can be undone, so two threads that part stay apart for as long as the same branches
 * follow in both. What is reported is half as long as the state, and folded from all of it.
 */
#ifndef HEDDLE_WIRE_PATH_H
#define HEDDLE_WIRE_PATH_H

#include <stdint.h>

#define PATH_FACTOR 0x9e3779b97f4a7c15ull

static inline uint64_t path_step(uint64_t path, uint64_t place)
{
	return (path ^ place) * PATH_FACTOR;
}

/* What events say; 0 is kept for a thread that has passed no branch. */
static inline uint64_t path_folded(uint64_t path)
{
	uint32_t folded = (uint32_t)(path ^ path >> 32);
	return path && !folded ? 1 : folded;
}

#endif
