/* SPDX-License-Identifier: Apache-2.0 */
/* Work that is skipped if somebody else does it.  Wrong: the result of trylock is ignored. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *try(void *unused)
{
	(void)unused;
	int busy = pthread_mutex_trylock(&lock);
#ifndef WRONG
	if (busy)
		return NULL;
#endif
	done++;
	if (!busy)
		pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	start(try, 0);
	start(try, 0);
	finish();
	assert(done >= 1);
	return 0;
}
