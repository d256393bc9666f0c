// A thread waits for a flag that nobody sets.
// EXPECT record: status 1, kind step-limit
// OPTIONS --steps 20000
#include <pthread.h>

static volatile int flag;

static void *work(void *unused)
{
	while (!flag)	// PLACE
		;
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return 0;
}
