/* SPDX-License-Identifier: Apache-2.0 */
/* The owner puts two tasks and takes two from the deque of Chase and Lev; THREADS threads steal one each. */
#include "threads.h"

#define TASKS 2

SHARED top, bottom;
static _Atomic int tasks[TASKS], done[TASKS];

static void *own(void *unused)
{
	for (int i = 0; i < TASKS; i++) {
		atomic_store(&tasks[i], i + 1);
		atomic_store(&bottom, i + 1);
	}
	for (int i = 0; i < TASKS; i++) {
		int b = atomic_load(&bottom) - 1;
		atomic_store(&bottom, b);
		int t = atomic_load(&top);
		if (t < b || (t == b && atomic_compare_exchange_strong(&top, &t, t + 1)))
			assert(!atomic_exchange(&done[b], 1));
		if (t >= b) {
			atomic_store(&bottom, b + 1);
			break;
		}
	}
	return unused;
}

static void *steal(void *unused)
{
	int t = atomic_load(&top);
	if (t < atomic_load(&bottom)) {
		int task = atomic_load(&tasks[t]);
		if (atomic_compare_exchange_strong(&top, &t, t + 1))
			assert(!atomic_exchange(&done[task - 1], 1));
	}
	return unused;
}

int main(void)
{
	start_all(THREADS, steal);
	start(THREADS, own);
	join_all(THREADS + 1);
	return 0;
}
