/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop that waits and writes the variable that it tests: in which round heddle sees that it waits depends on
 * the variable's content before the loop, and nothing else does.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *set(void *arg)
{
	atomic_store(&flag, 1);
	return arg;
}

int main(void)
{
	pthread_t t;
	int seen;
	pthread_create(&t, NULL, set, NULL);
	do
		seen = atomic_load(&flag);
	while (!seen);
	pthread_join(t, NULL);
	return 0;
}
