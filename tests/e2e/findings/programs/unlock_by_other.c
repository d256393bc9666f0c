// A mutex is used to hand over: one thread locks, the other unlocks.
// EXPECT record: status 1, kind lock-misuse
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *release(void *unused)
{
	pthread_mutex_unlock(&lock);	// PLACE
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_mutex_lock(&lock);	// PLACE
	pthread_create(&t, NULL, release, NULL);
	pthread_join(t, NULL);
	return 0;
}
