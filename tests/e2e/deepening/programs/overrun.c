/* SPDX-License-Identifier: Apache-2.0 */
// A pointer beyond the end of a block hits its neighbour, which the other thread has and gives back meanwhile.
#include "heap.h"

static void *prepare(void)
{
	/* Both are given back, so that each is what the next request of its size gets. */
	struct holder *z = malloc(sizeof(*z));
	struct block *neighbour = malloc(sizeof(*neighbour));
	long beyond = (char *)neighbour - (char *)z;
	free(neighbour);
	free(z);
	return (void *)beyond;
}

static void *first(void *prepared)
{
	struct block *x1 = malloc(sizeof(*x1));
	x1->foo = 1;
	if (x1->foo != 1)
		abort();
	free(x1);
	return prepared;
}

static void *second(void *prepared)
{
	struct holder *z = malloc(sizeof(*z));
	struct block *x2 = (struct block *)((char *)z + (long)prepared);
	struct block *y = malloc(sizeof(*y));
	x2->foo = 2;
	(void)y;
	return prepared;
}
