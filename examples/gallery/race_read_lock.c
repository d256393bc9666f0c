/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: race
 *
 * The hit counter of a cache is changed under a lock held for reading, which excludes no other reader.
 * Fixed: held for writing.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int entry = 7, hits;

static void *lookup(void *unused)
{
#ifdef FIXED
	pthread_rwlock_wrlock(&lock);
#else
	pthread_rwlock_rdlock(&lock);
#endif
	if (entry == 7)
		hits++;
	pthread_rwlock_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, lookup, NULL);
	pthread_create(&b, NULL, lookup, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
