/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: order
 *
 * The thread that uses the semaphore is started before that is initialised.  Fixed: after it.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t places;

static void *serve(void *unused)
{
	sem_wait(&places);
	sem_post(&places);
	return unused;
}

int main(void)
{
	pthread_t server;
#ifdef FIXED
	sem_init(&places, 0, 4);
	pthread_create(&server, NULL, serve, NULL);
#else
	pthread_create(&server, NULL, serve, NULL);
	sem_init(&places, 0, 4);
#endif
	pthread_join(server, NULL);
	return 0;
}
