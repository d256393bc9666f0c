/* SPDX-License-Identifier: Apache-2.0 */
/* A pool gives out objects: whether one is idle is asked without the lock that guards taking it. */
#include "threads.h"

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
SHARED idle = 1;

static void *borrow(void *unused)
{
	if (GET(idle) > 0) {
		pthread_mutex_lock(&guard);
		SET(idle, GET(idle) - 1);
		pthread_mutex_unlock(&guard);
		assert(GET(idle) >= 0);
		pthread_mutex_lock(&guard);
		SET(idle, GET(idle) + 1);
		pthread_mutex_unlock(&guard);
	}
	return unused;
}

int main(void)
{
	run_two(borrow, borrow);
	return 0;
}
