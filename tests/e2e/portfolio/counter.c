/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that add to one counter, each with the number that it got: as many schedules as there are orders. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;
static int got[THREADS];

static void *add(void *arg)
{
	*(int *)arg = atomic_fetch_add(&counter, 1);
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, add, &got[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
