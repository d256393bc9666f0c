/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: deadlock
 *
 * Two locks are taken in opposite orders.  Fixed: opposite orders remain, but a third lock lets only
 * one thread at a time come that far, so no deadlock is possible.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, a_lock = PTHREAD_MUTEX_INITIALIZER,
		       b_lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
#ifdef FIXED
	pthread_mutex_lock(&gate);
#else
	(void)gate;
#endif
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	done++;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
#ifdef FIXED
	pthread_mutex_unlock(&gate);
#endif
}

static void *forth(void *unused)
{
	both(&a_lock, &b_lock);
	return unused;
}

static void *back(void *unused)
{
	both(&b_lock, &a_lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, forth, NULL);
	pthread_create(&b, NULL, back, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
