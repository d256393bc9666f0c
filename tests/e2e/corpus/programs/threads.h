/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of a corpus program: start() creates one, finish() joins all that were created. */
#ifndef CORPUS_THREADS_H
#define CORPUS_THREADS_H

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_t started[8];
static int count;

static inline void start(void *(*body)(void *), long argument)
{
	if (pthread_create(&started[count], NULL, body, (void *)argument) != 0)
		abort();
	count++;
}

static inline void finish(void)
{
	while (count > 0)
		pthread_join(started[--count], NULL);
}

#endif
