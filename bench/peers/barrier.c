/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads meet at a barrier; none looks which of them came last. */
#include "threads.h"

static pthread_barrier_t barrier;
static _Atomic int done[THREADS];

static void *meet(void *number)
{
	SET(done[NUMBER(number)], 1);
	pthread_barrier_wait(&barrier);
	return NULL;
}

int main(void)
{
	pthread_barrier_init(&barrier, NULL, THREADS);
	start_all(THREADS, meet);
	join_all(THREADS);
	return 0;
}
