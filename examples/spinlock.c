/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A home-made spin lock: test and set are two steps, so two threads may both find it open.  Inside, a
 * counter that must only be counted by one at a time.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int taken;
static atomic_int inside;

static void spin_lock(void)
{
	while (atomic_load(&taken))
		sched_yield();
	atomic_store(&taken, 1);
}

static void spin_unlock(void)
{
	atomic_store(&taken, 0);
}

static void *worker(void *unused)
{
	spin_lock();
	int others = atomic_fetch_add(&inside, 1);
	assert(others == 0);
	atomic_fetch_sub(&inside, 1);
	spin_unlock();
	return unused;
}

int main(void)
{
	pthread_t first, second;
	pthread_create(&first, NULL, worker, NULL);
	pthread_create(&second, NULL, worker, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}
