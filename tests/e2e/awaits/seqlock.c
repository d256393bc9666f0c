/* SPDX-License-Identifier: Apache-2.0 */
/* A sequence lock: the reader makes a new round for each change that it sees.  -DBAD: its end is no release. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int left, right;

static void *writer(void *arg)
{
	for (int i = 1; i <= 2; i++) {
		atomic_fetch_add_explicit(&sequence, 1, memory_order_relaxed);
#ifdef FENCE
		atomic_thread_fence(memory_order_release);
#endif
		atomic_store_explicit(&left, i, memory_order_relaxed);
		atomic_store_explicit(&right, i, memory_order_relaxed);
#ifdef BAD
		atomic_store_explicit(&sequence, 2 * i, memory_order_relaxed);
#else
		atomic_store_explicit(&sequence, 2 * i, memory_order_release);
#endif
	}
	return arg;
}

static void *reader(void *arg)
{
	unsigned before;
	int l, r;
	do {
		before = atomic_load_explicit(&sequence, memory_order_acquire);
		l = atomic_load_explicit(&left, memory_order_relaxed);
		r = atomic_load_explicit(&right, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
	} while (before & 1 || before != atomic_load_explicit(&sequence, memory_order_relaxed));
	assert(l == r);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, writer, NULL);
	pthread_create(&t[1], NULL, reader, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
