/* SPDX-License-Identifier: Apache-2.0 */
/* A stop flag that is cleared when the worker begins.  Wrong: it may be cleared after it was set. */
#include <stdatomic.h>
#include "threads.h"

static atomic_int stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;

static void *work(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
#ifdef WRONG
	stop = 0;
#endif
	while (!stop)
		pthread_cond_wait(&wake, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	start(work, 0);
	pthread_mutex_lock(&lock);
	stop = 1;
	pthread_cond_broadcast(&wake);
	pthread_mutex_unlock(&lock);
	finish();
	return 0;
}
