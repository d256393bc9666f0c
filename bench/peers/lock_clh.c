/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads increment a counter under the queue lock of Craig, Landin and Hagersten. */
#include "threads.h"

static _Atomic int held[THREADS + 1];
SHARED tail = THREADS;
static int counter;

static void *increment(void *number)
{
	int self = NUMBER(number);
	atomic_store(&held[self], 1);
	int before = atomic_exchange(&tail, self);
	while (atomic_load(&held[before]))
		;
	counter++;
	atomic_store(&held[self], 0);
	return NULL;
}

int main(void)
{
	start_all(THREADS, increment);
	join_all(THREADS);
	assert(counter == THREADS);
	return 0;
}
