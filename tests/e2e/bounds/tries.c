/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that take one lock by tries and look under it: a try that fails is new to the one that has
 * the lock, so they disturb each other for ever.  No schedule that lets one of them wait is longer
 * than another, but there is one for each number of rounds. */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;

static void *polls(void *arg)
{
	for (int seen = 0; !seen;) {
		if (pthread_mutex_trylock(&lock))
			continue;
		seen = flag;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, polls, NULL);
	pthread_create(&b, NULL, polls, NULL);
	flag = 1;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
