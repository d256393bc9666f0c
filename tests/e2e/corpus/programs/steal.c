/* SPDX-License-Identifier: Apache-2.0 */
/* Owner and thief want the last task of a deque.  Wrong: the owner takes it without a compare and swap. */
#include <stdatomic.h>
#include "threads.h"

static atomic_int top, bottom = 1;
static atomic_int taken;

static void take(void)
{
	int b = atomic_fetch_sub(&bottom, 1) - 1;
	int t = atomic_load(&top);
	if (t > b) {
		atomic_store(&bottom, b + 1);
		return;
	}
	if (t == b) {
#ifdef WRONG
		atomic_store(&top, t + 1);
#else
		int expected = t;
		int won = atomic_compare_exchange_strong(&top, &expected, t + 1);
		atomic_store(&bottom, b + 1);
		if (!won)
			return;
#endif
	}
	atomic_fetch_add(&taken, 1);
}

static void *steal(void *unused)
{
	(void)unused;
	int t = atomic_load(&top);
	if (t < atomic_load(&bottom) && atomic_compare_exchange_strong(&top, &t, t + 1))
		atomic_fetch_add(&taken, 1);
	return NULL;
}

int main(void)
{
	start(steal, 0);
	take();
	finish();
	assert(taken == 1);
	return 0;
}
