/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads look for a free block under a lock and mark it under the lock again: both can get the same
 * one. */
#include "threads.h"

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int owner[2];

static int find(void)
{
	int found = -1;
	pthread_mutex_lock(&guard);
	for (int i = 0; i < 2 && found < 0; i++)
		if (!owner[i])
			found = i;
	pthread_mutex_unlock(&guard);
	return found;
}

static void take(int block, int me)
{
	pthread_mutex_lock(&guard);
	assert(!owner[block]);
	owner[block] = me;
	pthread_mutex_unlock(&guard);
}

static void release(int block)
{
	pthread_mutex_lock(&guard);
	owner[block] = 0;
	pthread_mutex_unlock(&guard);
}

static void work(int me)
{
	int block = find();
	if (block < 0)
		return;
	take(block, me);
	release(block);
}

static void *first(void *unused)
{
	work(1);
	return unused;
}

static void *second(void *unused)
{
	work(2);
	return unused;
}

int main(void)
{
	run_two(first, second);
	return 0;
}
