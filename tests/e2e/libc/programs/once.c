/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One-time initialisation by the first thread, while others wait.
 *
 * trace: once-begin
 * trace: once-end
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int value, runs;

static void initialise(void)
{
	runs++;
	sched_yield();
	value = 42;
}

static void *thread(void *unused)
{
	(void)unused;
	assert(!pthread_once(&control, initialise));
	assert(value == 42);
	return NULL;
}

int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert(!pthread_once(&control, initialise) && runs == 1);
	puts("initialised once");
	return 0;
}
