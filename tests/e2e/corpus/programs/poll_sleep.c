/* SPDX-License-Identifier: Apache-2.0 */
/* A loop that sleeps between looks.  Wrong: what it waits for is a plain variable. */
#include <stdatomic.h>
#include <unistd.h>
#include "threads.h"

#ifdef WRONG
static volatile int ready;
#else
static atomic_int ready;
#endif

static void *prepare(void *unused)
{
	(void)unused;
	ready = 1;
	return NULL;
}

int main(void)
{
	start(prepare, 0);
	while (!ready)
		usleep(100);
	finish();
	return 0;
}
