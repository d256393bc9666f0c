/* SPDX-License-Identifier: Apache-2.0 */
// The failure needs a change of threads in front of two racing instructions.
#include <assert.h>
#include <sched.h>

#include "threads.h"

static int x;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *prepare(void)
{
	return NULL;
}

static void *first(void *prepared)
{
	pthread_mutex_lock(&lock);
	int tmp = x;
	x = tmp + 1;
	pthread_mutex_unlock(&lock);
	return prepared;
}

static void *second(void *prepared)
{
	__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
	sched_yield();
	__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
	assert(x >= 2);
	return prepared;
}
