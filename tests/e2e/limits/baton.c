/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads pass a slot to each other, ROUNDS times, by a flag that is 0 or 1 under a lock; the slot is used
 * outside the lock.  LATE: the reader looks at the slot once more when it has given it back for the last time.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_full, slot;
static volatile int kept;

static void await_flag(int value)
{
	pthread_mutex_lock(&lock);
	while (is_full != value)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void set_flag(int value)
{
	pthread_mutex_lock(&lock);
	is_full = value;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void *give(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		await_flag(0);
		slot = i;
		set_flag(1);
	}
	await_flag(0);
	slot = -1;
	return arg;
}

int main(void)
{
	pthread_t giver;
	pthread_create(&giver, NULL, give, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		await_flag(1);
		kept = slot;
		set_flag(0);
	}
#ifdef LATE
	kept = slot;
#endif
	pthread_join(giver, NULL);
	return 0;
}
