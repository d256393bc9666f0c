/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer of one item with two producers and two consumers.  Wrong: one condition variable for both directions, and a
 * signal that may wake the wrong side. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
#ifdef WRONG
#define not_full not_empty
#else
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
#endif
static int full;

static void *produce(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	while (full)
		pthread_cond_wait(&not_full, &lock);
	full = 1;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *consume(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	while (!full)
		pthread_cond_wait(&not_empty, &lock);
	full = 0;
	pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	start(consume, 0);
	start(consume, 0);
	start(produce, 0);
	start(produce, 0);
	finish();
	return 0;
}
