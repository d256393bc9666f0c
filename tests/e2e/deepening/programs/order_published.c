/* SPDX-License-Identifier: Apache-2.0 */
// What is written before it is published under a lock is never written at the same time by the thread that finds it there.
#include "threads.h"

static struct { long foo; } x, *global;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *prepare(void)
{
	return &x;
}

static void *first(void *prepared)
{
	((long *)prepared)[0] = 1;
	pthread_mutex_lock(&lock);
	global = prepared;
	pthread_mutex_unlock(&lock);
	return prepared;
}

static void *second(void *prepared)
{
	pthread_mutex_lock(&lock);
	long *mine = (long *)global;
	pthread_mutex_unlock(&lock);
	if (mine)
		*mine = 2;
	return prepared;
}
