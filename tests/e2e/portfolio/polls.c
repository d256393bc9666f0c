/* SPDX-License-Identifier: Apache-2.0 */
/* A loop that polls and counts its rounds: systematic executions are long, and drawn ones short. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int first, second;

static void *set(void *arg)
{
	atomic_store(&first, 1);
	atomic_store(&second, 1);
	return arg;
}

static void *poll(void *arg)
{
	int rounds = 0;
	while (!(atomic_load(&first) && atomic_load(&second)))
		if (++rounds > 3)
			sched_yield();
	return arg;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, set, NULL);
	pthread_create(&t[1], NULL, poll, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
