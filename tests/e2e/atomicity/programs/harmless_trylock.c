/* SPDX-License-Identifier: Apache-2.0 */
/* A hint is read without the lock; what counts is read again with it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int tickets = 1;

static void *take(void *unused)
{
	while (atomic_load(&tickets) > 0) {
		if (pthread_mutex_trylock(&lock)) {
			sched_yield();
			continue;
		}
		if (atomic_load(&tickets) > 0)
			atomic_fetch_sub(&tickets, 1);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, take, NULL);
	pthread_create(&b, NULL, take, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
