/* SPDX-License-Identifier: Apache-2.0 */
/* A plain message behind a relaxed flag with fences, to be run under PSO.  Wrong: the receiver has no fence. */
#include <stdatomic.h>
#include "threads.h"

static int message;
static atomic_int flag;

static void *send(void *unused)
{
	(void)unused;
	message = 9;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	start(send, 0);
	while (!atomic_load_explicit(&flag, memory_order_relaxed)) {
#ifndef WRONG
		atomic_thread_fence(memory_order_acquire);
#endif
	}
#ifndef WRONG
	atomic_thread_fence(memory_order_acquire);
#endif
	assert(message == 9);
	finish();
	return 0;
}
