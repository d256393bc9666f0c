/* SPDX-License-Identifier: Apache-2.0 */
// A search of a second or two that has something of everything: many outcomes, some under TSO only, a race, a deadlock, and an
// assertion that does not hold.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int cells[3];
static int seen[3], races;
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *number)
{
	int k = *(int *)number;
	for (int i = 1; i <= ROUNDS; i++) {
		atomic_store_explicit(&cells[k], i, memory_order_relaxed);
		seen[k] = 10 * (seen[k] % 10) + atomic_load_explicit(&cells[(k + 1) % THREADS], memory_order_relaxed);
	}
	if (k < 2) {
		races = k;
		pthread_mutex_lock(k ? &first : &second);
		pthread_mutex_lock(k ? &second : &first);
		pthread_mutex_unlock(&first);
		pthread_mutex_unlock(&second);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int numbers[] = { 0, 1, 2 };
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d %d\n", seen[0], seen[1], seen[2], races);
	assert(seen[0] != 1 || races);
	return 0;
}
