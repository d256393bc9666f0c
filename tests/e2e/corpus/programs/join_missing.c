/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a thread.  Wrong: it is read before the join. */
#include "threads.h"

static int result;

static void *compute(void *unused)
{
	(void)unused;
	result = 3;
	return NULL;
}

int main(void)
{
	start(compute, 0);
#ifdef WRONG
	int seen = result;
	finish();
#else
	finish();
	int seen = result;
#endif
	return seen == 3 ? 0 : 1;
}
