/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic additions of several threads, whose results are printed: as many orders as there are permutations, no locks, no races. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#ifndef THREADS
#define THREADS 6
#endif
static atomic_int next;
static int place[THREADS];

static void *add(void *arg)
{
	place[*(int *)arg] = atomic_fetch_add(&next, 1);
	return NULL;
}

int main(void)
{
	static int number[THREADS];
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++) {
		number[i] = i;
		pthread_create(&t[i], NULL, add, &number[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("%d %d\n", place[0], place[1]);
	return 0;
}
