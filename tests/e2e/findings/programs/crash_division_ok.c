// The divisor is never zero.
// EXPECT record: status 0
#include <pthread.h>

static volatile int divisor = 1, result;

static void *reset(void *unused)
{
	for (int i = 0; i < 4; i++) {
		divisor = 3;
		divisor = 2;
	}
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, reset, NULL);
	for (int i = 0; i < 4; i++)
		result = 100 / divisor;
	pthread_join(t, NULL);
	return 0;
}
