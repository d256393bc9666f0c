/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: deadlock
 *
 * Three philosophers take the left fork first.  Fixed: the last one takes the right fork first.
 */
#include <pthread.h>
#include <stddef.h>

#define SEATS 3
static pthread_mutex_t forks[SEATS] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int seat[SEATS] = { 0, 1, 2 };

static void *dine(void *at)
{
	int left = *(int *)at, right = (left + 1) % SEATS;
#ifdef FIXED
	int first = left < right ? left : right, second = left < right ? right : left;
#else
	int first = left, second = right;
#endif
	pthread_mutex_lock(&forks[first]);
	pthread_mutex_lock(&forks[second]);
	pthread_mutex_unlock(&forks[second]);
	pthread_mutex_unlock(&forks[first]);
	return NULL;
}

int main(void)
{
	pthread_t threads[SEATS];
	for (int i = 0; i < SEATS; i++)
		pthread_create(&threads[i], NULL, dine, &seat[i]);
	for (int i = 0; i < SEATS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
