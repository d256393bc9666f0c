/* SPDX-License-Identifier: Apache-2.0 */
// STATUS 1
// KIND livelock
// OPTIONS --memory=tso --kinds=livelock
// Each waits for what the other has not announced: possible only while both stores are in their buffers.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int here[2], gone;

static void *body(void *number)
{
	int me = number != NULL;
	atomic_store_explicit(&here[me], 1, memory_order_relaxed);
	if (!atomic_load_explicit(&here[!me], memory_order_relaxed))
		while (!atomic_load_explicit(&gone, memory_order_relaxed))
			;
	else
		atomic_store_explicit(&gone, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, body, &t);
	body(NULL);
	pthread_join(t, NULL);
	return 0;
}
