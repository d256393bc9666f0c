/* SPDX-License-Identifier: Apache-2.0 */
/* A worker reads its job from the heap.  Wrong: main frees the job before the worker has ended. */
#include "threads.h"

static void *work(void *argument)
{
	int *job = argument;
	assert(job[0] + job[1] == 3);
	return NULL;
}

int main(void)
{
	int *job = malloc(2 * sizeof *job);
	job[0] = 1;
	job[1] = 2;
	start(work, (long)job);
#ifdef WRONG
	free(job);
	finish();
#else
	finish();
	free(job);
#endif
	return 0;
}
