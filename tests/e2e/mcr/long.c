/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three threads that add to each other's variables, very often: what one execution means takes the search
 * much longer than the execution.
 */
#include <pthread.h>
#include <stdatomic.h>

#define ROUNDS 2000

static atomic_int values[4];

static void *add(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		atomic_fetch_add(&values[i % 4], 1);
		(void)atomic_load(&values[(i + 1) % 4]);
	}
	return arg;
}

int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
