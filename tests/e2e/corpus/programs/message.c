/* SPDX-License-Identifier: Apache-2.0 */
/* A message and its flag, to be run under PSO.  Wrong: both stores are relaxed. */
#include <stdatomic.h>
#include "threads.h"

static atomic_int message, flag;

static void *send(void *unused)
{
	(void)unused;
	atomic_store_explicit(&message, 9, memory_order_relaxed);
#ifdef WRONG
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
#else
	atomic_store_explicit(&flag, 1, memory_order_release);
#endif
	return NULL;
}

int main(void)
{
	start(send, 0);
	if (atomic_load_explicit(&flag, memory_order_acquire))
		assert(atomic_load_explicit(&message, memory_order_relaxed) == 9);
	finish();
	return 0;
}
