/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads that step back when they meet.  Wrong: both always step back. */
#include <stdatomic.h>
#include "threads.h"

static atomic_int wants[2];

static void *enter(void *argument)
{
	long me = (long)argument;
	atomic_store(&wants[me], 1);
	while (atomic_load(&wants[1 - me])) {
#ifndef WRONG
		if (me == 0)
			continue;	/* the first thread insists */
		atomic_store(&wants[me], 0);
		while (atomic_load(&wants[1 - me]))
			;
		atomic_store(&wants[me], 1);
#endif
	}
	atomic_store(&wants[me], 0);
	return NULL;
}

int main(void)
{
	start(enter, 0);
	start(enter, 1);
	finish();
	return 0;
}
