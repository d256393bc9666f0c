// The semaphore is destroyed while a thread may still use it.
// EXPECT record: status 1, kind lock-misuse
// LEVELS -O0: what is called does not depend on the level
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t done;

static void *work(void *unused)
{
	sem_post(&done);	// PLACE
	return unused;
}

int main(void)
{
	pthread_t t;
	sem_init(&done, 0, 0);
	pthread_create(&t, NULL, work, NULL);
	sem_destroy(&done);	// PLACE
	pthread_join(t, NULL);
	return 0;
}
