/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads increment a counter under a ticket lock. */
#include "threads.h"

SHARED next, serving;
static int counter;

static void *increment(void *unused)
{
	int ticket = atomic_fetch_add(&next, 1);
	while (atomic_load_explicit(&serving, memory_order_acquire) != ticket)
		;
	counter++;
	atomic_store_explicit(&serving, ticket + 1, memory_order_release);
	return unused;
}

int main(void)
{
	start_all(THREADS, increment);
	join_all(THREADS);
	assert(counter == THREADS);
	return 0;
}
