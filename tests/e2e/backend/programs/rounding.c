// EXPECT record: status 0
/* The floating-point environment belongs to the thread, and a new one inherits its creator's. */
#include <assert.h>
#include <fenv.h>
#include <pthread.h>

static volatile double third = 1.0, three = 3.0;

static double divide(void)
{
	return third / three;
}

static void *up(void *unused)
{
	(void)unused;
	assert(fegetround() == FE_DOWNWARD);
	fesetround(FE_UPWARD);
	double d = divide();
	for (int i = 0; i < 5; i++)
		assert(divide() == d);
	assert(fegetround() == FE_UPWARD);
	return NULL;
}

int main(void)
{
	pthread_t t;
	fesetround(FE_DOWNWARD);
	pthread_create(&t, NULL, up, NULL);
	double d = divide();
	for (int i = 0; i < 5; i++)
		assert(divide() == d);
	assert(fegetround() == FE_DOWNWARD);
	pthread_join(t, NULL);
}
