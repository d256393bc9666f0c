/* SPDX-License-Identifier: Apache-2.0 */
// Dining philosophers: the lower fork first.  WRONG: everybody the left one first.
#define THREADS 3
#include "common.h"

static pthread_mutex_t forks[THREADS];

static void *body(void *number)
{
	int left = *(int *)number, right = (left + 1) % THREADS;
#ifdef WRONG
	int first = left, second = right;
#else
	int first = left < right ? left : right, second = left < right ? right : left;
#endif
	pthread_mutex_lock(&forks[first]);
	pthread_mutex_lock(&forks[second]);
	pthread_mutex_unlock(&forks[second]);
	pthread_mutex_unlock(&forks[first]);
	return NULL;
}

int main(void)
{
	for (int k = 0; k < THREADS; k++)
		pthread_mutex_init(&forks[k], NULL);
	run_threads();
	return 0;
}
