/* SPDX-License-Identifier: Apache-2.0 */
/* Two consumers, two items, one broadcast for each.  Wrong: a consumer tests the condition once instead of in a loop. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *consume(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
#ifdef WRONG
	if (items == 0)
#else
	while (items == 0)
#endif
		pthread_cond_wait(&filled, &lock);
	assert(items > 0);
	items--;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	start(consume, 0);
	start(consume, 0);
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		items++;
		pthread_cond_broadcast(&filled);
		pthread_mutex_unlock(&lock);
	}
	finish();
	assert(items == 0);
	return 0;
}
