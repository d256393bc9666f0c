/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of bench/restart: two threads, about 76 places to switch at, and on demand a heap
 * in use.
 *
 *   restart [MEGABYTES]     that much memory is allocated and touched, a byte in each page
 */
#include <pthread.h>
#include <stdlib.h>

static int shared, seen[2];

static void *work(void *number)
{
	long n = (long)number;
	for (int i = 0; i < 5; i++) {
		shared += (int)n + 1;
		seen[n] = shared;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) << 20 : 0;
	volatile char *live = size ? malloc(size) : NULL;
	for (size_t i = 0; i < size; i += 1 << 16)
		live[i] = 1;
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
