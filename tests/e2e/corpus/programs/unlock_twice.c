/* SPDX-License-Identifier: Apache-2.0 */
/* An early return.  Wrong: the lock is released on that path, and once more at the end. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int open_slots = 1;

static void *take(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	if (open_slots == 0) {
		pthread_mutex_unlock(&lock);
#ifndef WRONG
		return NULL;
#endif
	} else {
		open_slots--;
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	start(take, 0);
	start(take, 0);
	finish();
	return 0;
}
