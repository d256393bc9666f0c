/* SPDX-License-Identifier: Apache-2.0 */
/* A thread is cancelled while it waits.  Wrong: no cleanup handler releases the lock that it gets back. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void release(void *unused)
{
	(void)unused;
#ifndef WRONG
	pthread_mutex_unlock(&lock);
#endif
}

static void *wait_for_ever(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(release, NULL);
	for (;;)
		pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(1);
	return NULL;
}

int main(void)
{
	start(wait_for_ever, 0);
	pthread_cancel(started[0]);
	finish();
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return 0;
}
