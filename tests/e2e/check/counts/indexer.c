/* SPDX-License-Identifier: Apache-2.0 */
// THREADS threads put four messages each into a hash table; from the twelfth on each adds three collisions.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define CELLS 128
#define MESSAGES 4
static atomic_int table[CELLS];
static int numbers[THREADS];

static void *insert(void *number)
{
	for (int m = 1; m <= MESSAGES; m++) {
		int word = m * 11 + *(int *)number, cell = word * 7 % CELLS;
		for (;;) {
			int empty = 0;
			if (atomic_compare_exchange_strong(&table[cell], &empty, word))
				break;
			cell = (cell + 1) % CELLS;
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	for (int k = 0; k < THREADS; k++) {
		numbers[k] = k;
		pthread_create(&threads[k], NULL, insert, &numbers[k]);
	}
	for (int k = 0; k < THREADS; k++)
		pthread_join(threads[k], NULL);
	return 0;
}
