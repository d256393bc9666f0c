/* SPDX-License-Identifier: Apache-2.0 */
/* A player is taken away by one thread while others play with it. */
#include "threads.h"

static int court;
static _Atomic(int *) player = &court;

static void *play(void *unused)
{
	int *p = atomic_load_explicit(&player, memory_order_relaxed);
	if (p) {
		int *again = atomic_load_explicit(&player, memory_order_relaxed);
		assert(again);
	}
	return unused;
}

static void *leave(void *unused)
{
	atomic_store_explicit(&player, NULL, memory_order_relaxed);
	atomic_store_explicit(&player, &court, memory_order_relaxed);
	return unused;
}

int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, i == 3 ? leave : play, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
