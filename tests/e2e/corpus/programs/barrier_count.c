/* SPDX-License-Identifier: Apache-2.0 */
/* Main waits at a barrier with its workers.  Wrong: the barrier counts the workers only, so two generations form. */
#include "threads.h"

static pthread_barrier_t meeting;
static int results[2];

static void *work(void *argument)
{
	long me = (long)argument;
	results[me] = 1;
	pthread_barrier_wait(&meeting);
	return NULL;
}

int main(void)
{
#ifdef WRONG
	pthread_barrier_init(&meeting, NULL, 2);
#else
	pthread_barrier_init(&meeting, NULL, 3);
#endif
	start(work, 0);
	start(work, 1);
	pthread_barrier_wait(&meeting);
	int sum = results[0] + results[1];
	finish();
	return sum == 2 ? 0 : 1;
}
