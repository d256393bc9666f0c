/* SPDX-License-Identifier: Apache-2.0 */
/* A handler cannot release a mutex: two threads that wait for each other are a deadlock, with a handler of SIGTERM as without. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static sem_t first, second;

static void nothing(int signal)
{
	(void)signal;
}

static void *other(void *unused)
{
	pthread_mutex_lock(&b);
	sem_post(&second);
	sem_wait(&first);
	pthread_mutex_lock(&a);
	return unused;
}

int main(void)
{
	pthread_t t;
	signal(SIGTERM, nothing);
	pthread_create(&t, NULL, other, NULL);
	pthread_mutex_lock(&a);
	sem_post(&first);
	sem_wait(&second);
	pthread_mutex_lock(&b);
	return 0;
}
