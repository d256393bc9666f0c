/* SPDX-License-Identifier: Apache-2.0 */
// The pair of accesses to foo is suppressed as recycled in every order that changes of threads at the publication show.
#include "heap.h"

static struct block *g;

static void *prepare(void)
{
	return malloc(sizeof(struct block));
}

static void *first(void *prepared)
{
	struct block *x1 = prepared;
	g = x1;
	x1->foo = 1;
	if (x1->foo != 1)
		abort();
	free(x1);
	return prepared;
}

static void *second(void *prepared)
{
	struct block *x2 = g;
	if (x2) {
		struct block *y = malloc(sizeof(*y));
		x2->foo = 2;
		(void)y;
	}
	return prepared;
}
