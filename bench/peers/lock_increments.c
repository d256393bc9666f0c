/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads increment a counter under a lock. */
#include "threads.h"

static pthread_mutex_t lock;
static int counter;

static void *increment(void *unused)
{
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_mutex_init(&lock, NULL);
	start_all(THREADS, increment);
	join_all(THREADS);
	assert(counter == THREADS);
	return 0;
}
