// A mutex is initialised while a thread holds it.
// EXPECT record: status 1, kind lock-misuse
// LEVELS -O0: what is called does not depend on the level
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *work(void *unused)
{
	pthread_mutex_lock(&lock);
	value++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	pthread_mutex_lock(&lock);
	pthread_mutex_init(&lock, NULL);	// PLACE
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	return 0;
}
