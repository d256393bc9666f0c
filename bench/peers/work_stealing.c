/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads take tasks from their own counter, and then from the next thread's. */
#include "threads.h"

#define TASKS 2

static _Atomic int left[THREADS], made;

static void work_from(int queue)
{
	for (int n = GET(left[queue]); n > 0;)
		if (atomic_compare_exchange_strong(&left[queue], &n, n - 1)) {
			atomic_fetch_add(&made, 1);
			n = GET(left[queue]);
		}
}

static void *work(void *number)
{
	int self = NUMBER(number);
	work_from(self);
	work_from((self + 1) % THREADS);
	return NULL;
}

int main(void)
{
	for (int i = 0; i < THREADS; i++)
		SET(left[i], TASKS);
	start_all(THREADS, work);
	join_all(THREADS);
	assert(GET(made) == THREADS * TASKS);
	return 0;
}
