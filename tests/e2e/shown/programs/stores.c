/* SPDX-License-Identifier: Apache-2.0 */
/* Stores wait in buffers when a thread comes to what needs them in memory: a creation, a fence, a lock. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x, y;
static int seen, plain;

static void *work(void *arg)
{
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	seen = atomic_load_explicit(&x, memory_order_relaxed);
	plain = 1;
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	pthread_create(&t, NULL, work, NULL);
	atomic_store_explicit(&x, 2, memory_order_relaxed);
	plain = 2;
	pthread_mutex_lock(&m);
	int other = atomic_load_explicit(&y, memory_order_relaxed);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	printf("%d %d %d\n", seen, other, plain);
	return 0;
}
