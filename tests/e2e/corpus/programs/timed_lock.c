/* SPDX-License-Identifier: Apache-2.0 */
/* A lock with a deadline.  Wrong: after the deadline the work is done without it. */
#include <time.h>
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *add(void *unused)
{
	(void)unused;
	struct timespec deadline;
	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec++;
	int late = pthread_mutex_timedlock(&lock, &deadline);
#ifndef WRONG
	if (late)
		return NULL;
#endif
	total++;
	if (!late)
		pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	start(add, 0);
	start(add, 0);
	finish();
	return 0;
}
