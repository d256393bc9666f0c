/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: race
 *
 * Each thread uses a lock, but not the same one.  Fixed: both use the first.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER, yours = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *add(void *unused)
{
	pthread_mutex_lock(&mine);
	total += 3;
	pthread_mutex_unlock(&mine);
	return unused;
}

static void *take(void *unused)
{
#ifdef FIXED
	pthread_mutex_t *lock = &mine;
	(void)yours;
#else
	pthread_mutex_t *lock = &yours;
#endif
	pthread_mutex_lock(lock);
	total -= 3;
	pthread_mutex_unlock(lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, take, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
