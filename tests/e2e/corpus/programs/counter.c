/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads count.  Wrong: one of them forgets the lock. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *add(void *careless)
{
	if (!careless)
		pthread_mutex_lock(&lock);
	value++;
	if (!careless)
		pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	start(add, 0);
#ifdef WRONG
	start(add, 1);
#else
	start(add, 0);
#endif
	finish();
	return value == 2 ? 0 : 1;
}
