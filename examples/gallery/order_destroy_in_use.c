/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: lock-misuse
 *
 * The lock is destroyed while the worker may still want it.  Fixed: the worker is joined first.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs;

static void *work(void *unused)
{
	pthread_mutex_lock(&lock);
	jobs++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t worker;
	pthread_create(&worker, NULL, work, NULL);
#ifdef FIXED
	pthread_join(worker, NULL);
	pthread_mutex_destroy(&lock);
#else
	pthread_mutex_destroy(&lock);
	pthread_join(worker, NULL);
#endif
	return 0;
}
