/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: deadlock
 *
 * The lock that the worker needs may be held while the worker is joined.  Fixed: it is released first.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stopping, work_left = 1;

static void *work(void *unused)
{
	pthread_mutex_lock(&lock);
	if (!stopping)
		work_left--;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t worker;
	pthread_create(&worker, NULL, work, NULL);
	pthread_mutex_lock(&lock);
	stopping = 1;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
	pthread_join(worker, NULL);
#else
	pthread_join(worker, NULL);
	pthread_mutex_unlock(&lock);
#endif
	return 0;
}
