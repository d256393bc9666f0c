/* SPDX-License-Identifier: Apache-2.0 */
/* Two phases with a barrier between them.  Wrong: the neighbour's value is read before the barrier. */
#include "threads.h"

static pthread_barrier_t phase;
static int cells[2], sums[2];

static void *work(void *argument)
{
	long me = (long)argument;
	cells[me] = (int)me + 1;
#ifndef WRONG
	pthread_barrier_wait(&phase);
#endif
	sums[me] = cells[0] + cells[1];
#ifdef WRONG
	pthread_barrier_wait(&phase);
#endif
	return NULL;
}

int main(void)
{
	pthread_barrier_init(&phase, NULL, 2);
	start(work, 0);
	start(work, 1);
	finish();
	pthread_barrier_destroy(&phase);
	return sums[0] == sums[1] ? 0 : 1;
}
