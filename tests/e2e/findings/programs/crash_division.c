// A divisor is zero for a moment.
// EXPECT record: status 1, kind crash
#include <pthread.h>

static volatile int divisor = 1, result;

static void *reset(void *unused)
{
	for (int i = 0; i < 4; i++) {
		divisor = 0;
		divisor = 2;
	}
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, reset, NULL);
	for (int i = 0; i < 4; i++)
		result = 100 / divisor;	// PLACE
	pthread_join(t, NULL);
	return 0;
}
