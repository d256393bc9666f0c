/* SPDX-License-Identifier: Apache-2.0 */
// The semaphore is initialised before anybody can wait for it.
// EXPECT record: status 0
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
	sem_init(&ready, 0, 1);
	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
	return 0;
}
