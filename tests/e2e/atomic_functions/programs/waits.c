/* An atomic function that waits for a lock lets others run, or the one that has the lock could never go on.  OUTCOMES 1 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void __VERIFIER_atomic_add(void)
{
	pthread_mutex_lock(&lock);
	value++;
	pthread_mutex_unlock(&lock);
}

static void *adder(void *unused)
{
	__VERIFIER_atomic_add();
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, adder, NULL);
	pthread_mutex_lock(&lock);
	value++;
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	printf("%d\n", value);
	return 0;
}
