/* SPDX-License-Identifier: Apache-2.0 */
/* What it prints and does next depends on addresses: of globals, heap blocks, stack variables,
 * and of threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4

static int alpha, beta = 1, gamma_;
static struct {
	void *address;
	char name;
} things[6];
static struct {
	pthread_t handle;
	char name;
} workers[THREADS];
static int hits;

static int by_address(const void *a, const void *b)
{
	char *const *x = a, *const *y = b;
	return *x < *y ? -1 : *x > *y;
}

static int by_handle(const void *a, const void *b)
{
	const pthread_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static void *work(void *argument)
{
	int local;
	for (int i = 0; i < 5; i++)
		hits += (pthread_self() > workers[i % THREADS].handle) +
			((char *)&local > (char *)argument);
	return NULL;
}

int main(void)
{
	int local;
	void *addresses[6] = { &alpha, &beta, &gamma_, &local, malloc(10), malloc(20) };
	for (int i = 0; i < 6; i++) {
		things[i].address = addresses[i];
		things[i].name = (char)('a' + i);
	}
	qsort(things, 6, sizeof(things[0]), by_address);
	for (int i = 0; i < THREADS; i++) {
		workers[i].name = (char)('0' + i);
		pthread_create(&workers[i].handle, NULL, work, addresses[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(workers[i].handle, NULL);
	qsort(workers, THREADS, sizeof(workers[0]), by_handle);
	for (int i = 0; i < 6; i++)
		putchar(things[i].name);
	for (int i = 0; i < THREADS; i++)
		putchar(workers[i].name);
	printf(" %d %p %lx %d\n", hits, (void *)&local, (unsigned long)workers[0].handle,
	       pthread_self() > workers[0].handle);
	return 0;
}
