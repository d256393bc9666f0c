/* SPDX-License-Identifier: Apache-2.0 */
// main increments an index and creates a thread, THREADS times; each thread stores at the index that it finds.
#include <pthread.h>
#include <stddef.h>

static int cells[THREADS], position = -1;

static void *store(void *unused)
{
	cells[position] = 1;
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	for (int k = 0; k < THREADS; k++) {
		position++;
		pthread_create(&threads[k], NULL, store, NULL);
	}
	for (int k = 0; k < THREADS; k++)
		pthread_join(threads[k], NULL);
	return 0;
}
