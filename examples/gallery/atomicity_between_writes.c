/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: atomicity
 *
 * A queue is marked as broken while it is being repaired; others see the mark.  Fixed: in one critical
 * section.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int length = 3;

static void *compact(void *unused)
{
	pthread_mutex_lock(&lock);
	length = -1;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	length = 2;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *measure(void *unused)
{
	pthread_mutex_lock(&lock);
	assert(length >= 0);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, compact, NULL);
	pthread_create(&b, NULL, measure, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
