// The flag is set before the thread exists.
// EXPECT record: status 0
#include <pthread.h>
#include <stdlib.h>

static int ready;

static void *work(void *unused)
{
	if (!ready)
		abort();
	return unused;
}

int main(void)
{
	pthread_t t;
	ready = 1;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return 0;
}
