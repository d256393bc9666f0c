// Every thread unlocks what it locked.
// EXPECT record: status 0
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_mutex_lock(&lock);
	pthread_create(&t, NULL, use, NULL);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	return 0;
}
