/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: atomicity
 *
 * Read, add and write back, with a lock around each but not around all.  Fixed: around all.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void *hit(void *unused)
{
	pthread_mutex_lock(&lock);
	int seen = hits;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	hits = seen + 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, hit, NULL);
	pthread_create(&b, NULL, hit, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(hits == 2);
	return 0;
}
