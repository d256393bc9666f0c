/* SPDX-License-Identifier: Apache-2.0 */
// Threads that read and write two cells: many outcomes, a failing one among them.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x, y;
static int seen[3];

static void *work(void *number)
{
	int k = *(int *)number;
	for (int i = 0; i < ROUNDS; i++) {
		atomic_store(&x, 3 * k + i);
		seen[k] = 10 * seen[k] + atomic_load(&y);
		atomic_store(&y, k + 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	int numbers[] = { 0, 1, 2 };
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d %d\n", seen[0], seen[1], seen[2], atomic_load(&x));
	assert(seen[0] != FAILS || seen[1] != 3);
	return 0;
}
