/* SPDX-License-Identifier: Apache-2.0 */
/* SIZE numbers are sorted by a thread for each round, each exchange under a lock. */
#include "threads.h"

#ifndef SIZE
#define SIZE 3
#endif

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int numbers[SIZE];

static void *round_of(void *unused)
{
	for (int i = 0; i + 1 < SIZE; i++) {
		pthread_mutex_lock(&guard);
		if (numbers[i] > numbers[i + 1]) {
			int n = numbers[i];
			numbers[i] = numbers[i + 1];
			numbers[i + 1] = n;
		}
		pthread_mutex_unlock(&guard);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[SIZE - 1];
	for (int i = 0; i < SIZE; i++)
		numbers[i] = SIZE - i;
	for (int i = 0; i < SIZE - 1; i++)
		pthread_create(&threads[i], NULL, round_of, NULL);
	for (int i = 0; i < SIZE - 1; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
