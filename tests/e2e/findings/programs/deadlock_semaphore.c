// The consumer looks whether to stop just before the order to stop; there is no further post.
// EXPECT record: status 1, kind deadlock
// LEVELS -O0: what is called does not depend on the level
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t items;
static int stopped;

static void *consume(void *unused)
{
	while (!stopped)
		sem_wait(&items);	// PLACE
	return unused;
}

int main(void)
{
	pthread_t t;
	sem_init(&items, 0, 0);
	pthread_create(&t, NULL, consume, NULL);
	sem_post(&items);
	stopped = 1;
	pthread_join(t, NULL);
	return 0;
}
