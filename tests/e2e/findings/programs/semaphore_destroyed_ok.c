// The thread is joined first.
// EXPECT record: status 0
// LEVELS -O0: what is called does not depend on the level
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t done;

static void *work(void *unused)
{
	sem_post(&done);
	return unused;
}

int main(void)
{
	pthread_t t;
	sem_init(&done, 0, 0);
	pthread_create(&t, NULL, work, NULL);
	sem_wait(&done);
	pthread_join(t, NULL);
	sem_destroy(&done);
	return 0;
}
