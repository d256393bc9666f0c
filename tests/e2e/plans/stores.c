/* SPDX-License-Identifier: Apache-2.0 */
/* Store buffering with N more stores between the store and the load of one thread. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define LOAD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define STORE(x) atomic_store_explicit(&(x), 1, memory_order_relaxed)

static atomic_int x, y, between[N];
static int one, other;

static void *first(void *unused)
{
	STORE(x);
	for (int i = 0; i < N; i++)
		STORE(between[i]);
	one = LOAD(y);
	return unused;
}

static void *second(void *unused)
{
	STORE(y);
	other = LOAD(x);
	return unused;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	printf("%d %d\n", one, other);
	return 0;
}
