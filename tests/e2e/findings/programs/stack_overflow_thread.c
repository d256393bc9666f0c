// Recursion without an end on the stack of a thread.
// EXPECT record: status 1, kind stack-overflow
#include <pthread.h>

static volatile int depth;

static int descend(int n)	// PLACE-FUNCTION descend
{
	volatile char room[512];
	room[n % 512] = (char)n;
	depth = n;
	return descend(n + 1) + room[n % 512];
}

static void *work(void *unused)
{
	depth = descend(1);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return 0;
}
