/* SPDX-License-Identifier: Apache-2.0 */
/* A ring with one producer and one consumer, to be run under PSO.  Wrong: the index is published by a relaxed store. */
#include <stdatomic.h>
#include "threads.h"

#ifdef WRONG
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

static atomic_int slots[2], head, tail;

static void *produce(void *unused)
{
	(void)unused;
	for (int i = 1; i <= 2; i++) {
		int at = atomic_load_explicit(&tail, memory_order_relaxed);
		atomic_store_explicit(&slots[at % 2], i, memory_order_relaxed);
		atomic_store_explicit(&tail, at + 1, PUBLISH);
	}
	return NULL;
}

int main(void)
{
	start(produce, 0);
	for (int i = 1; i <= 2; i++) {
		int at = atomic_load_explicit(&head, memory_order_relaxed);
		if (atomic_load_explicit(&tail, memory_order_acquire) == at)
			break;
		assert(atomic_load_explicit(&slots[at % 2], memory_order_relaxed) == i);
		atomic_store_explicit(&head, at + 1, memory_order_release);
	}
	finish();
	return 0;
}
