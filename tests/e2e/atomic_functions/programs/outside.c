/* Only one side is atomic: the other one races with it.  FINDS race */
#include <pthread.h>

int value;

static void __VERIFIER_atomic_set(void)
{
	value = 1;
}

static void *setter(void *unused)
{
	__VERIFIER_atomic_set();
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, setter, NULL);
	int seen = value;
	pthread_join(t, NULL);
	return seen == 5;
}
