/* SPDX-License-Identifier: Apache-2.0 */
// A pointer is published under a lock, and its block freed while the other thread uses it.
#include "heap.h"

static struct block *pub;

static void *prepare(void)
{
	return malloc(sizeof(struct block));
}

static void *first(void *prepared)
{
	struct block *x1 = prepared;
	pthread_mutex_lock(&lock);
	pub = x1;
	pthread_mutex_unlock(&lock);
	x1->foo = 1;
	free(x1);
	return prepared;
}

static void *second(void *prepared)
{
	pthread_mutex_lock(&lock);
	struct block *x2 = pub;
	pthread_mutex_unlock(&lock);
	if (x2) {
		struct block *y = malloc(sizeof(*y));
		x2->foo = 2;
		(void)y;
	}
	return prepared;
}
