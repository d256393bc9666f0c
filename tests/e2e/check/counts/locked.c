/* SPDX-License-Identifier: Apache-2.0 */
// THREADS threads increment a variable under one lock: the orders of the critical sections are the classes.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *increment(void *unused)
{
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	for (int k = 0; k < THREADS; k++)
		pthread_create(&threads[k], NULL, increment, NULL);
	for (int k = 0; k < THREADS; k++)
		pthread_join(threads[k], NULL);
	return count != THREADS;
}
