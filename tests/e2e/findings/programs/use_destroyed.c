// A thread may come late and lock what has been destroyed.
// EXPECT record: status 1, kind lock-misuse
#include <pthread.h>

static pthread_mutex_t lock;

static void *work(void *unused)
{
	pthread_mutex_lock(&lock);	// PLACE
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_mutex_init(&lock, NULL);
	pthread_create(&t, NULL, work, NULL);
	if (!pthread_mutex_trylock(&lock)) {
		pthread_mutex_unlock(&lock);
		pthread_mutex_destroy(&lock);	// PLACE
	}
	pthread_join(t, NULL);
	return 0;
}
