/* SPDX-License-Identifier: Apache-2.0 */
// Readers and a writer by two semaphores and a count.  WRONG: the count is changed without its lock.
#define THREADS 3
#include <semaphore.h>
#include "common.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;
static atomic_int readers;
static int data, writers;

static void *body(void *number)
{
	if (*(int *)number == 0) {
		sem_wait(&room);
		writers++;
		data++;
		writers--;
		sem_post(&room);
		return NULL;
	}
#ifndef WRONG
	pthread_mutex_lock(&lock);
#endif
	readers = readers + 1;
	if (readers == 1)
		sem_wait(&room);
#ifndef WRONG
	pthread_mutex_unlock(&lock);
#endif
	assert(writers == 0);
#ifndef WRONG
	pthread_mutex_lock(&lock);
#endif
	readers = readers - 1;
	if (readers == 0)
		sem_post(&room);
#ifndef WRONG
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

int main(void)
{
	(void)lock;
	sem_init(&room, 0, 1);
	run_threads();
	assert(data == 1);
	return 0;
}
