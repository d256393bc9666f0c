/* SPDX-License-Identifier: Apache-2.0 */
// The accesses to foo and bar are to the same bytes only because a freed block is handed out again.
#include "heap.h"

static struct block *pub;

static void *prepare(void)
{
	return malloc(sizeof(struct block));
}

static void *first(void *prepared)
{
	struct block *mine = prepared;
	mine->foo = 1;
	free(mine);
	return prepared;
}

static void *second(void *prepared)
{
	struct block *y = malloc(sizeof(*y));
	pthread_mutex_lock(&lock);
	pub = y;
	pthread_mutex_unlock(&lock);
	y->foo = 2;
	return prepared;
}
