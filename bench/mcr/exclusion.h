/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads, each once in its critical section, which is seen to be its own.  A program defines enter() and
 * leave() for threads 0 and 1 with accesses that the processor may reorder.
 */
#ifndef BENCH_MCR_EXCLUSION_H
#define BENCH_MCR_EXCLUSION_H

#include "threads.h"

SHARED inside;

static void enter(int me);
static void leave(int me);

static void *visit(void *thread)
{
	int me = thread != NULL;
	enter(me);
	SET(inside, GET(inside) + 1);
	assert(GET(inside) == 1);
	SET(inside, GET(inside) - 1);
	leave(me);
	return NULL;
}

int main(void)
{
	pthread_t other[2];
	pthread_create(&other[0], NULL, visit, NULL);
	pthread_create(&other[1], NULL, visit, other);
	pthread_join(other[0], NULL);
	pthread_join(other[1], NULL);
	return 0;
}

#endif
