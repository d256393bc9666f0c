/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads increment a counter under a lock that they wait for by compare and swap. */
#include "threads.h"

SHARED locked;
static int counter;

static void *increment(void *unused)
{
	int free = 0;
	while (!atomic_compare_exchange_strong(&locked, &free, 1))
		free = 0;
	counter++;
	atomic_store_explicit(&locked, 0, memory_order_release);
	return unused;
}

int main(void)
{
	start_all(THREADS, increment);
	join_all(THREADS);
	assert(counter == THREADS);
	return 0;
}
