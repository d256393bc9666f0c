/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic additions of several threads, and a race that every execution shows. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define THREADS 6
static atomic_int next;
int last;

static void *add(void *arg)
{
	atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
	return arg;
}

static void *set(void *arg)
{
	last = 1;
	return add(arg);
}

int main(void)
{
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, i < 2 ? set : add, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
