/* SPDX-License-Identifier: Apache-2.0 */
/* A deque whose owner pushes and takes at one end while a thief takes at the other: the elements are plain. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int top, bottom;
static int items[2];

static void push(int item)
{
	int b = atomic_load_explicit(&bottom, memory_order_relaxed);
	items[b % 2] = item;
	atomic_store_explicit(&bottom, b + 1, memory_order_release);
}

static int steal(void)
{
	int t = atomic_load(&top);
	if (t >= atomic_load(&bottom))
		return -1;
	int item = items[t % 2];
	return atomic_compare_exchange_strong(&top, &t, t + 1) ? item : -1;
}

static void *thief(void *arg)
{
	(void)arg;
	steal();
	steal();
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, thief, NULL);
	push(1);
	push(2);
	steal();
	push(3);
	pthread_join(t, NULL);
	return 0;
}
