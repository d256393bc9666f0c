/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads that decide by their argument, in registers, between accesses: argument 5 and argument 6 give the same
 * events on different paths.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned collatz(unsigned x)
{
	unsigned steps = 0;
	for (; x > 1; steps++)
		x = x & 1 ? 3 * x + 1 : x / 2;
	return steps;
}

static void *work(void *argument)
{
	unsigned x = (unsigned)(unsigned long)argument;
	for (int i = 0; i < 4; i++) {
		/* Always true, but no compiler knows. */
		if (collatz(x + (unsigned)i) < 1000000) {
			pthread_mutex_lock(&lock);
			shared++;
			pthread_mutex_unlock(&lock);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	unsigned long x = argc > 1 ? strtoul(argv[1], NULL, 10) : 5;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)x);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", shared);
	return 0;
}
