// A barrier for one thread more than there are.
// EXPECT record: status 1, kind deadlock
// LEVELS -O0: what is called does not depend on the level
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t phase;

static void *work(void *unused)
{
	pthread_barrier_wait(&phase);	// PLACE
	return unused;
}

int main(void)
{
	pthread_t t[2];
	pthread_barrier_init(&phase, NULL, 3);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	pthread_barrier_destroy(&phase);
	return 0;
}
