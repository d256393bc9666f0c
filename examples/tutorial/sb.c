/* SPDX-License-Identifier: Apache-2.0 */
/* Store buffering: each thread stores one variable and loads the other. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x, y;
static int r1, r2;

static void *left(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_release);
	r1 = atomic_load_explicit(&y, memory_order_acquire);
	return arg;
}

static void *right(void *arg)
{
	atomic_store_explicit(&y, 1, memory_order_release);
	r2 = atomic_load_explicit(&x, memory_order_acquire);
	return arg;
}

int main(void)
{
	pthread_t first, second;
	pthread_create(&first, NULL, left, NULL);
	pthread_create(&second, NULL, right, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("r1 = %d, r2 = %d\n", r1, r2);
	return 0;
}
