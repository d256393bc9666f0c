/* SPDX-License-Identifier: Apache-2.0 */
/* A sequence lock.  Wrong: the reader does not look at the sequence number again. */
#include <stdatomic.h>
#include "threads.h"

static atomic_uint sequence;
static atomic_int left, right;

static void *write_pair(void *unused)
{
	(void)unused;
	unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);
	atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&left, 1, memory_order_relaxed);
	atomic_store_explicit(&right, 1, memory_order_relaxed);
	atomic_store_explicit(&sequence, s + 2, memory_order_release);
	return NULL;
}

int main(void)
{
	unsigned before, after;
	int a, b;
	start(write_pair, 0);
	do {
		before = atomic_load_explicit(&sequence, memory_order_acquire);
		a = atomic_load_explicit(&left, memory_order_relaxed);
		b = atomic_load_explicit(&right, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit(&sequence, memory_order_relaxed);
#ifdef WRONG
		after = before;
#endif
	} while ((before & 1) || before != after);
	assert(a == b);
	finish();
	return 0;
}
