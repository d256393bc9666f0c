/* SPDX-License-Identifier: Apache-2.0 */
// An empty section between two accesses: it does not order them, though the clocks of the one execution say so.
#include "threads.h"

static int x;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *prepare(void)
{
	return NULL;
}

static void *first(void *prepared)
{
	x++;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return prepared;
}

static void *second(void *prepared)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	x++;
	return prepared;
}
