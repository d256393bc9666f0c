/* SPDX-License-Identifier: Apache-2.0 */
/* A thread yields between two accesses that nothing races with, so its coarse move is interrupted in some executions. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag;
static volatile long shared, own;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg)
{
	int none = 0;
	atomic_compare_exchange_strong(&flag, &none, 1);
	shared = 1;
	flag = 0;
	return arg;
}

static void *spinner(void *arg)
{
	int none;
	do
		none = 0;
	while (!atomic_compare_exchange_strong(&flag, &none, 1));
	return arg;
}

static void *yielder(void *arg)
{
	putchar('a');
	pthread_mutex_trylock(&mutex);
	own = 1;
	sched_yield();
	own = 2;
	shared = 2;
	pthread_mutex_unlock(&mutex);
	return arg;
}

int main(void)
{
	pthread_t t;
	setvbuf(stdout, NULL, _IONBF, 0);
	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&t, NULL, spinner, NULL);
	pthread_create(&t, NULL, yielder, NULL);
	return 0;
}
