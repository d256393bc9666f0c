/* SPDX-License-Identifier: Apache-2.0 */
// A semaphore is initialised after the thread that waits for it was created: it may wait already.
// EXPECT record: status 1, kind lock-misuse
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *worker(void *unused)
{
	sem_wait(&ready);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, worker, NULL);
	sem_init(&ready, 0, 1);	// PLACE
	pthread_join(t, NULL);
	return 0;
}
