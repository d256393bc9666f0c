/* SPDX-License-Identifier: Apache-2.0 */
/* One thread stores 1 to STORES, the other waits for the last of them. */
#include "threads.h"

SHARED stored;

static void *store(void *unused)
{
	for (int i = 1; i <= STORES; i++)
		atomic_store_explicit(&stored, i, memory_order_release);
	return unused;
}

static void *await(void *unused)
{
	while (atomic_load_explicit(&stored, memory_order_acquire) != STORES)
		;
	return unused;
}

int main(void)
{
	start(0, store);
	start(1, await);
	join_all(2);
	return 0;
}
