/* SPDX-License-Identifier: Apache-2.0 */
/* A lock is taken by trying again and again.  Wrong: its holder ends without an unlock. */
#include <sched.h>
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *add(void *argument)
{
	while (pthread_mutex_trylock(&lock) != 0)
		sched_yield();
	value++;
#ifdef WRONG
	if (argument)
		return NULL;
#else
	(void)argument;
#endif
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	start(add, 0);
	start(add, 1);
	finish();
	assert(value == 2);
	return 0;
}
