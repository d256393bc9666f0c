/* SPDX-License-Identifier: Apache-2.0 */
/* One thread waits until another one is ready.  Wrong: readiness is set without the lock, between test and wait. */
#include <stdatomic.h>
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *announce(void *unused)
{
	(void)unused;
#ifndef WRONG
	pthread_mutex_lock(&lock);
#endif
	atomic_store(&ready, 1);
	pthread_cond_signal(&changed);
#ifndef WRONG
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

int main(void)
{
	start(announce, 0);
	pthread_mutex_lock(&lock);
	while (!atomic_load(&ready))
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	finish();
	return 0;
}
