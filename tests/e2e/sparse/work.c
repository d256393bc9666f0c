/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads with much private work and little shared: an array of each thread's own, filled by main; a counter under a
 * mutex and one without; a flag that is written at the very beginning and read by others at the end, rounds later; a struct of which two
 * threads use different members; a block of heap that has another user in its second life.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 3
#define CELLS 64

static long own[THREADS][CELLS];
static long counter;
static int races;				/* without a lock */
static long early;
static struct { int left, right; } pair;	/* one cell */
static atomic_int turns[THREADS];		/* atomic, but nobody else's */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *block;
static int rounds;

static void *work(void *argument)
{
	long me = (long)argument;
	for (int i = 0; i < rounds; i++) {
		for (int k = 0; k < CELLS; k++)
			own[me][k] += k ^ i;
		atomic_fetch_add(&turns[me], 1);
		pthread_mutex_lock(&lock);
		counter += own[me][i % CELLS] & 1;
		pthread_mutex_unlock(&lock);
	}
	races++;
	if (me == 0)
		pair.left = 1;
	if (me == 1)
		pair.right = 2;
	return (void *)early;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	void *result;
	rounds = argc > 1 ? atoi(argv[1]) : 2;
	early = 17;
	block = malloc(sizeof(*block));
	*block = 5;
	free(block);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], &result);
	printf("%d %d %ld\n", counter > 0, pair.left + pair.right, (long)result);
	return 0;
}
