/* SPDX-License-Identifier: Apache-2.0 */
// As order_limited.c, but the second access is made only if the section of the first came before: it cannot be reversed.
#include "threads.h"

static int x;
static bool y;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *prepare(void)
{
	return NULL;
}

static void *first(void *prepared)
{
	x++;
	pthread_mutex_lock(&lock);
	y = true;
	pthread_mutex_unlock(&lock);
	return prepared;
}

static void *second(void *prepared)
{
	pthread_mutex_lock(&lock);
	bool seen = y;
	pthread_mutex_unlock(&lock);
	if (seen)
		x++;
	return prepared;
}
