/* SPDX-License-Identifier: Apache-2.0 */
// A try that fails and one that succeeds, a timed lock that is got or given up, a semaphore likewise.
// OPTIONS --outcomes
// STATUS 0
// COMPLETE true
// OUTCOMES 000|001|010|011|100|101|110|111
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;

static void *other(void *unused)
{
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	sem_wait(&s);
	sem_post(&s);
	return unused;
}

int main(void)
{
	pthread_t t;
	struct timespec when;
	clock_gettime(CLOCK_REALTIME, &when);
	when.tv_sec++;
	sem_init(&s, 0, 1);
	pthread_create(&t, NULL, other, NULL);
	int tried = !pthread_mutex_trylock(&a);
	if (tried)
		pthread_mutex_unlock(&a);
	int timed = !pthread_mutex_timedlock(&b, &when);
	if (timed)
		pthread_mutex_unlock(&b);
	int waited = !sem_trywait(&s);
	if (waited)
		sem_post(&s);
	pthread_join(t, NULL);
	printf("%d%d%d", tried, timed, waited);
	return 0;
}
