/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of slots whose size is chosen.  Wrong: a pool of one slot is not considered. */
#include <heddle/explore.h>
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int slots, used;

static void *take(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
#ifdef WRONG
	used++;
#else
	if (used < slots)
		used++;
#endif
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	slots = 1 + (int)heddle_choose(3);
	start(take, 0);
	start(take, 0);
	finish();
	assert(used <= slots);
	return 0;
}
