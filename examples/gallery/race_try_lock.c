/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: race
 *
 * The update is made whether the lock was free or not.  Fixed: only with the lock.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level;

static void *raise_level(void *unused)
{
	pthread_mutex_lock(&lock);
	level++;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *lower_level(void *unused)
{
	int busy = pthread_mutex_trylock(&lock);
#ifdef FIXED
	if (!busy)
#endif
		level--;
	if (!busy)
		pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, raise_level, NULL);
	pthread_create(&b, NULL, lower_level, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
