/* SPDX-License-Identifier: Apache-2.0 */
/* A loop of lock, look, unlock.  Wrong: the other thread may return before it sets what the loop waits for. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, cancelled;

static void *prepare(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
#ifdef WRONG
	if (!cancelled)
#endif
		ready = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	int seen;
	start(prepare, 0);
	pthread_mutex_lock(&lock);
	cancelled = 1;
	pthread_mutex_unlock(&lock);
	do {
		pthread_mutex_lock(&lock);
		seen = ready;
		pthread_mutex_unlock(&lock);
	} while (!seen);
	finish();
	return 0;
}
