/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: race
 *
 * Writers lock, but who prints the statistics believes that reading needs no lock.  Fixed: it locks,
 * too.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long bytes, packets;

static void *receive(void *unused)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		bytes += 100;
		packets++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *report(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	long mean = packets ? bytes / packets : 0;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return mean < 0 ? NULL : unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, receive, NULL);
	pthread_create(&b, NULL, report, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
