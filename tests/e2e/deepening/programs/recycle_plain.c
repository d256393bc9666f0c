/* SPDX-License-Identifier: Apache-2.0 */
// As recycle_locked, without the lock.
#include "heap.h"

static struct block *pub;

static void *prepare(void)
{
	return malloc(sizeof(struct block));
}

static void *first(void *prepared)
{
	struct block *x1 = prepared;
	pub = x1;
	x1->foo = 1;
	free(x1);
	return prepared;
}

static void *second(void *prepared)
{
	struct block *x2 = pub;
	if (x2) {
		struct block *y = malloc(sizeof(*y));
		x2->foo = 2;
		(void)y;
	}
	return prepared;
}
