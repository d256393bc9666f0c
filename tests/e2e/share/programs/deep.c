/* SPDX-License-Identifier: Apache-2.0 */
// Two threads with many accesses, of which those to `seen` race: plans, and what a ledger holds, are as long as the execution.
#include <pthread.h>
#include <stdlib.h>

static volatile int own[2][100000], seen;
static int times;

static void *work(void *array)
{
	volatile int *a = array;
	for (int i = 0; i < times; i++)
		a[i] = seen;
	seen = 1;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;
	times = argc > 1 ? atoi(argv[1]) : 20000;
	pthread_create(&other, NULL, work, (void *)own[1]);
	work((void *)own[0]);
	pthread_join(other, NULL);
	return 0;
}
