/* SPDX-License-Identifier: Apache-2.0 */
/* A test-and-test-and-set lock.  Wrong: it is taken by a store after the test. */
#include <stdatomic.h>
#include "threads.h"

static atomic_int held;
static volatile int owner;

static void *enter(void *argument)
{
	for (;;) {
		if (atomic_load(&held))
			continue;
#ifdef WRONG
		atomic_store(&held, 1);
		break;
#else
		if (!atomic_exchange(&held, 1))
			break;
#endif
	}
	owner = (int)(long)argument;
	assert(owner == (int)(long)argument);
	atomic_store(&held, 0);
	return NULL;
}

int main(void)
{
	start(enter, 1);
	start(enter, 2);
	finish();
	return 0;
}
