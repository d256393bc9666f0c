/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: deadlock
 *
 * The flag is set without the lock, between the waiter's look at it and its wait: the signal is lost.
 * Fixed: it is set under the lock.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stopped = PTHREAD_COND_INITIALIZER;
static atomic_int stop;

static void *wait_for_stop(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!stop)
		pthread_cond_wait(&stopped, &lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *ask_to_stop(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	stop = 1;
	pthread_cond_signal(&stopped);
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, wait_for_stop, NULL);
	pthread_create(&b, NULL, ask_to_stop, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
