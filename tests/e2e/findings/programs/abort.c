// A thread gives up when it is the first.
// EXPECT record: status 1, kind abort
#include <pthread.h>
#include <stdlib.h>

static int ready;

static void *work(void *unused)
{
	if (!ready)
		abort();	// PLACE
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	ready = 1;
	pthread_join(t, NULL);
	return 0;
}
