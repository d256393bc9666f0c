/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads that count.  With -DROUNDS=... another build of it counts another number of times. */
#include <pthread.h>
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 10
#endif

static int counter;

static void *work(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		counter++;
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	printf("%d\n", counter);
	return 0;
}
