/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: race
 *
 * Two threads count requests in a plain variable.  Fixed: under a lock.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int requests;

static void *serve(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	requests++;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#else
	(void)lock;
#endif
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, serve, NULL);
	pthread_create(&b, NULL, serve, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return requests > 2;
}
